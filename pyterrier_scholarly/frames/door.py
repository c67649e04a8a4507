"""Check the frame that a transformer was called with: its columns, and what they hold."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import pyterrier as pt

from .columns import (
    ids_only,
    no_duplicates,
    numbers_only,
    some,
    texts_only,
)
from .lists import labels_only, positions_only, sentences_only

#: columns that are checked if they are present, needed or not
ALWAYS = ("qid", "docno", "query_docno", "score")
#: column -> the function that checks it
CHECKS: dict[str, Callable[..., None]] = {
    **dict.fromkeys((*ALWAYS[:3], "doc_id", "paragraph_id", "query_id"), ids_only),
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
}


def check(
    frame: pd.DataFrame,
    transformer: object,
    *alternatives: Sequence[str],
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
    remedy: str = "",
    keys: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Check a frame once, so that the rest of a transformer can trust it, and its settings.

    Column names must be distinct texts. Ids, scores and needed columns are checked by CHECKS. A
    query must not have a document twice; topics must not have a query twice.

    Args:
        frame: the argument of `transformer`.
        transformer: the transformer, or the name of a function; errors name it.
        alternatives: lists of columns. The first list that the frame has is needed.
        without: columns that must be absent.
        optional: columns that are also checked if they are present.
        remedy: what to do about a missing column.
        keys: columns of ids that together name a row; None for `qid` and `docno`.

    Returns:
        The frame. An index name that is also a column name is dropped: pandas cannot group by it.

    Raises:
        TypeError: `frame` is no frame.
        ValueError: a setting that was set after the transformer was made is wrong.
        pt.validate.InputValidationError: missing columns, or columns of `without`.
        ValueError: duplicate columns or rows, or a value that its column must not hold; names them.
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
        needed = next(columns for columns in alternatives if set(columns) <= set(names))
        checked_values(frame, [*ALWAYS, *needed, *optional])
        if keys is None:
            keys = [name for name in ("qid", "docno") if name in names] if "qid" in names else []
        for name in keys:
            ids_only(frame, name)
        if keys:
            no_duplicates(frame, list(keys))
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
