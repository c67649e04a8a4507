"""Retrieve documents of a whole collection by their sentences: index these, then search them."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import pandas as pd
import pyterrier as pt

from ... import frames
from ...arguments import Count, one_of
from ...encoders import EncoderLike, as_passage_encoder, sentence_vectors
from ...similarity.maxsim import AGGREGATES
from ...text.contexts import CONTEXTS
from ..sentences import Sentences
from ..step import Step
from .sentence_score import READ_BY_CONTEXT
from .sides import make_paper, make_queries, needed_in_context

REMEDY = "Put FacetQuery(…) before it; for candidates use SentenceMaxSim(…)."
MARK = "#"  # between a document's id and the number of a sentence


@dataclass(eq=False, repr=False)
class SentenceVectors(Step):
    """Make a row of every sentence of documents, to be indexed; `SentenceRetriever` searches them.

    ``(SentenceVectors(encoder) >> FlexIndex(path).indexer()).index(dataset.get_corpus_iter())``

    Columns in: `docno`, and `sentences` (with optional `labels` and `sentence_ids`) or a `text`,
    which is split; optional `title`. Columns out: `docno` (``<document>#<number>``, the sentence's
    position in the document, from 0), `sentence` (str) and `doc_vec` (float32, of length 1, so that
    inner products are cosines). A document without sentences has no row and cannot be retrieved.

    Args:
        encoder, context: as for `SentenceMaxSim`.

    Raises:
        ValueError: an unknown context, blank or NaN sentences; names the documents.
    """

    encoder: EncoderLike
    context: Annotated[str, one_of(CONTEXTS)] = "title"

    def transform(self, documents: pd.DataFrame) -> pd.DataFrame:
        """Make a row of each sentence."""
        self.check_settings()
        documents = Sentences().transform(documents).drop_duplicates("docno")
        papers = [
            make_paper(row.sentences, row.title, row.labels)
            for row in documents.itertuples(index=False)
        ]
        vectors_of_papers: list[np.ndarray] = []
        if papers:
            encoder = self.loaded(as_passage_encoder)
            vectors_of_papers = sentence_vectors(encoder, papers, self.context)

        docnos: list[str] = []
        sentences: list[str] = []
        vectors: list[np.ndarray] = []
        for docno, positions, paper, paper_vectors in zip(
            documents["docno"], documents["sentence_ids"], papers, vectors_of_papers
        ):
            docnos += [f"{docno}{MARK}{position}" for position in positions]
            sentences += paper.sentences
            vectors += map(np.ascontiguousarray, paper_vectors)
        return pd.DataFrame(
            {
                "docno": frames.column(docnos),
                "sentence": frames.column(sentences),
                "doc_vec": frames.column(vectors),
            }
        )


@dataclass(eq=False, repr=False)
class SentenceRetriever(Step):
    """Retrieve documents by the sentences that are nearest to the query's.

    `retriever` searches an index of `SentenceVectors` for every sentence of the query; documents
    are ranked by all of their sentences that it finds.

    Columns in: `qid`, `query_paper_sentences` and `query_sentence_ids`; for the contexts but
    "sentence" also `query_title`, for "facet" also `query_paper_labels`. Columns out: the same and
    `docno`, `score` and `rank`, rows by query and rank. `score` is that of `SentenceMaxSim`: the
    mean over the query's sentences (or ``"max"``, or ``"sum"``) of the best cosine with a sentence
    of the document. The query's own paper (column `query_docno`) is left out.

    What is approximate: a document may be found for only some of the query's sentences. For another
    sentence its best cosine is unknown, and the lowest retrieved cosine of that sentence is taken.
    An exhaustive retriever (`np_retriever`, `torch_retriever`) found all higher ones, so scores are
    upper bounds. They equal `SentenceMaxSim`'s if all sentences are retrieved, or with ``"max"``.
    For exact scores, re-rank: ``SentenceRetriever(…) >> Sentences(…) >> SentenceMaxSim(…)``. A
    retriever of approximate neighbours (such as HNSW) may miss a sentence altogether.

    Args:
        retriever: from rows with `qid` and `query_vec` to sentences with `docno` and `score`, such
            as ``index.np_retriever(num_results=1000)`` of a pyterrier_dr `FlexIndex`. The number of
            sentences that it returns limits the number of documents.
        encoder, context: those that the sentences were indexed with.
        aggregate: over the query's sentences: ``"mean"``, ``"max"`` or ``"sum"``.
        num_results: documents per query, at most.

    Raises:
        ValueError: an unknown context or aggregate, a position outside the query's paper.
    """

    retriever: pt.Transformer
    encoder: EncoderLike
    context: Annotated[str, one_of(CONTEXTS)] = "title"
    aggregate: Annotated[str, one_of(AGGREGATES)] = field(default="mean", kw_only=True)
    num_results: Count = field(default=1000, kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve and rank."""
        self.check_settings()
        of_both_sides = needed_in_context(**READ_BY_CONTEXT[self.context])
        needed = ["qid", *(name for name in of_both_sides if frames.is_query_column(name))]
        topics = frames.check(
            topics, self, needed, without=["docno"], optional=frames.QUERY_PAPER, remedy=REMEDY
        )
        parts = self._documents(topics) if len(topics) else []
        return frames.retrieved(topics, parts, self.num_results, without_self=True)

    def _documents(self, topics: pd.DataFrame) -> list[pd.DataFrame]:
        """Return scored documents, a frame `qid`, `docno`, `score` per query."""
        vectors = self._query_vectors(topics)
        rows = pd.DataFrame({"query_vec": [vector for matrix in vectors for vector in matrix]})
        hits = self.retriever.transform(rows.assign(qid=rows.index.astype(str)))
        hits = hits[["score"]].assign(
            row=hits["qid"].astype(int), docno=hits["docno"].str.rsplit(MARK, n=1).str[0]
        )
        ends = np.cumsum([len(matrix) for matrix in vectors])
        queries = hits.groupby(np.searchsorted(ends, hits["row"], side="right"))
        return [
            _scored(group, self.aggregate).assign(qid=topics["qid"].iloc[number])
            for number, group in queries
        ]

    def _query_vectors(self, topics: pd.DataFrame) -> list[np.ndarray]:
        """Return the vectors (m, d) of each query's m sentences."""
        queries = make_queries(topics, ["query_sentence_ids", *frames.QUERY_PAPER])
        papers = list(dict.fromkeys(query.paper for query in queries))
        vectors = sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)
        vectors_of = dict(zip(papers, vectors))
        return [vectors_of[query.paper][query.positions] for query in queries]


def _scored(hits: pd.DataFrame, aggregate: str) -> pd.DataFrame:
    """Score documents (`docno`, `score`) by a query's hits (`row`, `docno`, `score`)."""
    best = hits.groupby(["row", "docno"])["score"].max().unstack()
    lowest = hits.groupby("row")["score"].min()  # sentences that were not retrieved have less
    table = np.where(best.isna(), lowest.to_numpy()[:, None], best)
    return pd.DataFrame({"docno": best.columns, "score": AGGREGATES[aggregate](table, axis=0)})
