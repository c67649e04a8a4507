"""Check a frame that somebody passes to a function: its columns, and what they hold.

The first line of the function, which may then trust the frame::

    run = frames.check(run, "check_run", ["qid", "docno", "score"])

What a column must hold is decided by its name, see `column_rules`.
"""

from collections.abc import Sequence

import pandas as pd
import pyterrier as pt

from ..choices import some
from .column_checks import check_duplicates, check_ids
from .column_rules import check_columns, select_present

ID_COLUMNS = ("qid", "docno", "query_docno")
#: columns that are checked if they are present, needed or not
ALWAYS_CHECKED = (*ID_COLUMNS, "score")
#: columns of texts that the rows of a query share
SHARED_COLUMNS = ("query", "query_text", "facet")


def check(
    frame: pd.DataFrame,
    name: str,
    *alternatives: Sequence[str],
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
    remedy: str = "",
    keys: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Check a frame once, so that the rest of a function can trust it.

    Column names must be distinct texts. Ids, scores and the columns that the function reads are
    checked by the rules of `column_rules`. A query must not have a document twice; topics must not
    have a query twice. The rows of a query must share its text and its facet.

    Args:
        frame: the argument.
        name: of the function or argument, for errors.
        alternatives: lists of columns. The first list that the frame has is needed.
        without: columns that must be absent.
        optional: columns that are also checked if they are present.
        remedy: what to do about a missing column.
        keys: columns of ids that together name a row; None for `qid` and `docno`.

    Returns:
        The frame; one without rows has ids of the type object. Categories, and columns of PyArrow's
        types, become objects: pandas groups by unused categories, too, and joins such columns with
        texts in ways of their own. An index name that is also a column name is dropped: pandas
        cannot group by it.

    Raises:
        TypeError: `frame` is no frame.
        pt.validate.InputValidationError: missing columns, or columns of `without`.
        ValueError: duplicate columns or rows, a value that its column must not hold, rows of a
            query with different texts or facets; names them.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{name!r} needs a pandas.DataFrame, not {type(frame).__name__}.")
    _check_column_names(frame)
    _require_columns(frame, name, alternatives, without, remedy)
    frame = convert_to_objects(frame)

    if len(frame):
        _check_contents(frame, alternatives, optional, keys)
    else:
        # an empty list makes a column of floats, which pandas refuses to join with ids
        id_columns = select_present(frame, ID_COLUMNS)
        frame = frame.astype(dict.fromkeys(id_columns, object))

    if set(frame.columns).isdisjoint(frame.index.names):
        return frame
    return frame.rename_axis(index=[None] * frame.index.nlevels)


def convert_to_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its columns of categories, or of PyArrow's types, as objects."""
    converted = [
        name
        for name, dtype in zip(frame.columns, frame.dtypes)
        if isinstance(dtype, (pd.CategoricalDtype, pd.ArrowDtype))
    ]
    return frame.astype(dict.fromkeys(converted, object)) if converted else frame


def _check_column_names(frame: pd.DataFrame) -> None:
    """Raise ValueError unless the names of the columns are distinct texts."""
    names = list(frame.columns)
    wrong_names = [name for name in names if not isinstance(name, str) or names.count(name) > 1]
    if wrong_names:
        shown_names = some(dict.fromkeys(repr(name) for name in wrong_names))
        raise ValueError(
            f"Column names must be distinct texts; these are not: {shown_names}. Rename or drop "
            "them (`frame.loc[:, ~frame.columns.duplicated()]`)."
        )


def _require_columns(
    frame: pd.DataFrame,
    name: str,
    alternatives: Sequence[Sequence[str]],
    without: Sequence[str],
    remedy: str,
) -> None:
    """Raise PyTerrier's error, with our remedy, unless the frame has one list of columns.

    The arguments are those of `check`.
    """
    try:
        # `any` notes the outcome of each call below, and raises at its end if all have failed
        with pt.validate.any(frame, context=name) as validated:  # type: ignore[arg-type]
            for columns in alternatives:
                validated.columns(includes=list(columns), excludes=list(without))
    except pt.validate.InputValidationError as error:
        # the same error, which has more than its message, with the remedy behind the message
        message_with_remedy = f"{error.args[0]} {remedy}"
        error.args = (message_with_remedy.rstrip(),)
        raise


def _check_contents(
    frame: pd.DataFrame,
    alternatives: Sequence[Sequence[str]],
    optional: Sequence[str],
    keys: Sequence[str] | None,
) -> None:
    """Check what the columns hold, in a frame that has rows and the needed columns.

    The arguments are those of `check`.
    """
    # ids and scores
    check_columns(frame, ALWAYS_CHECKED)
    row_keys = _find_row_keys(frame) if keys is None else list(keys)
    _check_row_keys(frame, row_keys)

    # what else the function reads
    needed_columns = _find_needed(frame, alternatives)
    read_columns = select_present(frame, [*needed_columns, *optional])
    checked_columns = {*ALWAYS_CHECKED, *row_keys}
    check_columns(frame, [name for name in read_columns if name not in checked_columns])

    if "qid" in frame.columns:
        for name in SHARED_COLUMNS:
            if name in read_columns:
                _check_shared(frame, name)


def _find_row_keys(frame: pd.DataFrame) -> list[str]:
    """Return the columns that together name a row of topics or results; none for others."""
    if "qid" not in frame.columns:
        return []
    return select_present(frame, ["qid", "docno"])


def _check_row_keys(frame: pd.DataFrame, row_keys: list[str]) -> None:
    """Raise ValueError unless these columns hold ids, and no two rows agree in all of them."""
    if not row_keys:
        return
    for name in row_keys:
        if name not in ALWAYS_CHECKED:
            check_ids(frame, name)
    check_duplicates(frame, row_keys)


def _find_needed(frame: pd.DataFrame, alternatives: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the first list of columns that the frame has; it has one."""
    return next(columns for columns in alternatives if set(columns) <= set(frame.columns))


def _check_shared(frame: pd.DataFrame, column: str) -> None:
    """Raise ValueError unless all rows of a query have the same text in a column."""
    counts = frame.groupby("qid", sort=False)[column].nunique()
    differing_qids = counts.index[counts > 1]
    if len(differing_qids):
        raise ValueError(
            f"Column {column!r} must hold one value in all rows of a query; it does not for qid "
            f"{some(differing_qids)}: change all rows of a query alike."
        )
