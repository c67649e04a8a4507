"""Read what a stage returned: its documents, and whether they have an order.

::

    result = read_result(frame, "stage 2, % 10")
    result.form     # ResultForm.RANKED
    result.ranking  # qid, docno, score, rank

Conventions: ranks begin at 1. Results are sorted as measures sort them: by descending score, ties
by descending `docno`.
"""

from enum import Enum
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import frames
from ..step import best_first

RANKED_COLUMNS = ["qid", "docno", "score", "rank"]


class ResultForm(Enum):
    """What a stage's result is, as far as it can be evaluated; the value is shown."""

    RANKED = "ranked"
    UNORDERED = "without order"  # documents without scores, as of ``a | b``, or with equal scores
    REPEATED = "repeated documents"  # of a query, such as the passages of a document
    NO_DOCUMENTS = "no ranking"  # queries, for example of a query rewriter

    @property
    def has_documents(self) -> bool:
        """Whether each query's documents are known, and each document is there once."""
        return self in (ResultForm.RANKED, ResultForm.UNORDERED)


class StageResult(NamedTuple):
    """The documents that a stage returned.

    form: says which columns and rows `ranking` has.
    ranking: `qid`, `docno`, `score`, `rank`, best first; of an unordered result `qid` and `docno`;
        else without rows.
    """

    form: ResultForm
    ranking: pd.DataFrame


def read_result(frame: object, where: str) -> StageResult:
    """Read the documents of a frame that a transformer returned.

    where: names the stage in an error.

    Raises:
        ValueError: no frame, ids that are no texts, or a score or rank that is no number.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(
            f"{where} returned {type(frame).__name__}, no pandas.DataFrame. Let its `transform` "
            "return a frame."
        )
    no_rows = pd.DataFrame(columns=RANKED_COLUMNS, dtype=object)
    if not {"qid", "docno"} <= set(frame.columns):
        return StageResult(ResultForm.NO_DOCUMENTS, no_rows)

    columns = [name for name in RANKED_COLUMNS if name in frame.columns]
    results = frame[columns].reset_index(drop=True)
    _check_values(results, where)
    if results.duplicated(["qid", "docno"]).any():
        return StageResult(ResultForm.REPEATED, no_rows)

    if "score" not in columns and "rank" in columns:
        results = results.assign(score=-results["rank"].astype(float))
    if "score" not in results.columns or _has_equal_scores(results):
        return StageResult(ResultForm.UNORDERED, results[["qid", "docno"]])
    return StageResult(ResultForm.RANKED, _rank_by_score(results))


def _check_values(results: pd.DataFrame, where: str) -> None:
    """Raise ValueError for ids that are no texts, and for scores or ranks that are no numbers."""
    if results.empty:
        return
    try:
        for name in results.columns:
            if name in frames.COLUMN_CHECKS:
                frames.COLUMN_CHECKS[name](results, name)
    except ValueError as error:
        raise ValueError(f"{where} returned a wrong result. {error}") from error

    # beside scores, ranks are not read
    if "score" not in results.columns and "rank" in results.columns:
        ranks = pd.to_numeric(results["rank"], errors="coerce").to_numpy(dtype=float)
        if not np.isfinite(ranks).all():
            raise ValueError(f"{where} returned a rank that is no number. Return scores instead.")


def _has_equal_scores(results: pd.DataFrame) -> bool:
    """Return whether all documents of each query have one score, as in a pool of candidates.

    A query with a single document says nothing about that: False if all queries are such.
    """
    scores_by_query = results.groupby("qid")["score"]
    document_counts = scores_by_query.size()
    if not (document_counts > 1).any():
        return False
    distinct_counts = scores_by_query.nunique()
    return bool((distinct_counts == 1).all())


def _rank_by_score(results: pd.DataFrame) -> pd.DataFrame:
    """Return `qid`, `docno`, `score` and `rank` from 1, best first."""
    if results.empty:
        return pd.DataFrame(columns=RANKED_COLUMNS, dtype=object)
    ordered = best_first(results)
    ranks = 1 + ordered.groupby("qid", sort=False).cumcount().to_numpy()
    return ordered[["qid", "docno", "score"]].assign(rank=ranks)
