"""Looking up once per key, rows by query, and ranks."""

import numpy as np
import pandas as pd
import pyterrier as pt

from .lists import LISTS


def per_key(frame, columns, look_up) -> list:
    """Call `look_up` once for each distinct combination of `columns`; its answers, row by row.

    Values may be lists or arrays. Rows of equal key get one and the same object.
    """
    columns = [frame[column].tolist() for column in columns]  # held, so that no id is given twice
    seen = list(zip(*map(_by_identity, columns)))  # rows of a query, or of a document, share lists
    known, answers = dict(zip(seen, zip(*columns))), {}
    for told, row in known.items():
        key = tuple(tuple(value) if isinstance(value, LISTS) else value for value in row)
        if key not in answers:
            answers[key] = look_up(*row)
        known[told] = answers[key]
    return [known[told] for told in seen]


def _by_identity(values):
    """What tells `values` apart at no cost: ids, if one of them is a list; else they themselves."""
    lists = any(issubclass(kind, LISTS) for kind in set(map(type, values)))
    return map(id, values) if lists else values


def column(values, index=None):
    """A column of `values`, of objects if pandas' own strings cannot hold half a surrogate pair."""
    try:
        return pd.Series(values, index)
    except UnicodeEncodeError:
        return pd.Series(values, index, dtype=object)


def without_pairs(frame, pairs):
    """The rows whose query and document are not among `pairs`, a set of (qid, docno)."""
    kept = [pair not in pairs for pair in zip(frame["qid"], frame["docno"])]
    return frame[np.array(kept, dtype=bool)]  # an empty list would choose no column, not no row


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
    """
    scores = frame["score"].astype(float)
    keys = {"query": pd.factorize(frame["qid"])[0], "score": scores, "docno": frame["docno"]}
    order = pd.DataFrame({name: np.asarray(values) for name, values in keys.items()})
    order = order.sort_values(["query", "score", "docno"], ascending=[True, False, False])
    return frame.iloc[order.index].reset_index(drop=True)


def topic_columns(frame) -> list:
    """The columns of `frame` that are the same in all rows of a query, by their names."""
    # PyTerrier's rule (names that begin with q), our own name, and the fields of our query records
    named = {*pt.model.query_columns(frame), "facet"}
    return [name for name in frame.columns if name in named or name.startswith("paper_")]
