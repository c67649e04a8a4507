"""Check what columns hold; each function raises a ValueError that names the bad rows.

A row is named by its id in column `by`, or by its position if the frame has no column of ids.
A list that several rows share is checked once; all lists together take a third of the time.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from .keys import LISTS, numbered

SHOWN = 5  # how many values an error names
KEYS = ("paragraph_id", "query_id", "doc_id")  # columns that name a row if `by` is missing
NUMBERS = ("floating", "integer", "mixed-integer-float", "boolean")


def some(values: Iterable[object]) -> str:
    """Join the first five of `values`, and say how many more there are."""
    texts = [str(value) for value in values]
    more = len(texts) - SHOWN
    return ", ".join(texts[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def no_duplicates(frame: pd.DataFrame, columns: list[str]) -> None:
    """Check that no two rows of `frame` agree in all of `columns`."""
    duplicate = frame.duplicated(columns)
    if duplicate.any():
        rows = frame[columns][duplicate].drop_duplicates().itertuples(index=False)
        raise ValueError(
            f"Duplicate {' '.join(columns)}: {some(' '.join(map(str, row)) for row in rows)}. "
            f"Each may occur once: drop repeated rows (`drop_duplicates({columns})`)."
        )


def has_text(value: object) -> bool:
    """Return whether `value` is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def ids_only(frame: pd.DataFrame, column: str) -> None:
    """Check that `column` holds texts: the number 1 and the text "1" would be different ids."""
    values = frame[column]
    if not _strings(values):
        bad = [value for value in values.tolist() if not isinstance(value, str)]
        if bad:
            raise ValueError(
                f"Column {column!r} must hold texts; it holds {_named(bad)}: drop rows without a "
                f"value, and convert the others with `frame.astype({{{column!r}: str}})`."
            )
    if values.dtype == object:
        try:
            "".join(values.tolist()).encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Column {column!r} must hold texts that UTF-8 can encode; one has "
                f"{error.object[error.start]!r}, half a surrogate pair: give these rows other ids."
            ) from None


def numbers_only(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds finite numbers: no text, None, NaN or infinity."""
    values = frame[column]
    if _numbers(values):
        return
    if isinstance(values.dtype, pd.CategoricalDtype):
        raise ValueError(
            f"Column {column!r} must hold finite numbers, not categories such as "
            f"{_named(values[:1])}: convert it with `frame.astype({{{column!r}: float}})`."
        )
    bad = [not _finite(value) for value in values.tolist()]
    remedy = "convert texts with `pandas.to_numeric`, and drop rows without a number"
    refuse(frame, column, by, bad, "finite numbers", remedy)


def texts_only(frame: pd.DataFrame, column: str, by: str = "qid", blank: bool = False) -> None:
    """Check that `column` holds texts; blank ones are allowed only if `blank` is true."""
    if blank and _strings(frame[column]):
        return
    values = frame[column].tolist()  # ten times as fast as to iterate over the column
    bad = [not (isinstance(value, str) if blank else has_text(value)) for value in values]
    expected = "a text" if blank else "a text that is not empty"
    refuse(frame, column, by, bad, expected, "fill it, or drop these rows")


def sentences_only(frame: pd.DataFrame, column: str, by: str = "qid", empty: bool = False) -> None:
    """Check that `column` holds lists (tuples, arrays) of texts, none of them blank.

    A list without items is allowed only if `empty` is true.
    """
    good = partial(_all_texts, empty=empty)
    kind = "a list of texts" if empty else "a list with at least one text"
    remedy = "split texts (`Sentences()`), and drop what is blank"
    _lists_only(frame, column, by, [column], good, f"{kind}, none of them empty", remedy)


def labels_only(frame: pd.DataFrame, column: str, of: str, by: str = "qid") -> None:
    """Check that `column` holds lists of texts: a label per sentence of column `of`, if present."""
    columns = [of if of in frame.columns else column, column]
    expected = f'one label per sentence of {of!r} (a list of texts, "" for none)'
    _lists_only(frame, column, by, columns, _all_labels, expected, "fill it, or drop the column")


def positions_only(frame: pd.DataFrame, column: str, by: str = "qid", missing: bool = True) -> None:
    """Check that `column` holds lists of whole numbers.

    None and NaN are allowed only if `missing` is true.
    """
    good = partial(_all_positions, missing=missing)
    expected = f"lists of positions (whole numbers from 0){', or None' if missing else ''}"
    _lists_only(frame, column, by, [column], good, expected, "fill it, or drop the column")


def refuse(
    frame: pd.DataFrame, column: str, by: str, bad: list[bool], expected: str, remedy: str
) -> None:
    """Raise a ValueError that names rows and values of `column` if any row is `bad`."""
    if not any(bad):
        return
    wrong = np.array(bad)
    name = next((name for name in (by, *KEYS) if name in frame.columns), None)
    rows = np.flatnonzero(wrong) if name is None else dict.fromkeys(frame[name][wrong])
    raise ValueError(
        f"Column {column!r} must hold {expected}; it does not for "
        f"{name or 'row'} {some(rows)}: {remedy}. "
        f"Found: {_named(frame[column][wrong])}."
    )


def _lists_only(
    frame: pd.DataFrame,
    column: str,
    by: str,
    columns: list[str],
    good: Callable[..., bool],
    expected: str,
    remedy: str,
) -> None:
    """Refuse rows of `column` if `good` is false for their lists, which are in `columns`.

    `good` takes, for each of `columns`, several lists: first those of all rows, which is faster.
    """
    numbers, first = numbered(frame, columns)
    lists = [frame[name].iloc[first].tolist() for name in columns]
    if not good(*lists):
        bad = np.array([not good(*([value] for value in row)) for row in zip(*lists)])
        refuse(frame, column, by, bad[numbers].tolist(), expected, remedy)


def _all_texts(lists: list, empty: bool) -> bool:
    """Return whether all are lists of texts that are not blank."""
    try:
        filled = empty or all(map(len, lists))
        known = all(issubclass(kind, LISTS) for kind in set(map(type, lists)))
        return known and filled and all(map(str.strip, chain.from_iterable(lists)))
    except TypeError:  # an item is no string, or an array has no dimension
        return False


def _all_labels(sentences: list, labels: list) -> bool:
    """Return whether all lists of `labels` hold one text per sentence."""
    if not all(issubclass(kind, LISTS) for kind in {*map(type, sentences), *map(type, labels)}):
        return False
    try:
        fitting = list(map(len, sentences)) == list(map(len, labels))
    except TypeError:  # an array has no dimension
        return False
    return fitting and all(issubclass(kind, str) for kind in set(map(type, chain(*labels))))


def _all_positions(lists: list, missing: bool) -> bool:
    """Return whether all are lists of whole numbers, or, if allowed, None or NaN."""
    return all(_positions(value, missing) for value in lists)


def _positions(value: Any, missing: bool) -> bool:
    if value is None or isinstance(value, float):
        return missing and (value is None or value != value)
    is_list = isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0
    return is_list and all(isinstance(item, (int, np.integer)) for item in value)


def _strings(values: pd.Series) -> bool:
    """Return whether a column holds only strings; False if each value must be checked."""
    return infer_dtype(values, skipna=False) == "string" and not values.hasnans


def _numbers(values: pd.Series) -> bool:
    """Return whether a column holds only finite numbers; False if each value must be checked."""
    try:
        known = infer_dtype(values, skipna=False) in NUMBERS
        return known and np.isfinite(values.to_numpy(dtype=float, na_value=np.nan)).all()
    except OverflowError:  # a whole number beyond the largest float
        return False


def _finite(value: Any) -> bool:
    try:
        return not isinstance(value, (str, bytes)) and isfinite(value)
    except (TypeError, ValueError, OverflowError):  # no number, or beyond the largest float
        return False


def _named(values: Iterable[object]) -> str:
    """Write distinct values with their types; long ones are truncated."""
    return some(dict.fromkeys(f"{value!r:.60} ({type(value).__name__})" for value in values))
