"""Look up once per key, find the rows of each query, and set ranks."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd
import pyterrier as pt

from .columns import LISTS

T = TypeVar("T")


def per_key(frame: pd.DataFrame, columns: Sequence[str], look_up: Callable[..., T]) -> list[T]:
    """Call `look_up` once per distinct combination of `columns`; return its answers row by row.

    Texts are compared by value, lists and arrays by identity: the rows of a query, or of a
    document, share theirs. Rows of the same key get the same answer object.
    """
    values = [frame[column].tolist() for column in columns]  # kept, so that ids stay unique
    if len(values) == 1:  # most calls, and long ones: without a tuple per row
        keys, rows = list(_comparable(values[0])), zip(values[0])
    else:
        keys, rows = list(zip(*map(_comparable, values))), zip(*values)
    answers = {key: look_up(*row) for key, row in dict(zip(keys, rows)).items()}
    return list(map(answers.__getitem__, keys))


def _comparable(values: list) -> Iterable:
    """Return the ids of `values` if one of them is a list, else the values."""
    lists = any(issubclass(kind, LISTS) for kind in set(map(type, values)))
    return map(id, values) if lists else values


def column(values: Collection, index: pd.Index | None = None) -> pd.Series:
    """Make a column; of objects if pandas' own strings cannot hold half a surrogate pair."""
    try:
        return pd.Series(values, index)
    except UnicodeEncodeError:
        return pd.Series(values, index, dtype=object)


def without_pairs(frame: pd.DataFrame, pairs: set[tuple[str, str]]) -> pd.DataFrame:
    """Leave out the rows whose (qid, docno) is among `pairs`."""
    kept = [pair not in pairs for pair in zip(frame["qid"], frame["docno"])]
    return frame[np.array(kept, dtype=bool)]  # an empty list would select no columns


def rows_by_query(frame: pd.DataFrame) -> Collection[np.ndarray]:
    """Return the positions of each query's rows, whatever the index; nothing for zero rows."""
    return frame.groupby("qid").indices.values()


def ranked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with ranks by descending `score`; ties keep the order of `frame`.

    Queries keep their order of first appearance, rows are sorted by rank, the index is new.
    """
    out = frame.reset_index(drop=True)
    out = pt.model.add_ranks(out.assign(score=out["score"].astype(float)))  # edits its argument
    order = pd.DataFrame({"query": pd.factorize(out["qid"])[0], "rank": out["rank"]})
    return out.loc[order.sort_values(["query", "rank"]).index].reset_index(drop=True)


def retrieved(
    topics: pd.DataFrame,
    results: Sequence[pd.DataFrame],
    num_results: int | None = None,
    without_self: bool = False,
) -> pd.DataFrame:
    """Join topics with what was retrieved for them, and rank.

    Args:
        topics: their own `score` and `rank` are dropped.
        results: frames `qid`, `docno`, `score`.
        num_results: documents per query, at most; None for all.
        without_self: drop the paper that a query comes from (column `query_docno`, if present).
    """
    topics = topics.drop(columns=["score", "rank"], errors="ignore")
    nothing = pd.DataFrame(columns=["qid", "docno", "score"], dtype=object)
    out = topics.merge(pd.concat(results) if results else nothing, on="qid")
    if without_self and "query_docno" in out.columns:
        out = out[out["docno"] != out["query_docno"]]
    out = ranked(out)
    return out if num_results is None else out[out["rank"] < num_results].reset_index(drop=True)


def best_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with each query's rows by descending score; queries keep their order.

    Ties are sorted by descending `docno`, as trec_eval reads a run. So the result depends neither
    on the order of `frame` nor on the machine.
    """
    scores = frame["score"].astype(float)
    keys = {"query": pd.factorize(frame["qid"])[0], "score": scores, "docno": frame["docno"]}
    order = pd.DataFrame({name: np.asarray(values) for name, values in keys.items()})
    order = order.sort_values(["query", "score", "docno"], ascending=[True, False, False])
    return frame.iloc[order.index].reset_index(drop=True)


def topic_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns whose name says that all rows of a query share one value."""
    # PyTerrier's rule (names that begin with q), our own name, and the fields of our query records
    known = {*pt.model.query_columns(frame), "facet"}
    return [name for name in frame.columns if name in known or name.startswith("paper_")]
