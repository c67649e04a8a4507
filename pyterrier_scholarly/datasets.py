"""Datasets as transformers take them: an id, PyTerrier's object or ir_datasets' own.

records = documents("csfcube/method", ["1198964"])
text(records["1198964"])  # its abstract

What is fitted on a dataset is kept in memory by `fit_once`, while the dataset's content stays.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import ir_datasets

import ir_datasets_ext  # noqa: F401 (registers ours, also where discovery is off)

from .choices import describe_unknown, some
from .folders import identify_file
from .paper import Paper, Splitter
from .text import split_sentences
from .typed_records import Record

if TYPE_CHECKING:
    import pandas as pd

MOST_PAPERS = 2**16  # of a collection, in memory
MOST_FITS = 16  # in memory, of all datasets: those that were used last
Fit = TypeVar("Fit")


class PyTerrierDataset(Protocol):
    """A dataset of PyTerrier, as ``pt.get_dataset("irds:…")`` returns it."""

    def irds_ref(self) -> ir_datasets.Dataset:
        """Return the dataset of ir_datasets behind it."""


#: an id (``"csfcube/method"`` or ``"irds:csfcube/method"``), a dataset of PyTerrier, or one of
#: ir_datasets
DatasetLike: TypeAlias = str | ir_datasets.Dataset | PyTerrierDataset


def irds(dataset: DatasetLike) -> ir_datasets.Dataset:
    """Return the ir_datasets Dataset of an id or object.

    Args:
        dataset: an id (``"csfcube/method"`` or ``"irds:csfcube/method"``), a PyTerrier dataset
            (``pt.get_dataset("irds:…")``), or an ir_datasets Dataset, which is returned unchanged.

    Raises:
        ValueError: an unknown id (names the nearest ones), or no dataset at all.
    """
    if isinstance(dataset, ir_datasets.Dataset):
        return dataset
    if hasattr(dataset, "irds_ref"):
        return dataset.irds_ref()
    if not isinstance(dataset, str):
        raise ValueError(
            f"{dataset!r:.80} is no dataset: pass an id such as 'csfcube/method', "
            "pt.get_dataset('irds:csfcube/method'), or an ir_datasets Dataset."
        )

    dataset_id = dataset.removeprefix("irds:")
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        if Path(dataset_id).is_file():
            raise ValueError(
                f"{dataset_id!r} is a file, no dataset. Make a collection of your documents, "
                "queries and judgements: pyterrier_scholarly.collect.write_collection('mine', "
                f"documents, queries, qrels=pt.io.read_qrels({dataset_id!r}), …), then pass "
                "'made/mine'. The documentation says how under 'A folder that is a collection'."
            ) from None
        remedy = "Choose one that `ir_datasets list` or `pyterrier-scholarly list-local` shows."
        message = describe_unknown(
            "dataset", dataset_id, ir_datasets.registry, remedy, suggestions=3
        )
        raise ValueError(message) from None


def collection(dataset: DatasetLike) -> str | ir_datasets.Dataset:
    """Return the shortest id with the same documents: ``csfcube`` for ``csfcube/method/fold1/dev``.

    Subsets then share what is computed from documents alone. A dataset without an id is returned
    unchanged.
    """
    part = irds(dataset)
    if not hasattr(part, "dataset_id"):
        return part
    return ir_datasets.docs_parent_id(part.dataset_id())


def documents(dataset: DatasetLike, doc_ids: Iterable[str]) -> dict[str, Record]:
    """Return the records of `doc_ids`, by id.

    Raises:
        ValueError: ids missing from the dataset (names up to five).
    """
    distinct_ids = list(dict.fromkeys(doc_ids))
    if not distinct_ids:
        return {}

    records = irds(dataset).docs_store().get_many(distinct_ids)
    check_known(dataset, distinct_ids, records)
    return records


def check_known(dataset: DatasetLike, doc_ids: Iterable[str], known_ids: Container[str]) -> None:
    """Raise ValueError unless all ids are among those of the dataset's documents."""
    missing_ids = [doc_id for doc_id in doc_ids if doc_id not in known_ids]
    if missing_ids:
        raise ValueError(
            f"{dataset} has no document {some(missing_ids)}: are these rows of another collection?"
        )


def read_papers(
    dataset: DatasetLike, doc_ids: Iterable[str], split: Splitter = split_sentences
) -> dict[str, Paper]:
    """Read documents as papers, by their ids; MOST_PAPERS stay in memory while the content stays.

    Args:
        dataset: with the documents.
        doc_ids: of the documents to read.
        split: splits the text of a document without sentences.

    Raises:
        ValueError: ids missing from the dataset (names up to five).
    """
    distinct_ids = list(dict.fromkeys(doc_ids))
    if not distinct_ids:
        return {}

    kept_papers: dict[str, Paper] = fit_once(dict, "papers", split, identify_documents(dataset))
    papers = {doc_id: kept_papers[doc_id] for doc_id in distinct_ids if doc_id in kept_papers}
    new_ids = [doc_id for doc_id in distinct_ids if doc_id not in papers]
    for doc_id, record in documents(dataset, new_ids).items():
        papers[doc_id] = Paper.from_record(record, split)

    if len(kept_papers) + len(new_ids) > MOST_PAPERS:
        kept_papers.clear()
    kept_papers.update(papers)
    return papers


def read_queries(dataset: DatasetLike) -> dict[str, Record]:
    """Return the queries of a dataset by id; none if it has no queries. Do not change the dict."""
    part = irds(dataset)
    if not part.has_queries():
        return {}

    def read() -> dict[str, Record]:
        try:
            return {query.query_id: query for query in part.queries_iter()}
        except NotImplementedError:  # only the parts by facet of this collection have queries
            return {}

    return fit_once(read, identify_records(part, "queries"))


def text(record: Record) -> str:
    """Return a document's field `text` (of a paper, the abstract), else its default text."""
    return record.text if hasattr(record, "text") else record.default_text()


def texts(dataset: DatasetLike) -> dict[str, str]:
    """Return the `text` of every document of `dataset`, by id, in the dataset's order."""
    return {record.doc_id: text(record) for record in irds(dataset).docs_iter()}


def read_texts(dataset: DatasetLike, doc_ids: Sequence[str]) -> list[str]:
    """Return the `text` of documents, in the order of `doc_ids`; errors as of `documents`."""
    records = documents(dataset, doc_ids)
    return [text(records[doc_id]) for doc_id in doc_ids]


def read_pairs(dataset: DatasetLike) -> "pd.DataFrame":
    """Read a dataset's pairs of documents, a row for each of its `pairs_iter`.

    A mined log's million pairs as a frame::

        pairs = read_pairs("download-log/ours/1m")

    Args:
        dataset: a part of a mined log (``download-log/<name>``, ``…/1m``, ``…/100q``), or another
            collection that was written with `pairs`.

    Returns:
        Frame of `doc_id_a`, `doc_id_b` and the pairs' other fields: `kind` (``"similar"`` or
        ``"random"``) in ``1m``, `count` in the others.

    Raises:
        ValueError: the dataset has no pairs.
    """
    import pandas as pd

    part = irds(dataset)
    if not hasattr(part, "pairs_iter"):
        raise ValueError(
            f"{dataset} has no pairs of documents: expected a part of a mined log, such as "
            "download-log/<name>/1m, or a collection that was written with `pairs`."
        )
    return pd.DataFrame(part.pairs_iter())


def pool_sources(dataset: DatasetLike) -> "pd.DataFrame":
    """Return the sources of each query's candidates: a frame of `qid`, `docno`, `sources`.

    `sources` is a tuple of names; the first is the method that drew the candidate. CSFCube has
    sources for each query paper, which are repeated for each of its queries. Where a query's paper
    cites the candidate (``"cited"`` is among the names), CSFCube has one list of names for the
    whole pool, so the other names say nothing.

    Raises:
        ValueError: the dataset has no sources.
    """
    import pandas as pd

    columns = ["qid", "docno", "sources"]
    part = irds(dataset)
    if hasattr(part, "pool_sources_iter"):
        sources = pd.DataFrame(part.pool_sources_iter())
        return sources.set_axis(columns, axis=1)

    whole_collection = irds(collection(part))
    if not hasattr(whole_collection, "pool_sources_iter"):
        raise ValueError(
            f"{dataset} has no sources of its pools: csfcube and its facets have some, and "
            "collections that were written with a column `sources` in their pools."
        )

    # CSFCube has a pool for each query paper, which each of the paper's queries shares
    queries = pd.DataFrame(part.queries_iter()).rename(columns={"query_id": "qid"})
    sources_of_papers = pd.DataFrame(whole_collection.pool_sources_iter())
    sources_of_papers = sources_of_papers.set_axis(["paper_id", "docno", "sources"], axis=1)
    return queries.merge(sources_of_papers, on="paper_id")[columns]


def fit_once(fit: Callable[[], Fit], *depends_on: Hashable) -> Fit:
    """Return ``fit()``, computed once for equal values that it depends on.

    MOST_FITS results are kept. A second thread waits while the first one fits.

    Args:
        fit: reads a dataset, and returns anything.
        depends_on: what is fitted, its settings, and the content of the dataset, see
            `identify_documents`.
    """
    lock, fits = _open_slot(depends_on)
    with lock:
        if not fits:
            fits.append(fit())
        return fits[0]


@lru_cache(maxsize=MOST_FITS)
def _open_slot(key: Hashable) -> tuple[AbstractContextManager, list]:
    """Return a lock and the list for a key's result; a key that was not used for long is new."""
    return RLock(), []


def identify_documents(source: DatasetLike | Sequence[str], argument: str = "dataset") -> Hashable:
    """Return a value that changes with the documents of a dataset; a list of texts is its texts.

    Of our datasets and of libraries it is a hash of the content, so parts and copies of a
    collection have the same. Other people's datasets are verified when they are downloaded, and do
    not change: they are their collection's id.

    Raises:
        ValueError: neither a dataset nor texts; names the `argument`.
    """
    if isinstance(source, (list, tuple)):
        for text in source:
            if not isinstance(text, str):
                raise ValueError(
                    f"{argument} has {text!r:.80}, which is no text: expected a dataset, or a list "
                    "of texts."
                )
        return tuple(source)

    part = irds(source)
    if hasattr(part, "docs_fingerprint"):
        return part.docs_fingerprint()
    return collection(part)


def identify_records(dataset: DatasetLike, kind: str) -> Hashable:
    """Return a value that changes, in this process, with a dataset's qrels, scoreddocs or the like.

    Of our datasets it is that of the files that the records are read from, see `identify_file`.
    Other people's do not change.
    """
    part = irds(dataset)
    if not hasattr(part, f"{kind}_files"):
        return part, kind

    files = getattr(part, f"{kind}_files")()
    return part.dataset_id(), kind, *[identify_file(file.place()) for file in files]
