"""The ratings of single annotators as one frame, for any collection that keeps them; its checks."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import ir_datasets
import pandas as pd

from .. import datasets, frames
from ..datasets import DatasetLike
from ..settings import dataset_id

REFERENCE = "reference"
PAIR = ["qid", "docno"]
COLUMNS = [*PAIR, "annotator", "rating"]
#: a frame of COLUMNS, or frames of `qid`, `docno`, `rating` by annotator; `label` for `rating`
Ratings: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]


def single_ratings(dataset: DatasetLike) -> pd.DataFrame:
    """Load the ratings of single annotators, and the grades that were made of them.

    Args:
        dataset: an id (``"csfcube/all"``, ``"doris-mae/human"``, ``"made/<name>"``) or a dataset
            object.

    Returns:
        Frame of `qid`, `docno`, `annotator`, `rating` (float; NaN for a missing rating), in the
        collection's order. The annotator ``"reference"`` has the final grade: CSFCube's
        `relevance`, else the qrels (of DORIS-MAE, the majority's).

    Raises:
        ValueError: the dataset has no single ratings.
    """
    source = datasets.irds(dataset)
    if not hasattr(source, "ratings_iter"):
        ratings = _of_parts(source, dataset)
    else:
        ratings = pd.DataFrame(source.ratings_iter(), columns=list(source.ratings_cls()._fields))
        if "annotator" not in ratings:
            ratings = _of_columns(ratings)
        elif source.has_qrels():
            ratings = pd.concat([ratings.set_axis(COLUMNS, axis=1), _qrels(REFERENCE, source)])
    return ratings.set_axis(COLUMNS, axis=1).reset_index(drop=True).astype({"rating": float})


def _of_parts(source: ir_datasets.Dataset, dataset: DatasetLike) -> pd.DataFrame:
    """Load DORIS-MAE's test set, whose annotators are datasets below it (`…/annotator-1`)."""
    below = f"{dataset_id(source)}/annotator-"
    parts = [part for part in ir_datasets.registry if part.startswith(below)]
    if not parts:
        raise ValueError(
            f"{dataset} keeps no ratings of single annotators: pass csfcube/all or a facet of it, "
            "doris-mae/human, or a collection written with `write_collection(annotators=…)`."
        )
    ratings = [_qrels(part.rpartition("/")[2], datasets.irds(part)) for part in parts]
    return pd.concat([*ratings, _qrels(REFERENCE, source)])


def _qrels(annotator: str, dataset: ir_datasets.Dataset) -> pd.DataFrame:
    rows = [(row.query_id, row.doc_id, annotator, row.relevance) for row in dataset.qrels_iter()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_columns(wide: pd.DataFrame) -> pd.DataFrame:
    """Convert CSFCube's frame, which has a column for each annotator."""
    annotators = [REFERENCE, "ann1", "ann2", "ann3", "ann4"]
    long = wide.rename(columns={"relevance": REFERENCE}).melt(
        ["query_id", "doc_id"], annotators, "annotator", "rating", ignore_index=False
    )
    # NaN: this annotator did not rate the query; -1: the rating is missing
    long = long.dropna(subset="rating").sort_index(kind="stable")
    return long.assign(rating=long["rating"].where(long["rating"] >= 0))


def checked(ratings: Ratings, scale: Sequence[float] | None) -> tuple[pd.DataFrame, tuple]:
    """Return the ratings with a new index, and the scale: `scale`, or the grades that occur.

    Raises:
        ValueError: see `agreement`.
    """
    rated = ratings_of(ratings)
    numbers = pd.to_numeric(rated["rating"], errors="coerce").astype(float)
    words = (numbers.isna() & rated["rating"].notna()).tolist()
    frames.refuse_rows(
        rated, "rating", "docno", words, "numbers", "write grades, and NaN for a missing rating"
    )
    rated["rating"] = numbers
    present = rated.dropna(subset="rating")
    if present.empty:
        raise ValueError("no ratings to compare: expected two or more for some document.")
    scale = tuple(sorted(present["rating"].unique()) if scale is None else scale)
    if list(scale) != sorted(set(scale)):
        raise ValueError(f"scale={scale}: expected grades in ascending order, each once.")
    outside = present[~present["rating"].isin(scale)]
    if len(outside):
        named = frames.some(
            f"{row.rating:g} by {row.annotator} for {row.qid} {row.docno}"
            for row in outside.itertuples()
        )
        raise ValueError(
            f"Ratings outside the scale {', '.join(f'{grade:g}' for grade in scale)}: {named}. "
            "Correct them, or make them NaN if the rating is missing."
        )
    return rated, tuple(int(grade) if grade == int(grade) else grade for grade in scale)


def _rated(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with `rating`, which `judge` and qrels call `label`."""
    return frame if "rating" in frame else frame.rename(columns={"label": "rating"})


def _part(part: pd.DataFrame, annotator: str) -> pd.DataFrame:
    """Return one annotator's frame with the columns of all."""
    needed = [[*PAIR, "rating"], [*PAIR, "label"]]
    part = frames.check(part, f"ratings of {annotator!r}", *needed)
    return _rated(part).assign(annotator=annotator)[COLUMNS]


def ratings_of(ratings: Ratings) -> pd.DataFrame:
    """Return ratings as one frame with a new index; a dict's frames are joined.

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: a duplicate rating, an id that is no text.
    """
    if isinstance(ratings, Mapping):
        parts = [_part(part, name) for name, part in ratings.items()]
        ratings = pd.concat(parts or [pd.DataFrame(columns=COLUMNS)])
    else:
        ratings = _rated(ratings)
    ratings = frames.check(
        ratings,
        "ratings",
        COLUMNS,
        remedy="single_ratings returns these columns.",
        keys=COLUMNS[:3],
    )
    return ratings[COLUMNS].reset_index(drop=True)
