"""What single annotators said, of any collection that keeps it, as one frame; and its checks."""

from collections.abc import Mapping

import pandas as pd

from .. import frames
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
    wide = wide.rename(columns={"relevance": REFERENCE})
    people = [REFERENCE, *(f"ann{n}" for n in (1, 2, 3, 4))]
    long = wide.melt(["query_id", "doc_id"], people, "annotator", "rating", ignore_index=False)
    # who did not rate the query, rated none of it
    long = long.dropna(subset="rating").sort_index(kind="stable")
    return _named(long.assign(rating=long["rating"].where(long["rating"] >= 0)))


def _named(ratings):
    ratings = ratings.set_axis(COLUMNS, axis=1).reset_index(drop=True)
    return ratings.assign(rating=ratings["rating"].astype(float))


def checked(ratings, scale):
    """The ratings with new row numbers, and the scale: what is given, or the grades that occur.

    Raises:
        ValueError: see `agreement`.
    """
    rated = ratings_of(ratings)
    numbers = pd.to_numeric(rated["rating"], errors="coerce").astype(float)
    words = numbers.isna() & rated["rating"].notna()
    remedy = "write grades, and NaN for a missing rating"
    frames.refuse(rated, "rating", "docno", words.tolist(), "numbers", remedy)
    rated["rating"] = numbers
    given = rated.dropna(subset="rating")
    if given.empty:
        raise ValueError("no ratings to compare: expected two or more for some document.")
    scale = tuple(sorted(given["rating"].unique())) if scale is None else tuple(scale)
    if list(scale) != sorted(set(scale)):
        raise ValueError(f"scale={scale}: expected grades in ascending order, each once.")
    _within(given, scale)
    return rated, tuple(int(grade) if grade == int(grade) else grade for grade in scale)


def ratings_of(ratings):
    """Ratings as one frame with new row numbers: a frame as it is, or a dict's frames joined.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a rating twice, an id that is no text.
    """
    if isinstance(ratings, Mapping):
        by_one = [
            found.rename(columns={"label": "rating"}).assign(annotator=name)[COLUMNS]
            for name, found in ratings.items()
        ]
        ratings = pd.concat(by_one or [pd.DataFrame(columns=COLUMNS)])
    ratings = frames.check(
        ratings, "ratings", COLUMNS, remedy="single_ratings gives these columns.", keys=COLUMNS[:3]
    )
    return ratings[COLUMNS].reset_index(drop=True)


def _within(given, scale):
    outside = given[~given["rating"].isin(scale)]
    if len(outside):
        named = frames.some(
            f"{row.rating:g} by {row.annotator} for {row.qid} {row.docno}"
            for row in outside.itertuples()
        )
        raise ValueError(
            f"Ratings outside the scale {', '.join(f'{grade:g}' for grade in scale)}: {named}. "
            "Correct them, or make them NaN where they stand for a missing rating."
        )
