"""Check what columns hold; each function raises a ValueError that names the bad rows.

A row is named by its id in column `by`, or by its position if the frame has no column of ids.
"""

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

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
        if bad := [value for value in values.tolist() if not isinstance(value, str)]:
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
