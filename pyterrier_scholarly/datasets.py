"""Datasets as transformers take them: by id, as PyTerrier's object or as ir_datasets' own."""

from difflib import get_close_matches

SHOWN = 5  # how many ids an error names


def irds(dataset):
    """The ir_datasets Dataset that is meant.

    Args:
        dataset: an id (``"csfcube/method"`` or ``"irds:csfcube/method"``), a PyTerrier dataset
            (``pt.get_dataset("irds:…")``), or an ir_datasets Dataset, which comes back as it is.

    Raises:
        ValueError: an id that is not registered (names the nearest ones), or no dataset at all.
    """
    import ir_datasets

    import ir_datasets_ext  # noqa: F401 (registers ours, also where the start-up hook is off)

    if isinstance(dataset, ir_datasets.Dataset):
        return dataset
    if hasattr(dataset, "irds_ref"):
        return dataset.irds_ref()
    if not isinstance(dataset, str):
        raise ValueError(
            f"{dataset!r} is no dataset: give an id such as 'csfcube/method', "
            "pt.get_dataset('irds:csfcube/method'), or an ir_datasets Dataset."
        )
    name = dataset.removeprefix("irds:")
    try:
        return ir_datasets.load(name)
    except KeyError:
        near = get_close_matches(name, ir_datasets.registry, n=SHOWN) or ["none"]
        raise ValueError(
            f"Unknown dataset {name!r}; near it: {', '.join(near)}. "
            "`ir_datasets list` has all: choose one."
        ) from None


def collection(dataset):
    """The same documents under the shortest id: ``csfcube`` for ``csfcube/method/fold1/dev``.

    What is made of documents alone can so be shared. A dataset without an id comes back.
    """
    import ir_datasets

    found = irds(dataset)
    if not hasattr(found, "dataset_id"):
        return found
    return ir_datasets.docs_parent_id(found.dataset_id())


def documents(dataset, doc_ids) -> dict:
    """The records of `doc_ids`, by id.

    Raises:
        ValueError: ids that the dataset does not have (names up to five).
    """
    wanted = dict.fromkeys(doc_ids)
    if not wanted:
        return {}
    found = irds(dataset).docs_store().get_many(list(wanted))
    unknown = [doc_id for doc_id in wanted if doc_id not in found]
    if unknown:
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        raise ValueError(
            f"{dataset} has no document {', '.join(map(str, unknown[:SHOWN]))}{more}: "
            "are these rows of another collection?"
        )
    return found


def text(record) -> str:
    """What a document says: its field `text` (of a paper, the abstract), else its default text."""
    return record.text if hasattr(record, "text") else record.default_text()


def texts(dataset) -> dict:
    """The `text` of every document of `dataset`, by id, in the dataset's order."""
    return {record.doc_id: text(record) for record in irds(dataset).docs_iter()}


def pool_sources(dataset):
    """What put the candidates of each query into its pool: a frame of `qid`, `docno`, `sources`.

    `sources` is a tuple of names, the first that of the method which drew the candidate. CSFCube's
    are of query papers: a dataset with several queries of one paper has them for each. Of papers
    that the query's paper cites (``"cited"`` is among the names) CSFCube gives one list of names to
    all of a pool, so that theirs says nothing else.

    Raises:
        ValueError: the dataset keeps no sources.
    """
    import pandas as pd

    found = irds(dataset)
    holder = found if hasattr(found, "pool_sources_iter") else irds(collection(found))
    if not hasattr(holder, "pool_sources_iter"):
        raise ValueError(
            f"{dataset} does not say what its pools are from: csfcube and its facets do, and "
            "collections that were written with a column `sources` of their pools."
        )
    rows = pd.DataFrame(holder.pool_sources_iter()).set_axis(["qid", "docno", "sources"], axis=1)
    if holder is found:
        return rows
    papers = [(query.query_id, query.paper_id) for query in found.queries_iter()]
    queries = pd.DataFrame(papers, columns=["query", "qid"])
    return queries.merge(rows, on="qid").drop(columns="qid").rename(columns={"query": "qid"})
