"""What all transformers do with frames: check at the door, look up once, rank what goes out.

Columns that pass between transformers: `qid`, `query`, `query_docno` (the paper that the query
comes from), `facet`, `query_sentences`, `query_labels` on the query side; `docno`, `title`, `text`,
`sentences`, `labels` on the document side; `score` and `rank` (from 0) in results.
"""

import numpy as np
import pandas as pd
import pyterrier as pt

SHOWN = 5  # how many offenders an error names
LISTS = (list, tuple, np.ndarray)  # what a column of lists may hold


def require(frame, transformer, *alternatives, without=(), remedy=""):
    """Check that `frame` has all columns of one of the `alternatives`, and none of `without`.

    Raises:
        pt.validate.InputValidationError: names the missing columns, then `remedy`.
    """
    try:
        with pt.validate.any(frame, context=transformer) as check:
            for columns in alternatives:
                check.columns(includes=columns, excludes=list(without))
    except pt.validate.InputValidationError as error:
        error.args = (f"{error.args[0]} {remedy}".rstrip(),)
        raise


def no_duplicates(frame, columns):
    """Raise ValueError, naming them, if rows of `frame` agree in all of `columns`."""
    twice = frame[columns][frame.duplicated(columns)].drop_duplicates()
    if len(twice):
        named = some(" ".join(map(str, row)) for row in twice.itertuples(index=False))
        raise ValueError(
            f"Duplicate {' '.join(columns)}: {named}. "
            f"Each may occur once: drop repeated rows (`drop_duplicates({columns})`)."
        )


def has_text(value) -> bool:
    """Whether `value` is a string with more than blanks in it."""
    return isinstance(value, str) and bool(value.strip())


def texts_only(frame, column, by="qid", blank=False):
    """Check that `column` holds texts, which may be blank only if `blank` is true.

    Raises:
        ValueError: a value is no text (NaN) or is blank; names the rows' `by`.
    """
    values = frame[column].tolist()  # ten times as fast as to iterate over it
    bad = [not (isinstance(value, str) if blank else has_text(value)) for value in values]
    if any(bad):
        kind = "a text" if blank else "a text that is not empty"
        raise ValueError(
            f"Column {column!r} must hold {kind}; it does not for {by} "
            f"{some(frame[by][bad].unique())}: fill it, or drop these rows."
        )


def sentences_only(frame, column, by="qid", empty=False):
    """Check that `column` holds lists (tuples, arrays) of texts, none blank.

    Raises:
        ValueError: a value is no list (a text that is not split, NaN), an item is no text or
            blank, or, unless `empty` is allowed, a list is empty; names the rows' `by`.
    """
    values = frame[column].tolist()
    distinct = {id(value): value for value in values}  # rows of a query share one list
    good = {
        key: isinstance(value, LISTS) and (empty or len(value) > 0) and all(map(has_text, value))
        for key, value in distinct.items()
    }
    if not all(good.values()):
        bad = [not good[id(value)] for value in values]
        kind = "a list of texts" if empty else "a list with at least one text"
        raise ValueError(
            f"Column {column!r} must hold {kind}, none of them empty; "
            f"it does not for {by} {some(frame[by][bad].unique())}."
        )


def labels_only(frame, sentences, labels, by="qid"):
    """Check that column `labels` holds a list with one label per sentence of column `sentences`.

    Raises:
        ValueError: a value is no list, or of another length; names the rows' `by`.
    """
    pairs = zip(frame[sentences], frame[labels])
    bad = [not isinstance(two, LISTS) or len(one) != len(two) for one, two in pairs]
    if any(bad):
        raise ValueError(
            f'Column {labels!r} must hold one label per sentence of {sentences!r} ("" for none); '
            f"it does not for {by} {some(frame[by][bad].unique())}."
        )


def per_key(frame, columns, look_up) -> list:
    """Call `look_up` once for each distinct combination of `columns`; its answers, row by row.

    Values may be lists or arrays. Rows of equal key get one and the same object.
    """
    columns = [frame[column].tolist() for column in columns]  # held, so that no id is given twice
    answers, known = {}, {}
    result = []
    for row, seen in zip(zip(*columns), zip(*map(_by_identity, columns))):
        if seen not in known:  # rows of a query, or of a document, share their lists
            key = tuple(tuple(value) if isinstance(value, LISTS) else value for value in row)
            if key not in answers:
                answers[key] = look_up(*row)
            known[seen] = answers[key]
        result.append(known[seen])
    return result


def _by_identity(values):
    """What tells `values` apart at no cost: ids, if one of them is a list; else they themselves."""
    return map(id, values) if any(isinstance(value, LISTS) for value in values) else values


def rows_by_query(frame):
    """The rows of each query: arrays of positions in `frame`, whatever its index; none of none."""
    return frame.groupby("qid").indices.values()


def ranked(frame):
    """A new frame with ranks by descending `score`, ties in the order of `frame`.

    Queries stay in their order of first appearance, rows go by rank, the index is new.
    """
    out = frame.reset_index(drop=True)
    out = pt.model.add_ranks(out.assign(score=out["score"].astype(float)))  # edits its argument
    order = pd.DataFrame({"query": pd.factorize(out["qid"])[0], "rank": out["rank"]})
    return out.loc[order.sort_values(["query", "rank"]).index].reset_index(drop=True)


def best_first(frame):
    """A new frame with the rows of each query by descending score; queries in their order.

    Equal scores go by descending `docno`, as trec_eval reads a run, so that neither the order of
    the frame nor the machine that it was made on takes part.

    Raises:
        ValueError: a score is NaN or infinite, or a document occurs twice in a query.
    """
    no_duplicates(frame, ["qid", "docno"])
    scores = frame["score"].astype(float)
    broken = frame["qid"][~np.isfinite(scores.to_numpy())].unique()
    if len(broken):
        raise ValueError(
            f"Column 'score' must hold finite numbers; it does not for qid {some(broken)}."
        )
    keys = {"query": pd.factorize(frame["qid"])[0], "score": scores, "docno": frame["docno"]}
    order = pd.DataFrame({name: np.asarray(values) for name, values in keys.items()})
    order = order.sort_values(["query", "score", "docno"], ascending=[True, False, False])
    return frame.iloc[order.index].reset_index(drop=True)


def topic_columns(frame) -> list:
    """The columns of `frame` that are the same in all rows of a query, by their names."""
    # PyTerrier's rule (names that begin with q), our own name, and the fields of our query records
    named = {*pt.model.query_columns(frame), "facet"}
    return [name for name in frame.columns if name in named or name.startswith("paper_")]


def some(values) -> str:
    """The first few of `values`, and how many more there are."""
    values = [str(value) for value in values]
    more = len(values) - SHOWN
    return ", ".join(values[:SHOWN]) + (f" and {more} more" if more > 0 else "")
