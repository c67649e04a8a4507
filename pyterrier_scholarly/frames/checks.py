"""What columns may hold: each function raises ValueError, naming the rows, where one does not.

A row is named by its `by`, a column of ids, or by its position where the frame has no such column.
Columns of strings are checked at once.
"""

from math import isfinite

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

SHOWN = 5  # how many offenders an error names
KEYS = ("paragraph_id", "query_id", "doc_id")  # which name a row where no column is called `by`
NUMBERS = ("floating", "integer", "mixed-integer-float", "boolean")


def some(values) -> str:
    """The first few of `values`, and how many more there are."""
    values = [str(value) for value in values]
    more = len(values) - SHOWN
    return ", ".join(values[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def no_duplicates(frame, columns):
    """Raise ValueError, naming them, if rows of `frame` agree in all of `columns`."""
    twice = frame.duplicated(columns)
    if twice.any():
        rows = frame[columns][twice].drop_duplicates().itertuples(index=False)
        raise ValueError(
            f"Duplicate {' '.join(columns)}: {some(' '.join(map(str, row)) for row in rows)}. "
            f"Each may occur once: drop repeated rows (`drop_duplicates({columns})`)."
        )


def has_text(value) -> bool:
    """Whether `value` is a string with more than blanks in it."""
    return isinstance(value, str) and bool(value.strip())


def ids_only(frame, column):
    """Check that `column` holds texts: ids that are numbers would be told apart from their texts.

    Raises:
        ValueError: another value; names it.
    """
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
                f"Column {column!r} must hold texts that UTF-8 can hold; one has "
                f"{error.object[error.start]!r}, half a surrogate pair: give these rows other ids."
            ) from None


def numbers_only(frame, column, by="qid"):
    """Check that `column` holds finite numbers.

    Raises:
        ValueError: a text, None, NaN, an infinite number; names it and its rows' `by`.
    """
    values = frame[column]
    if _numbers(values):
        return
    if isinstance(values.dtype, pd.CategoricalDtype):
        raise ValueError(
            f"Column {column!r} must hold finite numbers, not categories such as "
            f"{_named(values[:1])}: convert it with `frame.astype({{{column!r}: float}})`."
        )
    values = values.tolist()
    bad = [not _finite(value) for value in values]
    remedy = "convert texts with `pandas.to_numeric`, and drop rows without a number"
    refuse(frame, column, by, bad, "finite numbers", remedy)


def texts_only(frame, column, by="qid", blank=False):
    """Check that `column` holds texts, which may be blank only if `blank` is true.

    Raises:
        ValueError: a value is no text (NaN) or is blank; names the rows' `by`.
    """
    if blank and _strings(frame[column]):
        return
    values = frame[column].tolist()  # ten times as fast as to iterate over it
    bad = [not (isinstance(value, str) if blank else has_text(value)) for value in values]
    kind = "a text" if blank else "a text that is not empty"
    refuse(frame, column, by, bad, kind, "fill it, or drop these rows")


def refuse(frame, column, by, bad, expected, remedy):
    """Raise ValueError, naming rows and values, if rows of `column` are `bad` (a list of bools)."""
    if not any(bad):
        return
    wrong = np.array(bad)
    by = next((name for name in (by, *KEYS) if name in frame.columns), None)
    rows = np.flatnonzero(wrong) if by is None else dict.fromkeys(frame[by][wrong])
    raise ValueError(
        f"Column {column!r} must hold {expected}; it does not for "
        f"{by or 'row'} {some(rows)}: {remedy}. "
        f"Found: {_named(frame[column][wrong])}."
    )


def _strings(values) -> bool:
    """Whether a column holds strings alone; False if only a look at each value can tell."""
    return infer_dtype(values, skipna=False) == "string" and not values.hasnans


def _numbers(values) -> bool:
    """Whether a column holds finite numbers alone; False if only a look at each value can tell."""
    try:
        known = infer_dtype(values, skipna=False) in NUMBERS
        return known and np.isfinite(values.to_numpy(dtype=float, na_value=np.nan)).all()
    except OverflowError:  # of a whole number
        return False


def _finite(value) -> bool:
    try:
        return not isinstance(value, (str, bytes)) and isfinite(value)
    except (TypeError, ValueError, OverflowError):  # no number, or beyond the largest float
        return False


def _named(values) -> str:
    """Values as they are written, each once, cut where they are long."""
    return some(dict.fromkeys(f"{value!r:.60} ({type(value).__name__})" for value in values))
