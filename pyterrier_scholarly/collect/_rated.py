"""Ratings as they come in, checked: numbers on a scale, one of each annotator for a document."""

from collections.abc import Mapping

import pandas as pd

from .. import frames
from .single import COLUMNS

REMEDY = "single_ratings gives these columns."


def checked(ratings, scale):
    """The ratings with new row numbers, and the scale: what is given, or the grades that occur.

    Raises:
        ValueError: see `agreement`.
    """
    rated = ratings_of(ratings)
    rated["rating"] = _numbers(rated["rating"])
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
    ratings = frames.check(ratings, "ratings", COLUMNS, remedy=REMEDY, keys=COLUMNS[:3])
    return ratings[COLUMNS].reset_index(drop=True)


def _numbers(ratings):
    numbers = pd.to_numeric(ratings, errors="coerce").astype(float)
    words = ratings[numbers.isna() & ratings.notna()]
    if len(words):
        raise ValueError(
            f"Ratings that are no numbers: {frames.some(map(repr, words.unique()))}. Expected "
            "grades, and NaN for a missing rating."
        )
    return numbers


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
