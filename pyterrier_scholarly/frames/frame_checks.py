"""Check the frame that a transformer was called with: its columns, and what they hold.

The first line of a `transform`, which may then trust the frame::

    results = frames.check(results, self, ["qid", "docno", "sentences"], optional=["labels"])

What a column must hold is decided by its name, see `column_rules`. That the columns of a query
agree with each other is checked in `query_checks`.
"""

from collections.abc import Collection, Sequence

import pandas as pd
import pyterrier as pt

from .column_checks import check_duplicates, check_ids, some
from .column_rules import check_columns, select_present
from .list_checks import is_list
from .query_checks import (
    COMPARED,
    IDS,
    WEIGHTS,
    check_agreement,
    find_differing,
    is_query_column,
    refuse_differing,
    refuse_weights,
)
from .row_groups import numbered

ID_COLUMNS = ("qid", "docno", "query_docno")
#: columns that are checked if they are present, needed or not
ALWAYS_CHECKED = (*ID_COLUMNS, "score")
#: columns of lists that the rows of a document share
LISTS_OF_DOCUMENTS = ("sentences", "labels", "sentence_ids")


def check(
    frame: pd.DataFrame,
    transformer: object,
    *alternatives: Sequence[str],
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
    remedy: str = "",
    keys: Sequence[str] | None = None,
    replaces_query: bool = False,
) -> pd.DataFrame:
    """Check a frame once, so that the rest of a transformer can trust it, and its settings.

    Column names must be distinct texts. Ids, scores and the columns that the transformer reads are
    checked by the rules of `column_rules`. A query must not have a document twice; topics must not
    have a query twice. The rows of a query must share its columns, and these must agree (see
    `query_checks`).
    Weights of a query's sentences are refused unless `transformer` names their column: they would
    be ignored.

    Args:
        frame: the argument of `transformer`.
        transformer: the transformer, whose settings are checked, too (`check_settings`), or the
            name of a function; errors name it.
        alternatives: lists of columns. The first list that the frame has is needed.
        without: columns that must be absent.
        optional: columns that are also checked if they are present.
        remedy: what to do about a missing column.
        keys: columns of ids that together name a row; None for `qid` and `docno`.
        replaces_query: the transformer writes the columns of a query anew, so they may disagree.

    Returns:
        The frame; one without rows has ids of the type object. Categories, and columns of PyArrow's
        types, become objects: pandas groups by unused categories, too, and joins such columns with
        texts in ways of their own. An index name that is also a column name is dropped: pandas
        cannot group by it.

    Raises:
        TypeError: `frame` is no frame.
        ValueError: a setting that was set after the transformer was made is wrong.
        pt.validate.InputValidationError: missing columns, or columns of `without`.
        ValueError: duplicate columns or rows, a value that its column must not hold, columns of a
            query that disagree; names them.
    """
    if hasattr(transformer, "check_settings"):  # a `BySettings`; a grid search sets its settings
        transformer.check_settings()
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{transformer!r} needs a pandas.DataFrame, not {type(frame).__name__}.")
    _check_column_names(frame)
    _require_columns(frame, transformer, alternatives, without, remedy)
    frame = convert_to_objects(frame)

    if len(frame):
        _check_contents(frame, transformer, alternatives, optional, keys, replaces_query)
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
    transformer: object,
    alternatives: Sequence[Sequence[str]],
    without: Sequence[str],
    remedy: str,
) -> None:
    """Raise PyTerrier's error, with our remedy, unless the frame has one list of columns.

    The arguments are those of `check`.
    """
    try:
        # by PyTerrier's validation, from which pt.inspect learns which columns a transformer needs;
        # `any` notes the outcome of each call below, and raises at its end if all have failed
        with pt.validate.any(frame, context=transformer) as validated:  # type: ignore[arg-type]
            for columns in alternatives:
                validated.columns(includes=list(columns), excludes=list(without))
    except pt.validate.InputValidationError as error:
        # the same error, which has more than its message, with the remedy behind the message
        message_with_remedy = f"{error.args[0]} {remedy}"
        error.args = (message_with_remedy.rstrip(),)
        raise


def _check_contents(
    frame: pd.DataFrame,
    transformer: object,
    alternatives: Sequence[Sequence[str]],
    optional: Sequence[str],
    keys: Sequence[str] | None,
    replaces_query: bool,
) -> None:
    """Check what the columns hold, in a frame that has rows and the needed columns.

    The arguments are those of `check`.
    """
    # ids and scores
    check_columns(frame, ALWAYS_CHECKED)
    row_keys = _find_row_keys(frame) if keys is None else list(keys)
    _check_row_keys(frame, row_keys)

    # what else the transformer reads
    needed_columns = _find_needed(frame, alternatives)
    read_columns = select_present(frame, [*needed_columns, *optional])
    if "sentences" in read_columns and "sentence_ids" in frame.columns:
        read_columns.append("sentence_ids")  # whoever changes sentences changes their positions

    # what all rows of a query or of a document share is checked once for all of them
    query_columns = [name for name in read_columns if is_query_column(name)]
    document_columns = [name for name in read_columns if name in LISTS_OF_DOCUMENTS]

    # the others are checked in each row
    checked_or_shared = {*ALWAYS_CHECKED, *row_keys, *query_columns, *document_columns}
    other_columns = [name for name in read_columns if name not in checked_or_shared]
    check_columns(frame, other_columns)

    if document_columns:
        _check_documents(frame, document_columns)
    if query_columns:
        _check_queries(frame, transformer, query_columns, needed_columns, replaces_query)


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


def _check_documents(frame: pd.DataFrame, columns: Collection[str]) -> None:
    """Check columns of documents' lists, once for all rows that share the lists."""
    # An error names bad rows by their docno. Without that column, it names their positions, which
    # must be those in `frame` and not in a selection of its rows.
    if "docno" not in frame.columns:
        check_columns(frame, columns)
        return

    # with the sentences, read or not: there must be as many labels
    list_columns = select_present(frame, ["sentences", *columns])
    _, first_rows = numbered(frame, list_columns)
    documents = frame[["docno", *list_columns]].iloc[first_rows]
    check_columns(documents, columns)


def _check_queries(
    frame: pd.DataFrame,
    transformer: object,
    query_columns: Collection[str],
    needed_columns: Sequence[str],
    replaces_query: bool,
) -> None:
    """Check the columns of queries that a transformer reads, and that all of them agree.

    Args:
        query_columns: those that it reads.
        needed_columns: all columns that it cannot do without; an error's remedy depends on them.
        replaces_query: see `check`.
    """
    # The columns must agree only for a transformer that reads one of them, and leaves the others as
    # they are. Reading the facet alone does not count: no other column holds the same.
    reads_more_than_facet = any(name != "facet" for name in query_columns)
    must_agree = reads_more_than_facet and not replaces_query
    compared_columns = select_present(frame, COMPARED) if must_agree else []

    ignores_weights = WEIGHTS in compared_columns and WEIGHTS not in query_columns
    if ignores_weights:
        refuse_weights(transformer)
    if len(compared_columns) == 1:  # nothing to agree with
        compared_columns = []

    # the rows of a query must share all that is read or compared
    shared_columns = dict.fromkeys([*query_columns, *compared_columns])
    queries = _select_queries(frame, shared_columns)

    # what these hold; `query_docno` was checked with the ids
    unchecked_columns = [name for name in query_columns if name not in ALWAYS_CHECKED]
    check_columns(queries, unchecked_columns)

    # Unread columns are only compared, except for positions: sentences of the paper are looked up
    # by them, so they must be whole numbers. A query without positions (None) is left out.
    if IDS in compared_columns and IDS not in query_columns:
        has_ids = [is_list(value) for value in queries[IDS]]
        check_columns(queries[has_ids], [IDS])
    if compared_columns:
        check_agreement(queries, transformer, needed_columns)


def _select_queries(frame: pd.DataFrame, columns: Collection[str]) -> pd.DataFrame:
    """Return the first row of each query; ValueError if others differ from it in `columns`."""
    if "qid" not in frame.columns:
        return frame
    query_of_row, first_rows = numbered(frame, ["qid"])
    has_row_per_query = len(first_rows) == len(frame)
    if has_row_per_query:
        return frame

    for name in columns:
        differing_rows = find_differing(frame[name], query_of_row, first_rows)
        if len(differing_rows):
            check_columns(frame, [name])  # a missing value says more than a difference
            refuse_differing(frame, name, differing_rows)
    return frame.iloc[first_rows]
