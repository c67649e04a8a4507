"""What single annotators said, of any collection that keeps it, as one frame."""

import pandas as pd

from ..datasets import irds
from ..settings import dataset_id

REFERENCE = "reference"
COLUMNS = ["qid", "docno", "annotator", "rating"]


def single_ratings(dataset):
    """The single annotators' ratings of a dataset, and what was made of them.

    Args:
        dataset: an id (``"csfcube/all"``, ``"doris-mae/human"``, ``"made/<name>"``) or a dataset
            object.

    Returns:
        Frame of `qid`, `docno`, `annotator`, `rating` (float; NaN where a rating is missing), in
        the collection's order. The annotator ``"reference"`` is the adjudicated grade: CSFCube's
        `relevance`, else the qrels (DORIS-MAE's are the majority's).

    Raises:
        ValueError: the dataset keeps no single ratings.
    """
    found = irds(dataset)
    if not hasattr(found, "ratings_iter"):
        return _of_datasets(found, dataset)
    ratings = pd.DataFrame(found.ratings_iter(), columns=list(found.ratings_cls()._fields))
    if "annotator" not in ratings:
        return _one_each(ratings)
    if found.has_qrels():
        ratings = pd.concat([ratings.set_axis(COLUMNS, axis=1), _by(REFERENCE, found)])
    return _named(ratings)


def _of_datasets(found, dataset):
    """Those of `…/annotator-1` and so on, datasets below it, which DORIS-MAE's test set has."""
    import ir_datasets

    name = dataset_id(found)
    people = [other for other in ir_datasets.registry if other.startswith(f"{name}/annotator-")]
    if not people:
        raise ValueError(
            f"{dataset} keeps no ratings of single annotators: csfcube/all and its facets do, "
            "doris-mae/human, and collections that write_collection was given `annotators` for."
        )
    parts = [_by(other.rpartition("/")[2], irds(other)) for other in people]
    return _named(pd.concat([*parts, _by(REFERENCE, found)]))


def _by(annotator, dataset):
    rows = [(row.query_id, row.doc_id, annotator, row.relevance) for row in dataset.qrels_iter()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _one_each(wide):
    """CSFCube's columns, one for each annotator, of which those of a query have values."""
    columns = {"relevance": REFERENCE, **{f"ann{n}": f"ann{n}" for n in (1, 2, 3, 4)}}
    parts = []
    for column, annotator in columns.items():
        part = wide[["query_id", "doc_id"]].assign(annotator=annotator, rating=wide[column])
        parts.append(part.dropna(subset="rating"))  # who did not rate the query, rated none of it
    whole = pd.concat(parts).sort_index(kind="stable")
    return _named(whole.assign(rating=whole["rating"].where(whole["rating"] >= 0)))


def _named(ratings):
    ratings = ratings.set_axis(COLUMNS, axis=1).reset_index(drop=True)
    return ratings.assign(rating=ratings["rating"].astype(float))
