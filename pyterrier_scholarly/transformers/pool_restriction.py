"""Results held against a pool."""

from dataclasses import dataclass

import pandas as pd

from .. import frames
from .step import Step

MISSING = ("drop", "append")


@dataclass(eq=False, repr=False)
class PoolRestriction(Step):
    """What ``Pool(…).restrict(…)`` gives: put it directly behind a retriever.

    Columns out: those that came in, with new ranks. Rows outside the query's pool go, and so does
    the query paper itself. With ``missing="append"``, candidates that the retriever missed come
    last, with one common score below the query's lowest. Their topic columns are those of the
    query's other rows; document columns (`text`, …) are empty, so load these behind. `docid` goes,
    since the retriever's own number of an appended document is not known.

    A query without any row in the results cannot be restored from them: `Pool.coverage` shows it.

    Raises:
        ValueError: a query without candidates, or an unknown value of `missing`.
    """

    pool: object
    missing: str = "drop"

    def transform(self, results):
        """Keep what is in the pool."""
        remedy = "Pool(…).restrict() follows a retriever; for candidates of topics use Pool(…)."
        results = frames.check(results, self, ["qid", "docno", "score"], remedy=remedy)
        if self.missing not in MISSING:
            raise ValueError(f"missing={self.missing!r}: choose one of {', '.join(MISSING)}.")
        append = self.missing == "append"
        results = results.drop(columns=["rank", *(["docid"] if append else [])], errors="ignore")
        if results.empty:
            return frames.ranked(results)
        candidates = self.pool.candidates(results)[["qid", "docno"]]
        kept = results.merge(candidates, on=["qid", "docno"])
        if append:
            missed = _missed(results, candidates)
            parts = [part for part in (kept, missed) if len(part)]
            kept = pd.concat(parts).reindex(columns=results.columns)
        return frames.ranked(kept)

    def __repr__(self):
        missing = "" if self.missing == "drop" else f"missing={self.missing!r}"
        return f"{self.pool!r}.restrict({missing})"

    def schematic(self, *, input_columns=None):
        """How PyTerrier draws this step."""
        return {"label": "Pool.restrict", "help_url": None}


def _missed(results, candidates):
    """Rows for the candidates that are not in `results`, below all that are."""
    topics = results[frames.topic_columns(results)].drop_duplicates("qid")
    lowest = results.groupby("qid")["score"].min()
    below = lowest - 1 - lowest.abs()  # less than the lowest also where 1 is lost to rounding
    seen = set(zip(results["qid"], results["docno"]))
    new = frames.without_pairs(candidates, seen)
    return new.merge(topics, on="qid").assign(score=lambda rows: rows["qid"].map(below))
