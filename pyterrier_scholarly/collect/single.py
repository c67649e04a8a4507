"""What single annotators said, of any collection that keeps it, as one frame."""

import pandas as pd

from ..datasets import irds

REFERENCE = "reference"
COLUMNS = ["qid", "docno", "annotator", "rating"]


def single_ratings(dataset):
    """The single annotators' ratings of a dataset, and what was made of them.

    Args:
        dataset: an id (``"csfcube/all"``, ``"made/<name>"``) or a dataset object.

    Returns:
        Frame of `qid`, `docno`, `annotator`, `rating` (float; NaN where a rating is missing), in
        the collection's order. The annotator ``"reference"`` is the adjudicated grade: CSFCube's
        `relevance`, else the qrels.

    Raises:
        ValueError: the dataset keeps no single ratings.
    """
    found = irds(dataset)
    if not hasattr(found, "ratings_iter"):
        raise ValueError(
            f"{dataset} keeps no ratings of single annotators: csfcube/all and its facets do, and "
            "collections that write_collection was given `annotators` for."
        )
    ratings = pd.DataFrame(found.ratings_iter(), columns=list(found.ratings_cls()._fields))
    if "annotator" not in ratings:
        return _one_each(ratings)
    reference = pd.DataFrame(
        [(row.query_id, row.doc_id, REFERENCE, row.relevance) for row in found.qrels_iter()]
        if found.has_qrels()
        else [],
        columns=list(ratings.columns),
    )
    return _named(pd.concat([ratings, reference], ignore_index=True))


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
