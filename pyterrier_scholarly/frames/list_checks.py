"""Check columns of lists; each function raises a ValueError that names the bad rows.

A list that several rows share is checked once; all lists together take a third of the time.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from .column_checks import refuse
from .row_groups import LISTS, numbered

NUMBERS = (int, float, np.integer, np.floating)


def sentences_only(
    frame: pd.DataFrame,
    column: str,
    by: str = "qid",
    empty: bool = False,
    remedy: str = "split texts (`Sentences()`), and drop what is blank",
) -> None:
    """Check that `column` holds lists (tuples, arrays) of texts, none of them blank.

    A list without items is allowed only if `empty` is true.
    """
    kind = "a list of texts" if empty else "a list with at least one text"
    _lists_only(
        frame,
        by,
        [column],
        partial(_all_texts, empty=empty),
        f"{kind}, none of them empty",
        remedy,
    )


def labels_only(frame: pd.DataFrame, column: str, of: str, by: str = "qid") -> None:
    """Check that `column` holds lists of texts: a label per sentence of column `of`, if present."""
    columns = [of if of in frame.columns else column, column]
    expected = f'one label per sentence of {of!r} (a list of texts, "" for none)'
    _lists_only(frame, by, columns, _all_labels, expected)


def positions_only(
    frame: pd.DataFrame, column: str, by: str = "qid", missing: bool = True, of: str = ""
) -> None:
    """Check that `column` holds lists of whole numbers: one per sentence of column `of`, if given.

    None and NaN are allowed only if `missing` is true.
    """
    _lists_only(
        frame,
        by,
        [column],
        lambda lists: all(_positions(value, missing) for value in lists),
        f"lists of positions (whole numbers from 0){', or None' if missing else ''}",
    )
    if of in frame.columns:
        _lists_only(
            frame,
            by,
            [of, column],
            lambda sentences, lists: list(map(len, sentences)) == list(map(len, lists)),
            f"one position per sentence of {of!r}",
            "drop the same sentences from both columns, or drop this column",
        )


def weights_only(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds lists of weights: finite numbers from 0, not all of them 0."""
    _lists_only(
        frame,
        by,
        [column],
        lambda lists: all(map(_are_weights, lists)),
        "lists of weights (finite numbers, none below 0, one above 0)",
    )


def _lists_only(
    frame: pd.DataFrame,
    by: str,
    columns: list[str],
    good: Callable[..., bool],
    expected: str,
    remedy: str = "fill it, or drop the column",
) -> None:
    """Refuse rows of the last of `columns` if `good` is false for their lists in `columns`.

    `good` takes, for each of `columns`, several lists: first those of all rows, which is faster.
    """
    numbers, first = numbered(frame, columns)
    lists = [frame[name].iloc[first].tolist() for name in columns]
    if not good(*lists):
        bad = np.array([not good(*([value] for value in row)) for row in zip(*lists)])
        refuse(frame, columns[-1], by, bad[numbers].tolist(), expected, remedy)


def _all_texts(lists: list, empty: bool) -> bool:
    """Return whether all are lists of texts that are not blank."""
    try:
        return (
            all(issubclass(kind, LISTS) for kind in set(map(type, lists)))
            and (empty or all(map(len, lists)))
            and all(map(str.strip, chain.from_iterable(lists)))
        )
    except TypeError:  # an item is no string, or an array has no dimension
        return False


def _all_labels(sentences: list, labels: list) -> bool:
    """Return whether all lists of `labels` hold one text per sentence."""
    try:
        return (
            all(issubclass(kind, LISTS) for kind in {*map(type, sentences), *map(type, labels)})
            and list(map(len, sentences)) == list(map(len, labels))
            and all(issubclass(kind, str) for kind in set(map(type, chain(*labels))))
        )
    except TypeError:  # an array has no dimension
        return False


def _are_weights(value: Any) -> bool:
    """Return whether `value` is a list of weights."""
    is_list = isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0
    if not is_list or not all(isinstance(item, NUMBERS) for item in value):
        return False
    try:
        weights = np.array([float(item) for item in value])
    except OverflowError:  # a whole number beyond the largest float
        return False
    with np.errstate(over="ignore"):
        total = weights.sum()
    return bool((weights >= 0).all() and 0 < total < np.inf)  # false of NaN


def _positions(value: Any, missing: bool) -> bool:
    """Return whether `value` is a list of whole numbers, or, if allowed, None or NaN."""
    if value is None or isinstance(value, float):
        return missing and (value is None or value != value)
    is_list = isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0
    return is_list and all(isinstance(item, (int, np.integer)) for item in value)
