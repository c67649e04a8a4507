"""A query's candidates."""

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from .. import datasets, frames
from .pool_restriction import PoolRestriction
from .step import Step

COLUMNS = ["qid", "docno", "score"]


@dataclass(eq=False, repr=False)
class Pool(Step):
    """From topics to each topic's candidates; as a restriction behind a retriever: `restrict`.

    Columns out: the topics' columns, `docno`, `score` (the source's, 0.0 where it has none) and
    `rank`. A query paper (column `query_docno`, where there is one) is no candidate of itself.

    Args:
        source: a dataset (an id, a PyTerrier or an ir_datasets dataset), whose scoreddocs are the
            candidates, or if it has none the documents of its qrels; or a frame with `qid`, `docno`
            and perhaps `score`, such as qrels or results.

    Raises:
        ValueError: duplicate topics, a topic without candidates; names them and the source.
    """

    source: object

    def transform(self, topics):
        """Give each topic's candidates."""
        remedy = "To keep of a retriever's results what is in the pool, use Pool(…).restrict()."
        topics = frames.check(topics, self, ["qid"], without=["docno"], remedy=remedy)
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        if topics.empty:
            return frames.ranked(topics.assign(docno=pd.Series([], dtype=object), score=0.0))
        return frames.ranked(topics.merge(self.candidates(topics), on="qid"))

    def restrict(self, missing="drop"):
        """A transformer that keeps of results what is in the pool.

        Args:
            missing: what to do with candidates that the retriever missed: ``"drop"`` leaves them
                out, ``"append"`` puts them last, so that the whole pool is ranked.
        """
        return PoolRestriction(self, missing)

    def coverage(self, run):
        """How much of each query's pool a run ranks.

        Returns:
            A frame with a row for each query of the source: `qid`, `pool` (number of candidates),
            `ranked` (how many of them are in the run) and `coverage` (their ratio, 0 to 1).
        """
        run = frames.check(run, self, ["qid", "docno"], keys=())
        candidates = _without_self(self._table(), run)
        seen = set(zip(run["qid"], run["docno"]))
        ranked = [pair in seen for pair in zip(candidates["qid"], candidates["docno"])]
        counted = candidates.assign(ranked=ranked).groupby("qid", sort=False)["ranked"]
        sizes = counted.agg(pool="size", ranked="sum").reset_index()
        return sizes.assign(coverage=sizes["ranked"] / sizes["pool"])

    def candidates(self, frame):
        """The candidates (`qid`, `docno`, `score`) of the queries in `frame`, in source order.

        Raises:
            ValueError: a query has none.
        """
        table = self._table()
        found = _without_self(table[table["qid"].isin(frame["qid"])], frame)
        without = frame["qid"][~frame["qid"].isin(found["qid"])].drop_duplicates()
        if len(without):
            raise ValueError(
                f"{self!r} has no candidates for {len(without)} of the queries: "
                f"{frames.some(map(repr, without))}; it has some for "
                f"{frames.some(map(repr, table['qid'].unique()))}. Are the topics of this dataset? "
                "If so drop these, or give Pool a frame that has candidates for them."
            )
        return found

    def _table(self):
        """All candidates: a frame of COLUMNS, each pair of query and document once."""
        if not isinstance(self.source, pd.DataFrame):
            return _of_dataset(self)
        remedy = "Pool's source needs them."
        source = frames.check(self.source, self, ["qid", "docno"], remedy=remedy)
        return (source if "score" in source.columns else source.assign(score=0.0))[COLUMNS]


@lru_cache(maxsize=8)
def _of_dataset(pool):
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


def _without_self(candidates, frame):
    """`candidates` without pairs of a query in `frame` and the paper that it comes from."""
    if "query_docno" not in frame.columns:
        return candidates
    selves = set(zip(frame["qid"], frame["query_docno"]))
    return frames.without_pairs(candidates, selves)
