"""Check what a column of texts, ids, numbers or lists holds.

    check_texts(frame, "query")  # ValueError: Column 'query' must hold …; it does not for qid 7 …

Each check first looks at the column as a whole, which is fast; only if that is not enough, at each
value. Its error names the bad rows by their ids in column `by`, or by their positions if the frame
has no column of ids; the first one by its query and its document.
"""

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ..choices import some

#: columns that name a row if column `by` is missing
OTHER_IDS = ("paragraph_id", "query_id", "doc_id", "docno")
#: what pandas calls columns of numbers
NUMBER_KINDS = ("floating", "integer", "mixed-integer-float", "boolean")


def check_ids(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds texts: the number 1 and the text "1" would be different ids."""
    values = frame[column]
    if not _are_strings(values):
        is_bad = [not isinstance(value, str) for value in values.tolist()]
        remedy = (
            "drop rows without a value, and convert the others with "
            f"`frame.astype({{{column!r}: str}})`"
        )
        refuse_rows(frame, column, by, is_bad, "texts", remedy)

    if values.dtype == object:  # pandas' own strings are encoded already
        try:
            "".join(values.tolist()).encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Column {column!r} must hold texts that UTF-8 can encode; one has "
                f"{error.object[error.start]!r}, half a surrogate pair: give these rows other ids."
            ) from None


def check_duplicates(frame: pd.DataFrame, columns: list[str]) -> None:
    """Check that no two rows of `frame` agree in all of `columns`."""
    is_duplicate = frame.duplicated(columns)
    if not is_duplicate.any():
        return

    duplicates = frame[columns][is_duplicate].drop_duplicates()
    rows = [" ".join(map(str, row)) for row in duplicates.itertuples(index=False)]
    raise ValueError(
        f"Duplicate {' '.join(columns)}: {some(rows)}. "
        f"Each may occur once: drop repeated rows (`drop_duplicates({columns})`)."
    )


def check_numbers(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds finite numbers: no text, None, NaN or infinity."""
    values = frame[column]
    if _are_finite_numbers(values):
        return

    is_bad = [not _is_finite_number(value) for value in values.tolist()]
    remedy = "convert texts with `pandas.to_numeric`, and drop rows without a number"
    refuse_rows(frame, column, by, is_bad, "finite numbers", remedy)


def check_texts(frame: pd.DataFrame, column: str, by: str = "qid", blank: bool = False) -> None:
    """Check that `column` holds texts; blank ones are allowed only if `blank` is true."""
    if blank and _are_strings(frame[column]):
        return

    is_good = _is_text if blank else has_text
    values = frame[column].tolist()  # ten times as fast as to iterate over the column
    is_bad = [not is_good(value) for value in values]
    expected = "a text" if blank else "a text that is not empty"
    refuse_rows(frame, column, by, is_bad, expected, "fill it, or drop these rows")


def check_text_lists(
    frame: pd.DataFrame, column: str, by: str = "qid", remedy: str = "fill it, or drop these rows"
) -> None:
    """Check that `column` holds lists (or tuples, arrays) of texts, none of them blank or empty."""
    is_bad = [not _is_text_list(value) for value in frame[column].tolist()]
    expected = "a list with at least one text, none of them empty"
    refuse_rows(frame, column, by, is_bad, expected, remedy)


def refuse_rows(
    frame: pd.DataFrame, column: str, by: str, is_bad: list[bool], expected: str, remedy: str
) -> None:
    """Raise a ValueError that names rows and values of `column` if any row is bad.

    expected: what the column must hold. remedy: what to do. Both go into a sentence.
    """
    if not any(is_bad):
        return

    bad = np.array(is_bad)
    id_columns = [name for name in (by, *OTHER_IDS) if name in frame.columns]
    if id_columns:
        row_name = id_columns[0]
        bad_rows = some(dict.fromkeys(map(str, frame[row_name][bad])))
    else:
        row_name = "row"
        bad_rows = some(np.flatnonzero(bad))
    first_row = ""
    if {"qid", "docno"} <= {*frame.columns}:
        qid, docno = frame[["qid", "docno"]].iloc[is_bad.index(True)]
        first_row = f", first for qid {qid}, docno {docno}"
    raise ValueError(
        f"Column {column!r} must hold {expected}; it does not for {row_name} {bad_rows}: {remedy}. "
        f"Found: {_describe_values(frame[column][bad])}{first_row}."
    )


def has_text(value: object) -> bool:
    """Return whether `value` is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_list(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
    return bool(is_list and len(value) and all(has_text(item) for item in value))


def _are_strings(values: pd.Series) -> bool:
    """Return whether a column holds only strings; False if each value must be checked."""
    if infer_dtype(values, skipna=False) != "string":
        return False
    # of objects, each was looked at; of pandas' own strings, only the type
    return values.dtype == object or not values.hasnans


def _are_finite_numbers(values: pd.Series) -> bool:
    """Return whether a column holds only finite numbers; False if each value must be checked."""
    if infer_dtype(values, skipna=False) not in NUMBER_KINDS:
        return False
    try:
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
    except OverflowError:  # a whole number beyond the largest float
        return False
    return bool(np.isfinite(numbers).all())


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return False
    try:
        return isfinite(value)
    except (TypeError, ValueError, OverflowError):  # no number, or beyond the largest float
        return False


def _describe_values(values: Iterable[object]) -> str:
    """Write distinct values with their types; long ones are truncated."""
    texts = [f"{value!r:.60} ({type(value).__name__})" for value in values]
    return some(dict.fromkeys(texts))
