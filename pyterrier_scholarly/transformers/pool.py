"""A query's candidates, and a retriever's results restricted to them.

Pool("csfcube/method") >> scorer  # all candidates are scored
retriever >> Pool("csfcube/method").restrict()  # of what was retrieved, the candidates are kept
"""

from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd

from .. import datasets
from ..choices import some
from ..step import Step, ranked, retrieved, topic_columns
from ..typed_records import Record

CANDIDATE_COLUMNS = ["qid", "docno", "score"]


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
        topics = self.check(topics, ["qid"], without=["docno"], remedy=remedy)
        if topics.empty:
            return retrieved(topics, [])
        return retrieved(topics, [self.candidates(topics)])

    def restrict(self, missing: Literal["drop", "append"] = "drop") -> "PoolRestriction":
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
        run = self.check(run.drop_duplicates(["qid", "docno"]), ["qid", "docno"])
        candidates = _drop_own_papers(self._read_source(), run)
        candidates = candidates.assign(ranked=_find_pairs(candidates, run, "docno"))
        queries = candidates.groupby("qid", sort=False)
        return queries["ranked"].agg(pool="size", ranked="sum", coverage="mean").reset_index()

    def candidates(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return candidates (`qid`, `docno`, `score`) of the queries in `frame`, in source order.

        Raises:
            ValueError: a query without candidates.
        """
        source = self._read_source()
        of_queries = source[source["qid"].isin(frame["qid"])]
        candidates = _drop_own_papers(of_queries, frame)

        has_candidates = frame["qid"].isin(candidates["qid"])
        missing_qids = frame["qid"][~has_candidates].drop_duplicates()
        if len(missing_qids):
            raise ValueError(
                f"{self!r} has no candidates for {len(missing_qids)} of the queries: "
                f"{some(map(repr, missing_qids))}; it has some for "
                f"{some(map(repr, source['qid'].unique()))}. Are the topics of this "
                "dataset? If so drop these, or pass Pool a frame that has candidates for them."
            )
        return candidates

    def _read_source(self) -> pd.DataFrame:
        """Return all candidates: CANDIDATE_COLUMNS, each pair of query and document once."""
        if isinstance(self.source, pd.DataFrame):
            source = self.check(self.source, ["qid", "docno"], remedy="Pool's source needs them.")
            if "score" not in source.columns:
                source = source.assign(score=0.0)
            return source[CANDIDATE_COLUMNS]

        dataset = datasets.irds(self.source)
        if dataset.has_scoreddocs():
            kind, read = "scoreddocs", dataset.scoreddocs_iter
        elif dataset.has_qrels():
            kind, read = "qrels", dataset.qrels_iter
        else:
            raise ValueError(
                f"{self!r}: the dataset has neither scoreddocs nor qrels. Use one that has, "
                "such as 'csfcube/method', or a frame with qid and docno."
            )
        identity = datasets.identify_records(dataset, kind)
        return datasets.fit_once(lambda: _list_candidates(read()), identity)

    def __fingerprint__(self) -> dict[str, object]:
        """Return the candidates, from which a change of this step is recognised."""
        return {"source": self._read_source()}


def _list_candidates(records: Iterable[Record]) -> pd.DataFrame:
    """Return the candidates in scoreddocs or qrels; those of qrels have the score 0."""
    rows = [(record.query_id, record.doc_id, getattr(record, "score", 0.0)) for record in records]
    return pd.DataFrame(rows, columns=CANDIDATE_COLUMNS)


def _drop_own_papers(candidates: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out pairs of a query in `frame` and the paper that it comes from."""
    if "query_docno" not in frame.columns:
        return candidates
    return candidates[~_find_pairs(candidates, frame, "query_docno")]


def _find_pairs(candidates: pd.DataFrame, frame: pd.DataFrame, column: str) -> np.ndarray:
    """Return for each candidate whether its query and document are a row's `qid` and `column`."""
    pairs = pd.MultiIndex.from_frame(frame[["qid", column]])
    return pd.MultiIndex.from_frame(candidates[["qid", "docno"]]).isin(pairs)


class PoolRestriction(Step):
    """Keep of results what is in a pool; ``Pool(…).restrict(…)`` returns it.

    Put it directly behind a retriever. Columns in: `qid`, `docno`, `score`. Columns out: those that
    came in, with new `rank`. Rows outside the query's pool are dropped, and so is the query's own
    paper (column `query_docno`, if present). With ``missing="append"``, candidates that the
    retriever missed come last, with one common score below the query's lowest. Their topic columns
    are those of the query's other rows. Their document columns (`text`, …) are empty, so load these
    afterwards; `docid` is dropped, since the retriever's own number of an appended document is
    unknown.

    A query without any row in the results stays without rows; `Pool.coverage` shows it.

    Raises:
        ValueError: a query without candidates, or an unknown value of `missing`.
    """

    pool: Pool
    missing: Literal["drop", "append"] = "drop"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Keep what is in the pool."""
        remedy = "Pool(…).restrict() follows a retriever; for candidates of topics use Pool(…)."
        results = self.check(results, CANDIDATE_COLUMNS, remedy=remedy)
        if self.missing == "append":
            results = results.drop(columns="docid", errors="ignore")
        if results.empty:
            return ranked(results)

        candidates = self.pool.candidates(results)[["qid", "docno"]]
        kept = results.merge(candidates, on=["qid", "docno"])
        if self.missing == "drop":
            return ranked(kept)

        missed = _score_missed(candidates, results)
        # pandas warns of empty frames among those that it joins
        filled_parts = [part for part in (kept, missed) if len(part)]
        rows = pd.concat(filled_parts)
        return ranked(rows.reindex(columns=results.columns))

    def __repr__(self) -> str:
        argument = "" if self.missing == "drop" else f"missing={self.missing!r}"
        return f"{self.pool!r}.restrict({argument})"

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step in PyTerrier's diagrams."""
        return {"label": "Pool.restrict", "help_url": None}


def _score_missed(candidates: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return the candidates missing from results: topic columns, `docno`, and a `score`.

    The score is one for all of a query, below its lowest in the results.
    """
    is_retrieved = _find_pairs(candidates, results, "docno")
    topics = results[topic_columns(results)].drop_duplicates("qid")
    missed = candidates[~is_retrieved].merge(topics, on="qid")

    # minus 1 alone would not do, because rounding would lose it beside a large score
    lowest_scores = results.groupby("qid")["score"].min()  # by qid
    scores_below = lowest_scores - 1 - lowest_scores.abs()
    return missed.assign(score=missed["qid"].map(scores_below))
