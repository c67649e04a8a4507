"""A query's candidates, and a retriever's results restricted to them."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import pandas as pd

from .. import datasets, frames
from ..arguments import check_arguments
from .step import Step

COLUMNS = ["qid", "docno", "score"]
Missing: TypeAlias = Literal["drop", "append"]


@dataclass(eq=False, repr=False)
class Pool(Step):
    """Give each topic its candidates; behind a retriever, use `restrict`.

    Columns out: the topics' columns, `docno`, `score` (the source's, 0.0 if it has none) and
    `rank`. A query's own paper (column `query_docno`, if present) is no candidate.

    Args:
        source: a dataset (an id, a PyTerrier or an ir_datasets dataset), whose scoreddocs are the
            candidates, or without scoreddocs the documents of its qrels; or a frame with `qid`,
            `docno` and perhaps `score`, such as qrels or results.

    Raises:
        ValueError: duplicate topics, a topic without candidates; names them and the source.
    """

    source: object

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Give each topic its candidates."""
        remedy = "To keep of a retriever's results what is in the pool, use Pool(…).restrict()."
        topics = frames.check(topics, self, ["qid"], without=["docno"], remedy=remedy)
        return frames.retrieved(topics, [self.candidates(topics)] if len(topics) else [])

    @check_arguments
    def restrict(self, missing: Missing = "drop") -> "PoolRestriction":
        """Return a transformer that keeps of results what is in the pool.

        Args:
            missing: what to do with candidates that the retriever missed: ``"drop"`` leaves them
                out, ``"append"`` puts them last, so that the whole pool is ranked.
        """
        return PoolRestriction(self, missing)

    def coverage(self, run: pd.DataFrame) -> pd.DataFrame:
        """Count how much of each query's pool a run ranks.

        Returns:
            A frame with a row for each query of the source: `qid`, `pool` (number of candidates),
            `ranked` (how many of them are in the run) and `coverage` (their ratio, 0 to 1).
        """
        run = frames.check(run, self, ["qid", "docno"], keys=())
        candidates, seen = _without_self(self._table(), run), set(zip(run["qid"], run["docno"]))
        ranked = [pair in seen for pair in zip(candidates["qid"], candidates["docno"])]
        counted = candidates.assign(ranked=ranked).groupby("qid", sort=False)["ranked"]
        return counted.agg(pool="size", ranked="sum", coverage="mean").reset_index()

    def candidates(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return candidates (`qid`, `docno`, `score`) of the queries in `frame`, in source order.

        Raises:
            ValueError: a query without candidates.
        """
        table = self._table()
        candidates = _without_self(table[table["qid"].isin(frame["qid"])], frame)
        without = frame["qid"][~frame["qid"].isin(candidates["qid"])].drop_duplicates()
        if len(without):
            raise ValueError(
                f"{self!r} has no candidates for {len(without)} of the queries: "
                f"{frames.some(map(repr, without))}; it has some for "
                f"{frames.some(map(repr, table['qid'].unique()))}. Are the topics of this dataset? "
                "If so drop these, or pass Pool a frame that has candidates for them."
            )
        return candidates

    def _table(self) -> pd.DataFrame:
        """Return all candidates: a frame of COLUMNS, each pair of query and document once."""
        if not isinstance(self.source, pd.DataFrame):
            return _of_dataset(self)
        source = frames.check(
            self.source, self, ["qid", "docno"], remedy="Pool's source needs them."
        )
        return (source if "score" in source.columns else source.assign(score=0.0))[COLUMNS]


@lru_cache(maxsize=8)
def _of_dataset(pool: Pool) -> pd.DataFrame:
    dataset = datasets.irds(pool.source)
    if dataset.has_scoreddocs():
        rows = [(row.query_id, row.doc_id, row.score) for row in dataset.scoreddocs_iter()]
    elif dataset.has_qrels():
        rows = [(row.query_id, row.doc_id, 0.0) for row in dataset.qrels_iter()]
    else:
        raise ValueError(
            f"{pool!r}: the dataset has neither scoreddocs nor qrels. Use one that has, "
            "such as 'csfcube/method', or a frame with qid and docno."
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _without_self(candidates: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out pairs of a query in `frame` and the paper that it comes from."""
    if "query_docno" not in frame.columns:
        return candidates
    return frames.without_pairs(candidates, set(zip(frame["qid"], frame["query_docno"])))


@dataclass(eq=False, repr=False)
class PoolRestriction(Step):
    """Keep of results what is in a pool; ``Pool(…).restrict(…)`` returns it.

    Put it directly behind a retriever. Columns out: those that came in, with new ranks. Rows
    outside the query's pool are dropped, and so is the query's own paper. With
    ``missing="append"``, candidates that the retriever missed come last, with one common score
    below the query's lowest. Their topic columns are those of the query's other rows. Their
    document columns (`text`, …) are empty, so load these afterwards; `docid` is dropped, since the
    retriever's own number of an appended document is unknown.

    A query without any row in the results stays without rows; `Pool.coverage` shows it.

    Raises:
        ValueError: a query without candidates, or an unknown value of `missing`.
    """

    pool: Pool
    missing: Missing = "drop"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Keep what is in the pool."""
        remedy = "Pool(…).restrict() follows a retriever; for candidates of topics use Pool(…)."
        results = frames.check(results, self, COLUMNS, remedy=remedy)
        append = self.missing == "append"
        results = results.drop(columns=["rank", *(["docid"] if append else [])], errors="ignore")
        if results.empty:
            return frames.ranked(results)
        candidates = self.pool.candidates(results)[["qid", "docno"]]
        kept = results.merge(candidates, on=["qid", "docno"])
        if append:
            parts = [part for part in (kept, _missed(results, candidates)) if len(part)]
            kept = pd.concat(parts).reindex(columns=results.columns)
        return frames.ranked(kept)

    def __repr__(self) -> str:
        missing = "" if self.missing == "drop" else f"missing={self.missing!r}"
        return f"{self.pool!r}.restrict({missing})"

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step in PyTerrier's diagrams."""
        return {"label": "Pool.restrict", "help_url": None}


def _missed(results: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """Make rows for the candidates that are not in `results`, below all that are."""
    topics = results[frames.topic_columns(results)].drop_duplicates("qid")
    lowest = results.groupby("qid")["score"].min()
    below = lowest - 1 - lowest.abs()  # stays below the lowest even if rounding loses the 1
    new = frames.without_pairs(candidates, set(zip(results["qid"], results["docno"])))
    return new.merge(topics, on="qid").assign(score=lambda rows: rows["qid"].map(below))
