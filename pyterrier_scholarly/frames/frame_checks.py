"""Check the frame that a transformer was called with: its columns, and what they hold."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import pyterrier as pt

from .column_checks import (
    ids_only,
    no_duplicates,
    numbers_only,
    some,
    texts_only,
)
from .list_checks import labels_only, positions_only, sentences_only, weights_only
from .query_checks import (
    COMPARED,
    IDS,
    WEIGHTS,
    check_agreement,
    find_differing,
    is_list,
    is_query_column,
    refuse_differing,
    refuse_weights,
)
from .row_groups import numbered

ALWAYS_IDS = ("qid", "docno", "query_docno")
#: columns that are checked if they are present, needed or not
ALWAYS = (*ALWAYS_IDS, "score")
#: columns of lists that the rows of a document share
LISTS_OF_DOCUMENTS = ("sentences", "labels", "sentence_ids")
#: column -> the function that checks it
CHECKS: dict[str, Callable[..., None]] = {
    **dict.fromkeys((*ALWAYS_IDS, "doc_id", "paragraph_id", "query_id"), ids_only),
    "score": numbers_only,
    **dict.fromkeys(("query", "query_text"), texts_only),
    **dict.fromkeys(("facet", "query_title"), partial(texts_only, blank=True)),
    **dict.fromkeys(("title", "text"), partial(texts_only, by="docno", blank=True)),
    **dict.fromkeys(("doc_ids", "query_sentences"), sentences_only),
    "query_paper_sentences": partial(sentences_only, empty=True),
    "sentences": partial(sentences_only, by="docno", empty=True),
    "query_labels": partial(labels_only, of="query_sentences"),
    "query_paper_labels": partial(labels_only, of="query_paper_sentences"),
    "labels": partial(labels_only, of="sentences", by="docno"),
    "sources": partial(
        sentences_only, by="docno", remedy="pass tuples of systems' names, as make_pools returns"
    ),
    "query_sentence_ids": partial(positions_only, missing=False),
    "query_sentence_weights": weights_only,
    "sentence_ids": partial(positions_only, by="docno", missing=False, of="sentences"),
}


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

    Column names must be distinct texts. Ids, scores and needed columns are checked by CHECKS. A
    query must not have a document twice; topics must not have a query twice. The rows of a query
    must share its columns, and these must agree (see `queries`). Weights of a query's sentences are
    refused unless `transformer` names their column: they would be ignored.

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
        The frame; one without rows has ids of the type object. An index name that is also a column
        name is dropped: pandas cannot group by it.

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
    names = list(frame.columns)
    if wrong := [name for name in names if not isinstance(name, str) or names.count(name) > 1]:
        raise ValueError(
            f"Column names must be distinct texts; these are not: "
            f"{some(dict.fromkeys(map(repr, wrong)))}. Rename or drop them "
            "(`frame.loc[:, ~frame.columns.duplicated()]`)."
        )
    _require(frame, transformer, alternatives, without, remedy)
    if len(frame):
        checked_values(frame, ALWAYS)
        if keys is None:
            keys = [name for name in ("qid", "docno") if name in names] if "qid" in names else []
        for name in keys:
            ids_only(frame, name)
        if keys:
            no_duplicates(frame, list(keys))
        needed = next(columns for columns in alternatives if set(columns) <= set(names))
        _check_values(frame, transformer, needed, optional, replaces_query)
    else:
        # an empty list makes a column of floats, which pandas refuses to join with ids
        frame = frame.astype({name: object for name in ALWAYS_IDS if name in names})
    if set(names).isdisjoint(frame.index.names):
        return frame
    return frame.rename_axis(index=[None] * frame.index.nlevels)


def checked_values(frame: pd.DataFrame, columns: Iterable[str]) -> None:
    """Check what `columns` hold, if `frame` has them and CHECKS knows them.

    Raises:
        ValueError: a value that its column must not hold; names the value or its row.
    """
    for name in dict.fromkeys(columns):
        if name in CHECKS and name in frame.columns:
            CHECKS[name](frame, name)


def _check_values(
    frame: pd.DataFrame,
    transformer: object,
    needed: Sequence[str],
    optional: Sequence[str],
    replaces_query: bool,
) -> None:
    """Check what the columns hold that a transformer reads."""
    read = [name for name in dict.fromkeys([*needed, *optional]) if name in frame.columns]
    if "sentences" in read and "sentence_ids" in frame.columns:
        read.append("sentence_ids")

    of_queries = [name for name in read if is_query_column(name)]
    of_documents = [name for name in read if name in LISTS_OF_DOCUMENTS]
    others = [name for name in read if name not in (*of_queries, *of_documents)]

    checked_values(frame, others)
    if of_documents:
        _check_documents(frame, of_documents)
    if of_queries:
        queries = _one_row_per_query(frame, of_queries)
        checked_values(queries, of_queries)
    if set(of_queries) - {"facet"} and not replaces_query:
        _check_agreement(frame, transformer, needed, of_queries)


def _check_documents(frame: pd.DataFrame, columns: Collection[str]) -> None:
    """Check lists of documents, once for all rows that share them."""
    if "docno" not in frame.columns:  # errors name rows
        checked_values(frame, columns)
        return

    # the number of sentences decides how many labels are right
    compared = [name for name in dict.fromkeys(["sentences", *columns]) if name in frame.columns]
    _, first_rows = numbered(frame, compared)
    documents = frame[["docno", *compared]].iloc[first_rows]
    checked_values(documents, columns)


def _check_agreement(
    frame: pd.DataFrame, transformer: object, needed: Sequence[str], read: Collection[str]
) -> None:
    """Check that all columns of a query agree, also those that the transformer does not read."""
    if WEIGHTS in frame.columns and WEIGHTS not in read:
        refuse_weights(transformer)

    present = [name for name in COMPARED if name in frame.columns]
    if len(present) < 2:  # nothing to compare
        return

    unread = [name for name in present if name not in read]
    queries = _one_row_per_query(frame, unread)
    if IDS in unread:
        has_ids = [is_list(value) for value in queries[IDS]]
        checked_values(queries[has_ids], [IDS])
    check_agreement(queries, transformer, needed)


def _one_row_per_query(frame: pd.DataFrame, columns: Collection[str]) -> pd.DataFrame:
    """Return the first row of each query; ValueError if others differ from it in `columns`."""
    if "qid" not in frame.columns:
        return frame
    query_of_row, first_rows = numbered(frame, ["qid"])
    if len(first_rows) == len(frame):
        return frame

    for name in columns:
        differing_rows = find_differing(frame[name], query_of_row, first_rows)
        if len(differing_rows):
            checked_values(frame, [name])  # a missing value says more than a difference
            refuse_differing(frame, name, differing_rows)
    return frame.iloc[first_rows]


def _require(
    frame: pd.DataFrame,
    transformer: Any,
    alternatives: Sequence[Sequence[str]],
    without: Sequence[str],
    remedy: str,
) -> None:
    try:
        with pt.validate.any(frame, context=transformer) as validated:
            for columns in alternatives:
                validated.columns(includes=columns, excludes=list(without))
    except pt.validate.InputValidationError as error:
        error.args = (f"{error.args[0]} {remedy}".rstrip(),)
        raise
