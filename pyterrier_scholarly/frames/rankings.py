"""Rankings in a frame: the rows of each query, their order and their ranks.

    results = ranked(results.assign(score=scores))

Every function returns a new frame, and leaves its argument as it is.
"""

import warnings
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import pyterrier as pt

from .column_checks import some


def ranked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with ranks by descending `score`; ties keep the order of `frame`.

    Queries keep their order of first appearance, rows are sorted by rank, the index is new. It
    does what `pt.model.add_ranks` and a sort would, in a third of the time.

    Raises:
        ValueError: a score is NaN; names the query and the document.
    """
    scores = frame["score"].to_numpy(dtype=float)
    _check_not_nan(frame, scores)

    # empty arrays first: of nothing, numpy concatenates nothing
    row_blocks = [np.zeros(0, dtype=np.intp)]
    rank_blocks = [np.zeros(0, dtype=np.int64)]
    for rows in rows_by_query(frame):
        row_blocks.append(rows[np.argsort(-scores[rows], kind="stable")])
        rank_blocks.append(np.arange(len(rows)))
    ordered_rows = np.concatenate(row_blocks)
    ranks = np.concatenate(rank_blocks)

    ordered = frame.drop(columns="rank", errors="ignore").iloc[ordered_rows]
    return ordered.reset_index(drop=True).assign(score=scores[ordered_rows], rank=ranks)


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
    if results:
        scored = pd.concat(results)
    else:
        scored = pd.DataFrame(columns=["qid", "docno", "score"], dtype=object)

    joined = topics.merge(scored, on="qid")
    if without_self and "query_docno" in joined.columns:
        joined = joined[joined["docno"] != joined["query_docno"]]

    ranking = ranked(joined)
    if num_results is None:
        return ranking
    return ranking[ranking["rank"] < num_results].reset_index(drop=True)


def warn_of_unmatched(ranking: pd.DataFrame, name: str) -> None:
    """Warn of queries whose results all have score 0; to be called by a retriever's `transform`.

    name: of the retriever, for the message.
    """
    best_scores = ranking.groupby("qid", sort=False)["score"].max()
    unmatched_qids = best_scores.index[best_scores == 0]
    if len(unmatched_qids):
        warnings.warn(
            f"{name}: {len(unmatched_qids)} of {len(best_scores)} queries match no document "
            f"({some(unmatched_qids)}). All their results have score 0, so their order and their "
            "figures say nothing: check these queries, or drop results of score 0.",
            stacklevel=3,
        )


def best_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with each query's rows by descending score; queries keep their order.

    Ties are sorted by descending `docno`, as trec_eval reads a run. So the result depends neither
    on the order of `frame` nor on the machine.
    """
    query_of_row, _ = pd.factorize(frame["qid"])
    sort_keys = pd.DataFrame(
        {
            "query": query_of_row,
            "score": np.asarray(frame["score"].astype(float)),
            "docno": np.asarray(frame["docno"]),
        }
    )
    ordered = sort_keys.sort_values(["query", "score", "docno"], ascending=[True, False, False])
    return frame.iloc[ordered.index].reset_index(drop=True)


def topic_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns whose name says that all rows of a query share one value."""
    # PyTerrier's rule (names that begin with q), our own name, and the fields of our query records
    of_queries = {*pt.model.query_columns(frame), "facet"}
    return [name for name in frame.columns if name in of_queries or name.startswith("paper_")]


def rows_by_query(frame: pd.DataFrame) -> Sequence[np.ndarray]:
    """Return the positions of each query's rows, whatever the index; nothing for zero rows."""
    if not len(frame):
        return []

    query_of_row, _ = pd.factorize(frame["qid"])
    # a stable sort puts the rows of a query one behind the other, in their order
    rows = np.argsort(query_of_row, kind="stable")
    ends = np.cumsum(np.bincount(query_of_row))
    return np.split(rows, ends[:-1])


def without_pairs(frame: pd.DataFrame, pairs: set[tuple[str, str]]) -> pd.DataFrame:
    """Return the rows whose (qid, docno) is not among `pairs`."""
    is_kept = [pair not in pairs for pair in zip(frame["qid"], frame["docno"])]
    return frame[np.array(is_kept, dtype=bool)]  # an empty list would select no columns


def column(values: Collection, index: pd.Index | None = None) -> pd.Series:
    """Make a column; of objects if pandas' own strings cannot hold half a surrogate pair."""
    try:
        return pd.Series(values, index)
    except UnicodeEncodeError:
        return pd.Series(values, index, dtype=object)


def _check_not_nan(frame: pd.DataFrame, scores: np.ndarray) -> None:
    """Raise ValueError, with query and document, for a score that is NaN. scores: (rows,)."""
    is_nan = np.isnan(scores)
    if not is_nan.any():
        return

    rows_without_score = frame[["qid", "docno"]][is_nan]
    pairs = [f"{qid} {docno}" for qid, docno in rows_without_score.itertuples(index=False)]
    first_pairs = some(pairs)
    raise ValueError(
        f"Scores must be numbers; they are NaN for qid, docno {first_pairs}. "
        "Check the model or function that computed them."
    )
