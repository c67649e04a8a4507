"""The door of every transformer: which columns a frame needs, and what each of them may hold."""

from functools import partial

import pandas as pd
import pyterrier as pt

from .checks import ids_only, no_duplicates, numbers_only, some, texts_only
from .lists import labels_only, positions_only, sentences_only

#: columns that are checked wherever they are, needed or not
ALWAYS = ("qid", "docno", "query_docno", "score")
#: column -> what checks that it holds what its name says
CHECKS = {
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
    "query_sentence_ids": partial(positions_only, missing=False),
}


def check(frame, transformer, *alternatives, without=(), optional=(), remedy="", keys=None):
    """Check a frame once, so that the rest of a transformer can trust it.

    Checked are: its columns, each of one name; ids and scores; what the needed columns hold, by
    CHECKS; and that no document is twice in a query (no query twice in topics).

    Args:
        frame: what `transformer` was called with.
        alternatives: lists of columns; those of the first that the frame has are needed.
        without: columns that may not be there.
        optional: columns that are checked, too, where they are there.
        remedy: what to do about a missing column.
        keys: columns of ids, which together name a row; None for `qid` and `docno`.

    Returns:
        The frame; without names of its index that are names of columns, too, for pandas refuses to
        group by those.

    Raises:
        TypeError: this is no frame.
        pt.validate.InputValidationError: missing columns, or columns of `without`.
        ValueError: duplicate columns or rows, a value that its column may not hold; names them.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{transformer!r} needs a pandas.DataFrame, not {type(frame).__name__}.")
    names = list(frame.columns)
    wrong = [name for name in names if not isinstance(name, str) or names.count(name) > 1]
    if wrong:
        raise ValueError(
            f"Columns must have texts as names, each its own; these have not: "
            f"{some(dict.fromkeys(map(repr, wrong)))}. Rename or drop them "
            "(`frame.loc[:, ~frame.columns.duplicated()]`)."
        )
    _require(frame, transformer, *alternatives, without=without, remedy=remedy)
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


def checked_values(frame, columns):
    """Check what those `columns` hold that `frame` has and that CHECKS knows.

    Raises:
        ValueError: a value that its column may not hold; names it, or its row.
    """
    for name in dict.fromkeys(columns):
        if name in CHECKS and name in frame.columns:
            CHECKS[name](frame, name)


def _require(frame, transformer, *alternatives, without, remedy):
    try:
        with pt.validate.any(frame, context=transformer) as validated:
            for columns in alternatives:
                validated.columns(includes=columns, excludes=list(without))
    except pt.validate.InputValidationError as error:
        error.args = (f"{error.args[0]} {remedy}".rstrip(),)
        raise
