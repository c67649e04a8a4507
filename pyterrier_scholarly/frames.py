"""Frames that somebody passes: what their columns must hold, and how a screen shows them.

The first line of a function, which may then trust the frame::

    run = frames.check(run, "check_run", ["qid", "docno", "score"])

What a column must hold is decided by its name. To give a new column a rule, add its name to
COLUMN_CHECKS. Each check first looks at the column as a whole, which is fast; only if that is not
enough, at each value. Its error names the bad rows by their ids in column `by`, or by their
positions if the frame has no column of ids; the first one by its query and its document.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from pandas.api.types import infer_dtype

from .choices import some as some
from .paper import Paper, is_list

ID_COLUMNS = ("qid", "docno", "query_docno")
#: columns that the rows of a query share
SHARED_COLUMNS = (
    *("query", "query_text", "query_title", "query_docno", "facet"),
    *("query_paper", "query_sentences", "query_labels"),
    *("query_sentence_ids", "query_sentence_weights"),
)
#: columns that name a row if column `by` is missing
OTHER_IDS = ("paragraph_id", "query_id", "doc_id", "docno")
#: what pandas calls columns of numbers
NUMBER_KINDS = ("floating", "integer", "mixed-integer-float", "boolean")

SCREEN_WIDTH = 100  # characters
SHOWN_ROWS = 3  # of each frame
WIDEST_CELL = 30  # characters


def check(
    frame: pd.DataFrame,
    user: object,
    *alternatives: Sequence[str],
    without: Sequence[str] = (),
    remedy: str = "",
    keys: Sequence[str] | None = None,
    may_be_blank: Sequence[str] = (),
) -> pd.DataFrame:
    """Check a frame once, so that the rest of a function or step can trust it.

    Column names must be distinct. Ids, and the needed columns, are checked by COLUMN_CHECKS.
    A query must not have a document twice; topics must not have a query twice. The rows of a query
    must share what the query asks with: those of the needed columns that are in SHARED_COLUMNS.

    Args:
        frame: the argument.
        user: the step that reads the frame, or the name of a function or argument, for errors.
        alternatives: lists of columns. The first list that the frame has is needed.
        without: columns that must be absent.
        remedy: what to do about a missing column.
        keys: columns of ids that together name a row; None for `qid` and `docno`.
        may_be_blank: needed columns of texts that may be blank; of others, a query's may not.

    Returns:
        The frame, with categories and PyArrow's columns as objects: pandas groups by unused
        categories, too, and joins such columns with texts in ways of their own. Its index has no
        names, since pandas cannot join by a column that is also an index. Without rows, its ids are
        of the type object.

    Raises:
        TypeError: `frame` is no frame.
        pt.validate.InputValidationError: missing columns, or columns of `without`.
        ValueError: duplicate columns or rows, a value that its column must not hold, rows of a
            query that differ in what they must share; names them.
    """
    if not isinstance(frame, pd.DataFrame):
        name = user if isinstance(user, str) else type(user).__name__
        raise TypeError(f"{name} needs a pandas.DataFrame, not {type(frame).__name__}.")
    if not frame.columns.is_unique:
        repeated_names = frame.columns[frame.columns.duplicated()].unique()
        raise ValueError(
            f"Column names must be distinct; these are not: {some(repeated_names)}. Rename or drop "
            "them (`frame.loc[:, ~frame.columns.duplicated()]`)."
        )

    try:
        # PyTerrier's validation, from which pt.inspect learns which columns a step needs. `any`
        # notes the outcome of each call below, and raises at its end if all have failed.
        with pt.validate.any(frame, context=user) as validated:  # type: ignore[arg-type]
            for columns in alternatives:
                validated.columns(includes=list(columns), excludes=list(without))
    except pt.validate.InputValidationError as error:
        # the same error, which has more than its message, with the remedy behind the message
        message_with_remedy = f"{error.args[0]} {remedy}"
        error.args = (message_with_remedy.rstrip(),)
        raise

    special_columns = [
        name
        for name, dtype in zip(frame.columns, frame.dtypes)
        if isinstance(dtype, (pd.CategoricalDtype, pd.ArrowDtype))
    ]
    if special_columns:  # to convert none takes time, too, and so below
        frame = frame.astype(dict.fromkeys(special_columns, object))
    if any(name is not None for name in frame.index.names):
        frame = frame.rename_axis(index=[None] * frame.index.nlevels)

    id_columns = [name for name in ID_COLUMNS if name in frame.columns]
    if frame.empty:  # an empty list makes a column of floats, which pandas joins with no ids
        return frame.astype(dict.fromkeys(id_columns, object))

    needs = next(columns for columns in alternatives if set(columns) <= set(frame.columns))
    if keys is None:
        has_queries = "qid" in frame.columns
        keys = [name for name in ("qid", "docno") if has_queries and name in frame.columns]
    for name in dict.fromkeys([*id_columns, *keys]):
        check_ids(frame, name)
    if keys:
        check_duplicates(frame, list(keys))

    for name in needs:
        if name in may_be_blank:
            check_texts(frame, name, blank=True)
        elif name in COLUMN_CHECKS and name not in id_columns:
            COLUMN_CHECKS[name](frame, name)
    if "qid" in frame.columns:
        _check_shared(frame, [name for name in needs if name in SHARED_COLUMNS])
    return frame


def find_first_rows(number_of_row: np.ndarray) -> np.ndarray:
    """Return the first row with each number; numbers count from 0 in the order of these rows."""
    return np.flatnonzero(~pd.Series(number_of_row).duplicated())


# --- what one column holds ----------------------------------------------------------------------


def check_ids(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds texts: the number 1 and the text "1" would be different ids."""
    if _are_strings(frame[column]):
        return

    is_bad = [not isinstance(value, str) for value in frame[column].tolist()]
    remedy = (
        "drop rows without a value, and convert the others with "
        f"`frame.astype({{{column!r}: str}})`"
    )
    refuse_rows(frame, column, by, is_bad, "texts", remedy)


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
    if infer_dtype(values, skipna=False) in NUMBER_KINDS:
        with suppress(OverflowError):  # a whole number beyond the largest float
            if np.isfinite(values.to_numpy(float, na_value=np.nan)).all():
                return

    is_bad = [not _is_finite_number(value) for value in values.tolist()]
    remedy = "convert texts with `pandas.to_numeric`, and drop rows without a number"
    refuse_rows(frame, column, by, is_bad, "finite numbers", remedy)


def check_texts(frame: pd.DataFrame, column: str, by: str = "qid", blank: bool = False) -> None:
    """Check that `column` holds texts; blank ones are allowed only if `blank` is true."""
    # the rows of a query share a text
    if _are_strings(frame[column]) and (blank or all(map(str.strip, frame[column].unique()))):
        return

    values = frame[column].tolist()  # ten times as fast as to iterate over the column
    is_bad = [not isinstance(value, str) or not (blank or value.strip()) for value in values]
    expected = "a text" if blank else "a text that is not empty"
    refuse_rows(frame, column, by, is_bad, expected, "fill it, or drop these rows")


def check_text_lists(
    frame: pd.DataFrame, column: str, by: str = "qid", remedy: str = "fill it, or drop these rows"
) -> None:
    """Check that `column` holds lists (or tuples, arrays) of texts, none of them blank or empty."""
    is_bad = []
    for value in frame[column].tolist():
        is_good = is_list(value) and len(value) and all(map(has_text, value))
        is_bad.append(not is_good)
    expected = "a list with at least one text, none of them empty"
    refuse_rows(frame, column, by, is_bad, expected, remedy)


def check_papers(frame: pd.DataFrame, column: str, by: str = "qid") -> None:
    """Check that `column` holds papers."""
    values = frame[column].tolist()
    if set(map(type, values)) == {Paper}:
        return

    is_bad = [not isinstance(value, Paper) for value in values]
    remedy = (
        "PaperLoader(…) adds papers, and FacetQuery(…) those of queries; of texts of your own make "
        "them by Paper(doc_id, title, sentences)"
    )
    refuse_rows(frame, column, by, is_bad, "Paper objects", remedy)


#: column -> the function that checks it, called with a frame and the column's name
COLUMN_CHECKS: dict[str, Callable[..., None]] = {
    "qid": check_ids,
    "docno": check_ids,
    "query_docno": check_ids,
    "doc_id": check_ids,
    "paragraph_id": check_ids,
    "query_id": check_ids,
    "score": check_numbers,
    "query": check_texts,
    "query_text": partial(check_texts, blank=True),  # a paper that asks may have only a title
    "query_title": partial(check_texts, blank=True),
    "facet": partial(check_texts, blank=True),
    "title": partial(check_texts, by="docno", blank=True),
    "text": partial(check_texts, by="docno", blank=True),
    "query_paper": check_papers,
    "paper": partial(check_papers, by="docno"),
    "doc_ids": check_text_lists,
    "sources": partial(
        check_text_lists, by="docno", remedy="pass tuples of systems' names, as make_pools returns"
    ),
}


def refuse_rows(
    frame: pd.DataFrame, column: str, by: str, is_bad: list[bool], expected: str, remedy: str
) -> None:
    """Raise a ValueError that names rows and values of `column` if any row is bad.

    expected: what the column must hold. remedy: what to do. Both go into a sentence.
    """
    if not any(is_bad):
        return

    bad_rows = frame[np.array(is_bad)]
    id_column = next((name for name in (by, *OTHER_IDS) if name in frame.columns), None)
    row_name = id_column or "row"
    names = bad_rows[id_column].map(str).unique() if id_column else np.flatnonzero(is_bad)
    first_row = ""
    if {"qid", "docno"} <= {*frame.columns}:
        qid, docno = bad_rows[["qid", "docno"]].iloc[0]
        first_row = f", first for qid {qid}, docno {docno}"
    values = [f"{value!r:.60} ({type(value).__name__})" for value in bad_rows[column]]
    raise ValueError(
        f"Column {column!r} must hold {expected}; it does not for {row_name} {some(names)}: "
        f"{remedy}. Found: {some(dict.fromkeys(values))}{first_row}."
    )


def has_text(value: object) -> bool:
    """Return whether `value` is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def _are_strings(values: pd.Series) -> bool:
    """Return whether a column holds only strings; False if each value must be checked."""
    if infer_dtype(values, skipna=False) != "string":
        return False
    # of objects, each was looked at; of pandas' own strings, which may be missing, only the type
    return values.dtype == object or not values.hasnans


def _is_finite_number(value: Any) -> bool:
    """Return whether a value is a finite number, of any library, that a float can hold."""
    if isinstance(value, (str, bytes)):
        return False
    try:
        return isfinite(value)
    except (TypeError, ValueError, OverflowError):  # no number, or beyond the largest float
        return False


# --- what the rows of a query share --------------------------------------------------------------


def _check_shared(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise ValueError unless all rows of a query have the same value in each of the columns."""
    query_of_row, qids = pd.factorize(frame["qid"])
    if len(qids) == len(frame):  # topics, of one row each
        return

    first_row_of_row = find_first_rows(query_of_row)[query_of_row]
    for name in columns:
        # first by number or address, because the rows of a query share one object: it finds too
        # many rows, never too few
        if not _are_strings(frame[name]):
            keys = np.fromiter(map(id, frame[name].tolist()), dtype=np.intp, count=len(frame))
        else:  # equal texts may be distinct objects
            keys, _ = pd.factorize(frame[name])
        other_rows = np.flatnonzero(keys != keys[first_row_of_row]).tolist()
        values = frame[name].tolist() if other_rows else []
        for row in other_rows:
            first_value = values[first_row_of_row[row]]
            if not _is_equal(values[row], first_value):
                raise ValueError(
                    f"Column {name!r} must hold one value in all rows of a query; it holds "
                    f"{values[row]!s:.60} and {first_value!s:.60} for qid "
                    f"{frame['qid'].iloc[row]}: change all rows of a query alike."
                )


def _is_equal(first: Any, second: Any) -> bool:
    """Return whether two values of a column are equal; lists and arrays by their items."""
    if is_list(first) and is_list(second):
        first, second = list(first), list(second)
    try:
        are_both_nan = first != first and second != second
        return bool(first == second or are_both_nan)
    except (TypeError, ValueError):  # pd.NA, or an array and no array: no single answer
        return False


# --- frames on a screen -------------------------------------------------------------------------


def fit_screen(record: Any) -> str:
    """Return the text of a named tuple of frames: of each its name, its size and its first rows."""
    lines = [f"{type(record).__name__}:"]
    for name, frame in record._asdict().items():
        unit = "row" if len(frame) == 1 else "rows"
        column_names = ", ".join(map(str, frame.columns))
        heading = f"{name}: {len(frame):,} {unit} of {column_names}"
        lines.append(fill(heading, SCREEN_WIDTH, subsequent_indent="    "))
        if not frame.empty:
            lines.append(_write_first_rows(frame))
    return "\n".join(lines)


def _write_first_rows(frame: pd.DataFrame) -> str:
    """Return the first rows with as many columns as fit; those in the middle give way to dots."""
    first_rows = frame.head(SHOWN_ROWS)
    for column_count in range(len(frame.columns), 0, -1):
        text = first_rows.to_string(index=False, max_cols=column_count, max_colwidth=WIDEST_CELL)
        widest_line = max(len(line) for line in text.splitlines())
        if widest_line <= SCREEN_WIDTH:
            break

    has_more_rows = len(frame) > SHOWN_ROWS
    return f"{text}\n…" if has_more_rows else text
