"""Ratings of several annotators as one frame: joined from a dict of frames, and checked.

    >>> first = pd.DataFrame({"qid": ["q"], "docno": ["d"], "label": [2]})
    >>> join_ratings({"Ada": first, "Ben": first.assign(label=1)})
      qid docno annotator  rating
    0   q     d       Ada       2
    1   q     d       Ben       1

A missing rating is NaN, or no row.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from .. import frames

REFERENCE = "reference"  # the annotator with the final grades
PAIR = ["qid", "docno"]
RATING_COLUMNS = [*PAIR, "annotator", "rating"]
#: a frame of RATING_COLUMNS, or frames of `qid`, `docno`, `rating` by annotator; `label` for
#: `rating`
Ratings: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]


def join_ratings(ratings: Ratings) -> pd.DataFrame:
    """Return ratings as one frame of RATING_COLUMNS with a new index; a dict's frames are joined.

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: a duplicate rating, an id that is no text.
    """
    if isinstance(ratings, Mapping):
        frames_of_annotators = [_name_annotator(frame, name) for name, frame in ratings.items()]
        no_ratings = pd.DataFrame(columns=RATING_COLUMNS)
        joined = pd.concat(frames_of_annotators) if frames_of_annotators else no_ratings
    else:
        joined = _rename_label(ratings)

    joined = frames.check(
        joined,
        "ratings",
        RATING_COLUMNS,
        remedy="single_ratings returns these columns.",
        keys=[*PAIR, "annotator"],
    )
    return joined[RATING_COLUMNS].reset_index(drop=True)


def _name_annotator(frame: pd.DataFrame, annotator: str) -> pd.DataFrame:
    """Return one annotator's frame with the columns of all."""
    with_rating = [*PAIR, "rating"]
    with_label = [*PAIR, "label"]
    frame = frames.check(frame, f"ratings of {annotator!r}", with_rating, with_label)
    return _rename_label(frame).assign(annotator=annotator)[RATING_COLUMNS]


def _rename_label(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with `rating`, which `judge` and qrels call `label`."""
    return frame if "rating" in frame else frame.rename(columns={"label": "rating"})


def check_ratings(ratings: Ratings) -> pd.DataFrame:
    """Return the ratings as `join_ratings` does, as floats.

    Raises:
        ValueError: see `join_ratings`; ratings that are no numbers; not a single rating.
    """
    rated = join_ratings(ratings)
    numbers = pd.to_numeric(rated["rating"], errors="coerce").astype(float)
    is_no_number = numbers.isna() & rated["rating"].notna()
    frames.refuse_rows(
        rated,
        column="rating",
        by="docno",
        is_bad=is_no_number.tolist(),
        expected="numbers",
        remedy="write grades, and NaN for a missing rating",
    )
    rated["rating"] = numbers

    if rated["rating"].isna().all():
        raise ValueError("no ratings to compare: expected two or more for some document.")
    return rated


def check_scale(rated: pd.DataFrame, scale: Sequence[float] | None) -> tuple[float, ...]:
    """Return the scale, with whole grades as int; by default the grades that occur.

    rated: as from `check_ratings`.

    Raises:
        ValueError: a scale that does not ascend, a rating outside the scale.
    """
    present = rated.dropna(subset="rating")
    if scale is None:
        grades = sorted(present["rating"].unique())
    else:
        grades = list(scale)
    if grades != sorted(set(grades)):
        raise ValueError(f"scale={scale}: expected grades in ascending order, each once.")

    outside = present[~present["rating"].isin(grades)]
    if len(outside):
        raise ValueError(_describe_outside(outside, grades))
    return tuple(int(grade) if grade == int(grade) else grade for grade in grades)


def _describe_outside(outside: pd.DataFrame, grades: Sequence[float]) -> str:
    scale = ", ".join(f"{grade:g}" for grade in grades)
    outside_ratings = frames.some(
        f"{row.rating:g} by {row.annotator} for {row.qid} {row.docno}"
        for row in outside.itertuples()
    )
    return (
        f"Ratings outside the scale {scale}: {outside_ratings}. "
        "Correct them, or make them NaN if the rating is missing."
    )
