"""Retrieve documents of a whole collection by their sentences: index these, then search them.

    (SentenceVectors(encoder) >> FlexIndex(path).indexer()).index(dataset.get_corpus_iter())
    retriever = SentenceRetriever(FlexIndex(path).np_retriever(num_results=1000), encoder)
    (FacetQuery(dataset) >> retriever)(topics)

Both steps need the same encoder and context.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from ..encoders import EncoderLike, as_passage_encoder, sentence_vectors
from ..encoders.contexts import ContextName
from ..paper import Paper
from ..step import Count, Step, make_column, retrieved
from .facet_query import read_queries
from .paper_loader import PaperLoader
from .sentence_comparison import choose_positions, list_chosen
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
        self.check_settings()
        documents = PaperLoader().transform(documents)
        documents = documents.drop_duplicates("docno")

        docnos = documents["docno"].tolist()
        papers = documents["paper"].tolist()
        vectors_of_papers = self._encode_papers(papers)
        chosen_positions = list_chosen(documents)  # of each document

        # one entry for each sentence in each of the three columns
        sentence_ids = []
        sentence_texts = []
        sentence_arrays = []
        for docno, paper, vectors, chosen in zip(
            docnos, papers, vectors_of_papers, chosen_positions
        ):
            for position in choose_positions(paper, chosen):
                sentence_ids.append(f"{docno}{MARK}{position}")
                sentence_texts.append(paper.sentences[position])
                sentence_arrays.append(np.ascontiguousarray(vectors[position]))

        rows = pd.DataFrame({"docno": sentence_ids, "sentence": sentence_texts}, dtype=object)
        return rows.assign(doc_vec=make_column(sentence_arrays, rows))

    def _encode_papers(self, papers: list[Paper]) -> list[np.ndarray]:
        """Return the vectors (sentences, d) of each paper's sentences."""
        if not papers:  # zero rows need no encoder
            return []
        return sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)


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
    aggregate: Literal["mean", "max", "sum"] = field(default="mean", kw_only=True)
    num_results: Count = field(default=1000, kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return the documents whose sentences are nearest to each query's, ranked."""
        needed_columns = ["qid", "query_paper", "query_sentence_ids"]
        topics = self.check(topics, needed_columns, without=["docno"], remedy=REMEDY)

        results = []
        if len(topics):
            results = self._search(topics)
        return retrieved(topics, results, self.num_results, without_self=True)

    def _search(self, topics: pd.DataFrame) -> list[pd.DataFrame]:
        """Return a frame of scored documents for each query: `qid`, `docno`, `score`."""
        vectors_of_queries = self._encode_queries(topics)  # (sentences, d) of each query
        all_vectors = [vector for vectors in vectors_of_queries for vector in vectors]
        hits = self._search_sentences(all_vectors)

        # sentences are numbered query by query: 0 and 1 are those of a first query of two sentences
        sentence_counts = [len(vectors) for vectors in vectors_of_queries]
        query_of_sentence = np.repeat(np.arange(len(topics)), sentence_counts)
        query_of_hit = query_of_sentence[hits["sentence"].to_numpy()]

        results = []
        for query, hits_of_query in hits.groupby(query_of_hit):
            scored_documents = _score_documents(hits_of_query, self.aggregate)
            results.append(scored_documents.assign(qid=topics["qid"].iloc[query]))
        return results

    def _search_sentences(self, vectors: Sequence[np.ndarray]) -> pd.DataFrame:
        """Search for each of the queries' sentences, by its vector (d,).

        Returns:
            A frame of the sentences of documents that are found: `sentence` (the number of the
            query's sentence that finds it), `docno` (the document), `score`.
        """
        # for the retriever, a sentence is a query, with the sentence's number as its id
        searches = pd.DataFrame({"query_vec": vectors})
        searches["qid"] = searches.index.astype(str)
        found_sentences = self.retriever.transform(searches)

        # the id of a document's sentence is the document's id, MARK, the sentence's position
        docnos = found_sentences["docno"].str.rsplit(MARK, n=1).str[0]
        return pd.DataFrame(
            {
                "sentence": found_sentences["qid"].astype(int),
                "docno": docnos,
                "score": found_sentences["score"],
            }
        )

    def _encode_queries(self, topics: pd.DataFrame) -> list[np.ndarray]:
        """Return for each query the vectors (m, d) of its m sentences that ask."""
        queries = read_queries(topics)
        # several queries may ask with sentences of one paper, which is encoded once
        distinct_papers = list(dict.fromkeys(query.paper for query in queries))
        encoder = self.loaded(as_passage_encoder)
        vectors_of_papers = sentence_vectors(encoder, distinct_papers, self.context)
        vectors_of_paper = dict(zip(distinct_papers, vectors_of_papers))
        return [vectors_of_paper[query.paper][query.positions] for query in queries]


def _score_documents(hits: pd.DataFrame, aggregate: str) -> pd.DataFrame:
    """Return a frame of documents (`docno`, `score`), scored by the hits of a query's sentences.

    Args:
        hits: a frame of the retrieved sentences of documents: `sentence` (the query's, that
            retrieved it), `docno`, `score`.
        aggregate: over the query's sentences.
    """
    # the query's sentences are rows, documents are columns; NaN where nothing was retrieved
    best_hits = hits.groupby(["sentence", "docno"])["score"].max().unstack()

    # what was not retrieved is at most as similar as the lowest hit of the query's sentence
    lowest_hits = hits.groupby("sentence")["score"].min().to_numpy()  # (sentences,)
    similarities = np.where(best_hits.isna(), lowest_hits[:, None], best_hits)

    aggregate_sentences = AGGREGATES[aggregate]
    scores = aggregate_sentences(similarities, axis=0)
    return pd.DataFrame({"docno": best_hits.columns, "score": scores})
