"""Retrieve documents of a whole collection by their sentences: index these, then search them.

    (SentenceVectors(encoder) >> FlexIndex(path).indexer()).index(dataset.get_corpus_iter())
    retriever = SentenceRetriever(FlexIndex(path).np_retriever(num_results=1000), encoder)
    (FacetQuery(dataset) >> retriever)(topics)

Both steps need the same encoder and context.
"""

from dataclasses import KW_ONLY
from typing import Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from ..encoders import EncoderLike, as_passage_encoder, sentence_vectors
from ..encoders.contexts import ContextName
from ..step import Count, Step, list_chosen, retrieved
from .facet_query import Query, read_queries
from .paper_loader import PaperLoader
from .sentence_maxsim import AGGREGATES

REMEDY = "Put FacetQuery(…) before it; for candidates use SentenceMaxSim(…)."
MARK = "#"  # between a document's id and the number of a sentence


class SentenceVectors(Step):
    """Make a row of every sentence of documents, to be indexed; `SentenceRetriever` searches them.

    ``(SentenceVectors(encoder) >> FlexIndex(path).indexer()).index(dataset.get_corpus_iter())``

    Columns in: `docno`, and `paper`; or what `PaperLoader()` makes papers of: `sentences` (with
    optional `labels`) or a `text`, and optional `title`; optional `sentence_ids`, the sentences
    that are indexed, without which all are. Columns out: `docno`
    (``<document>#<number>``, the sentence's position in the document, from 0), `sentence` (str) and
    `doc_vec` (float32, of length 1, so that inner products are cosines). A document without
    sentences has no row and cannot be retrieved.

    Args:
        encoder, context: as for `SentenceMaxSim`.

    Raises:
        ValueError: an unknown context, blank or NaN sentences; names the documents.
    """

    encoder: EncoderLike
    context: ContextName = "title"

    def transform(self, documents: pd.DataFrame) -> pd.DataFrame:
        """Make a row of each sentence."""
        documents = PaperLoader().transform(documents)
        documents = documents.drop_duplicates("docno")

        papers = documents["paper"].tolist()
        arrays = []
        if papers:  # zero rows need no encoder
            arrays = sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)

        rows = []
        for paper, docno, chosen, vectors in zip(
            papers, documents["docno"], list_chosen(documents), arrays
        ):
            for position in paper.find_or_all("", chosen):
                sentence_id = f"{docno}{MARK}{position}"
                vector = np.ascontiguousarray(vectors[position])
                rows.append((sentence_id, paper.sentences[position], vector))
        return pd.DataFrame(rows, columns=["docno", "sentence", "doc_vec"], dtype=object)


class SentenceRetriever(Step):
    """Retrieve documents by the sentences that are nearest to the query's.

    `retriever` searches an index of `SentenceVectors` for every sentence of the query; documents
    are ranked by all of their sentences that it finds.

    Columns in: `qid`, `query_paper` and `query_sentence_ids`. Columns out: the same and `docno`,
    `score` and `rank`, rows by query and rank. `score` is that of `SentenceMaxSim`: the
    mean over the query's sentences (or ``"max"``, or ``"sum"``) of the best cosine with a sentence
    of the document. The query's own paper (column `query_docno`) is left out.

    What is approximate: a document may be found for only some of the query's sentences. For another
    sentence its best cosine is unknown, and the lowest retrieved cosine of that sentence is taken.
    An exhaustive retriever (`np_retriever`, `torch_retriever`) found all higher ones, so scores are
    upper bounds. They equal `SentenceMaxSim`'s if all sentences are retrieved, or with ``"max"``.
    For exact scores, re-rank: ``SentenceRetriever(…) >> PaperLoader(…) >> SentenceMaxSim(…)``. A
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
    context: ContextName = "title"
    _: KW_ONLY
    aggregate: Literal["mean", "max", "sum"] = "mean"
    num_results: Count = 1000

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return the documents whose sentences are nearest to each query's, ranked."""
        needed_columns = ["qid", "query_paper", "query_sentence_ids"]
        topics = self.check(topics, needed_columns, without=["docno"], remedy=REMEDY)

        if topics.empty:  # which needs no encoder
            return retrieved(topics, [])

        results = []
        for qid, hits_of_query in self._search(read_queries(topics)).groupby("qid", sort=False):
            scored_documents = _score_documents(hits_of_query, self.aggregate)
            results.append(scored_documents.assign(qid=qid))
        return retrieved(topics, results, self.num_results, without_self=True)

    def _search(self, queries: list[Query]) -> pd.DataFrame:
        """Return the sentences nearest to each one that asks: `qid`, `search`, `docno`, `score`.

        `search` tells apart the sentences of a query, and `docno` is the document's id.
        """
        # several queries may ask with sentences of one paper, which is encoded once
        papers = list(dict.fromkeys(query.paper for query in queries))
        arrays = sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)
        array_of_paper = dict(zip(papers, arrays))

        vectors: list[np.ndarray] = []  # of the sentences that ask
        qids: list[str] = []  # of the query of each
        for query in queries:
            vectors += list(array_of_paper[query.paper][query.positions])
            qids += [query.qid] * len(query.positions)

        # for the retriever each sentence is a query of its own, with a number as its id
        search_ids = [str(number) for number in range(len(vectors))]
        searches = pd.DataFrame({"qid": search_ids, "query_vec": vectors})
        hits = self.retriever.transform(searches)

        # the id of a document's sentence is the document's id, MARK, the sentence's position
        docnos = hits["docno"].str.rsplit(MARK, n=1).str[0]
        qid_of_search = dict(zip(search_ids, qids))
        return pd.DataFrame(
            {
                "qid": hits["qid"].map(qid_of_search),
                "search": hits["qid"],
                "docno": docnos,
                "score": hits["score"],
            }
        )


def _score_documents(hits: pd.DataFrame, aggregate: str) -> pd.DataFrame:
    """Return a frame of documents (`docno`, `score`), scored by the hits of a query's sentences.

    Args:
        hits: a frame of the retrieved sentences of documents: `search` (of a sentence of the
            query), `docno`, `score`.
        aggregate: over the query's sentences.
    """
    # the query's sentences are rows, documents are columns; NaN where nothing was retrieved
    best_hits = hits.groupby(["search", "docno"])["score"].max().unstack()

    # what was not retrieved is at most as similar as the lowest hit of the query's sentence
    lowest_hits = hits.groupby("search")["score"].min().to_numpy()  # (sentences,)
    similarities = np.where(best_hits.isna(), lowest_hits[:, None], best_hits)
    scores = AGGREGATES[aggregate](similarities, axis=0)
    return pd.DataFrame({"docno": best_hits.columns, "score": scores})
