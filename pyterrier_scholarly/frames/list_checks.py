"""Check what a column of lists holds: sentences, their labels, positions or weights.

    check_sentences(frame, "sentences", by="docno", empty=True)

A list is a list, a tuple or an array. Errors name the bad rows by their ids in column `by`.

A frame may hold a million sentences, so there are two paths. The fast one asks about all lists
together, so that loops run inside Python's own functions (`chain`, `map`); it takes a third of the
time and says only whether all are good. If not, the slow path asks about each list alone, to name
the bad ones. Rows that share a list are all looked at. So whoever has long lists that many rows
share passes one of these rows, as `frame_checks` does.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from .column_checks import refuse_rows
from .row_groups import LISTS

WHOLE_NUMBERS = (int, np.integer)
NUMBERS = (*WHOLE_NUMBERS, float, np.floating)


def check_sentences(
    frame: pd.DataFrame,
    column: str,
    by: str = "qid",
    empty: bool = False,
    remedy: str = "split texts (`Sentences()`), and drop what is blank",
) -> None:
    """Check that `column` holds lists of texts, none of them blank.

    A list without items is allowed only if `empty` is true.
    """
    kind = "a list of texts" if empty else "a list with at least one text"
    expected = f"{kind}, none of them empty"
    are_good = partial(_are_sentences, may_be_empty=empty)
    _check_lists(frame, [column], by, are_good, expected, remedy)


def check_labels(frame: pd.DataFrame, column: str, of: str, by: str = "qid") -> None:
    """Check that `column` holds lists of texts: a label per sentence of column `of`, if present."""
    sentences_column = of if of in frame.columns else column
    expected = f'one label per sentence of {of!r} (a list of texts, "" for none)'
    _check_lists(frame, [sentences_column, column], by, _are_labels, expected)


def check_positions(
    frame: pd.DataFrame, column: str, by: str = "qid", missing: bool = True, of: str = ""
) -> None:
    """Check that `column` holds lists of whole numbers: one per sentence of column `of`, if given.

    None and NaN are allowed only if `missing` is true.
    """
    expected = f"lists of positions (whole numbers from 0){', or None' if missing else ''}"
    are_good = partial(_are_positions, missing=missing)
    _check_lists(frame, [column], by, are_good, expected)

    if of in frame.columns:
        expected = f"one position per sentence of {of!r}"
        remedy = "drop the same sentences from both columns, or drop this column"
        _check_lists(frame, [of, column], by, _are_of_equal_lengths, expected, remedy)


def check_weights(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds lists of weights: finite numbers from 0, not all of them 0."""
    expected = "lists of weights (finite numbers, none below 0, one above 0)"
    _check_lists(frame, [column], by, _are_weights, expected)


def is_list(value: object) -> bool:
    """Return whether a value of a column is a list, a tuple, or an array with items."""
    return isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0


def _check_lists(
    frame: pd.DataFrame,
    columns: list[str],
    by: str,
    are_good: Callable[..., bool],
    expected: str,
    remedy: str = "fill it, or drop the column",
) -> None:
    """Raise ValueError for rows with bad lists in `columns`; it is about the last of these columns.

    are_good: a function that takes, for each of `columns`, the values of some rows, and returns
        whether all these rows are good. With ``["sentences", "labels"]`` it is called as
        ``are_good(sentences_of_rows, labels_of_rows)``.
    """
    values_of_columns = [frame[name].tolist() for name in columns]
    if are_good(*values_of_columns):  # the fast path: all rows at once
        return

    # the slow path: each row alone, to find the bad ones
    is_bad_row = [not _is_good_row(are_good, row_values) for row_values in zip(*values_of_columns)]
    refuse_rows(frame, columns[-1], by, is_bad_row, expected, remedy)


def _is_good_row(are_good: Callable[..., bool], row_values: Iterable[object]) -> bool:
    """Return whether `are_good` accepts one row, with a value for each column that it compares."""
    columns_of_one_row = [[value] for value in row_values]
    return are_good(*columns_of_one_row)


def _are_sentences(values: Sequence[Any], may_be_empty: bool) -> bool:
    """Return whether all values are lists of texts that are not blank.

    may_be_empty: whether a list without texts is accepted.
    """
    if not _are_lists(values):
        return False
    try:
        # `map` calls Python's own functions without a loop of ours: quick, for a million texts
        lengths = map(len, values)
        if not may_be_empty and not all(lengths):  # a length is 0
            return False
        texts = list(chain.from_iterable(values))
        has_only_spaces = any(map(str.isspace, texts))  # not `strip`, which copies texts
        return not has_only_spaces and all(texts)  # none is ""
    except TypeError:  # an item is no string, or an array has no dimension
        return False


def _are_labels(sentences: Sequence[Any], labels: Sequence[Any]) -> bool:
    """Return whether all values of `labels` are lists of texts, one for each sentence."""
    if not _are_lists(sentences) or not _are_lists(labels):
        return False
    if not _are_of_equal_lengths(sentences, labels):
        return False

    return _are_of_types(chain.from_iterable(labels), str)


def _are_positions(values: Sequence[Any], missing: bool) -> bool:
    """Return whether all values are lists of whole numbers.

    missing: whether None and NaN are accepted in place of a list.
    """
    lists = values
    if missing and not _are_lists(values):
        lists = [value for value in values if not _is_missing(value)]
    if not _are_lists(lists):
        return False
    try:
        return _are_of_types(chain.from_iterable(lists), WHOLE_NUMBERS)
    except TypeError:  # an array has no dimension
        return False


def _are_of_equal_lengths(first_lists: Sequence[Any], second_lists: Sequence[Any]) -> bool:
    """Return whether the two lists of each row are equally long."""
    try:
        return list(map(len, first_lists)) == list(map(len, second_lists))
    except TypeError:  # a value is no list, or an array without a dimension
        return False


def _are_weights(values: Sequence[Any]) -> bool:
    """Return whether all values are lists of weights."""
    return all(_is_list_of_weights(value) for value in values)


def _is_list_of_weights(value: Any) -> bool:
    """Return whether a value is a list of finite numbers from 0 whose sum is finite and above 0."""
    if not is_list(value) or not _are_of_types(value, NUMBERS):
        return False
    try:
        weights = np.array([float(item) for item in value])
    except OverflowError:  # a whole number beyond the largest float
        return False

    with np.errstate(over="ignore"):  # a sum beyond the largest float is infinite, and refused
        total = weights.sum()
    are_at_least_zero = (weights >= 0).all()  # NaN is not
    return bool(are_at_least_zero and 0 < total < np.inf)


def _are_lists(values: Sequence[Any]) -> bool:
    """Return whether all values have the type of a list."""
    return _are_of_types(values, LISTS)


def _are_of_types(values: Iterable[Any], types: type | tuple[type, ...]) -> bool:
    """Return whether all values are instances of `types`; quick, as few types are among many."""
    distinct_types = set(map(type, values))
    return all(issubclass(distinct_type, types) for distinct_type in distinct_types)


def _is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN, as `pandas.concat` puts where a column is absent."""
    return value is None or (isinstance(value, float) and value != value)
