"""First stage: documents of a whole collection, found by their sentences."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .. import frames
from ..encoders import as_passage_encoder, sentence_vectors
from ..similarity.maxsim import aggregation
from ..text.contexts import context_named
from ._in_context import ASKED, asked_of
from .sentence_vectors import documents_of
from .step import Step

REMEDY = "Put FacetQuery(…) before it; for candidates use SentenceMaxSim(…)."


@dataclass(eq=False, repr=False)
class SentenceRetriever(Step):
    """Retrieves documents by the sentences that are nearest to the query's.

    Every sentence of the query goes to `retriever`, over an index that `SentenceVectors` filled;
    documents are ranked by all their sentences that it finds.

    Columns in: what `FacetQuery` gives. Columns out: the same and `docno`, `score` and `rank`,
    rows by query and rank. `score` is that of `SentenceMaxSim`: the mean over the query's sentences
    (or ``"max"``, or ``"sum"``) of the best among the document's sentences, a cosine. The query
    paper (column `query_docno`) is left out.

    What is approximate: of a document that the retriever finds for some of the query's sentences
    alone, the best cosine to another is not known. It counts as the lowest that was retrieved for
    that one, which it cannot exceed where the retriever is exhaustive (`np_retriever`,
    `torch_retriever`), so scores are upper bounds; they are `SentenceMaxSim`'s own where all
    sentences are retrieved, and with ``"max"`` for every document that is retrieved. To have them
    exact, re-rank: ``SentenceRetriever(…) >> Sentences(…) >> SentenceMaxSim(…)``. A retriever
    over approximate neighbours (HNSW and the like) may miss a sentence altogether.

    Args:
        retriever: from rows with `qid` and `query_vec` to sentences with `docno` and `score`: of a
            pyterrier_dr `FlexIndex`, ``index.np_retriever(num_results=1000)`` or another of its
            retrievers. How many sentences it gives bounds how many documents are found.
        encoder: the one that the sentences were indexed with.
        context: the one that the sentences were indexed with.
        aggregate: over the query's sentences: ``"mean"``, ``"max"`` or ``"sum"``.
        num_results: documents per query, at most.

    Raises:
        ValueError: an unknown context or aggregate, a query sentence that its paper does not have.
    """

    retriever: object
    encoder: object
    context: str = "title"
    aggregate: str = field(default="mean", kw_only=True)
    num_results: int = field(default=1000, kw_only=True)

    def transform(self, topics):
        """Retrieve and rank."""
        context_named(self.context)
        aggregation(self.aggregate)
        topics = frames.check(topics, self, ASKED, without=["docno"], remedy=REMEDY)
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        found = self._documents(topics) if len(topics) else _NOTHING
        if "query_docno" in topics.columns:
            own = dict(zip(topics["qid"], topics["query_docno"]))
            found = found[found["docno"] != found["qid"].map(own)]
        ranked = frames.ranked(topics.merge(found, on="qid"))
        return ranked[ranked["rank"] < self.num_results].reset_index(drop=True)

    def _documents(self, topics):
        """Documents with scores: a frame `qid`, `docno`, `score`."""
        vectors = self._query_vectors(topics)
        rows = pd.DataFrame({"query_vec": [vector for matrix in vectors for vector in matrix]})
        hits = self.retriever.transform(rows.assign(qid=rows.index.astype(str)))
        hits = pd.DataFrame(
            {
                "row": hits["qid"].astype(int),
                "docno": documents_of(hits["docno"]),
                "score": hits["score"],
            }
        )
        ends = np.cumsum([len(matrix) for matrix in vectors])
        queries = hits.groupby(np.searchsorted(ends, hits["row"], side="right"))
        scored = [
            _scored(own, self.aggregate).assign(qid=topics["qid"].iloc[number])
            for number, own in queries
        ]
        return pd.concat(scored) if scored else _NOTHING

    def _query_vectors(self, topics):
        """The vectors (m, d) of each query's m sentences."""
        asked = asked_of(topics)
        papers = list(dict.fromkeys(one.paper for one in asked))
        made = sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)
        vectors_of = dict(zip(papers, made))
        return [vectors_of[one.paper][one.places] for one in asked]


_NOTHING = pd.DataFrame({name: pd.Series([], dtype=object) for name in ("qid", "docno", "score")})


def _scored(hits, aggregate):
    """Documents (`docno`, `score`) of the sentences (`row`, `docno`, `score`) found for a query."""
    best = hits.groupby(["row", "docno"])["score"].max().unstack()
    lowest = hits.groupby("row")["score"].min()  # no sentence that was not retrieved has more
    table = np.where(best.isna(), lowest.to_numpy()[:, None], best)
    return pd.DataFrame({"docno": best.columns, "score": aggregation(aggregate)(table, axis=0)})
