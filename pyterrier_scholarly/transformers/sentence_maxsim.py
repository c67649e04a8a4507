"""Ranking by the best-matching sentences."""

from dataclasses import dataclass, field

import numpy as np

from .. import frames
from ..encoders import LSA, as_encoder, vectors
from ..similarity.maxsim import aggregation, max_sim
from ._step import Step


@dataclass(eq=False, repr=False)
class SentenceMaxSim(Step):
    """Scores documents by how well their best sentences match the query's.

    Columns in: `qid`, `docno`, `query_sentences`, `sentences`. Columns out: the same and `score`
    and `rank`, rows by query and rank. `score` is a cosine, from -1 to 1: over all pairs of a query
    sentence and a document's sentence the maximum [Mysore2021], or the mean over query sentences
    of the maximum over the document's [Wang2023, eq. 4], or the sum (from -m to m for m query
    sentences). A document without sentences gets the lowest of these values; a zero vector has
    cosine 0 with every other.

    Every distinct sentence is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; or None for `LSA`,
            which needs no download, fitted once on the documents of `dataset`.
        dataset: used where there is no encoder.
        aggregate: ``"max"``, ``"mean"`` or ``"sum"``.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown aggregate, a query without sentences,
            sentences that are NaN or empty; names the rows.
    """

    encoder: object = None
    dataset: object = field(default=None, kw_only=True)
    aggregate: str = field(default="max", kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        needed = ["qid", "docno", "query_sentences", "sentences"]
        remedy = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
        frames.require(results, self, needed, remedy=remedy)
        aggregation(self.aggregate)
        frames.sentences_only(results, "query_sentences")
        frames.sentences_only(results, "sentences", by="docno", empty=True)
        scores = self._scores(results) if len(results) else []
        return frames.ranked(results.assign(score=scores))

    def _scores(self, results):
        """One score per row (n,)."""
        encoder = self._encoder()
        query_texts = _Texts()
        alike = getattr(encoder, "symmetric", False)
        document_texts = query_texts if alike else _Texts()
        queries = [query_texts.numbers(sentences) for sentences in results["query_sentences"]]
        documents = [document_texts.numbers(sentences) for sentences in results["sentences"]]

        query_vectors = vectors(encoder.encode_queries, query_texts.number)
        document_vectors = (
            query_vectors if alike else vectors(encoder.encode_documents, document_texts.number)
        )
        scores = np.empty(len(results))
        for rows in results.reset_index(drop=True).groupby("qid").indices.values():
            candidates = [documents[row] for row in rows]
            scores[rows] = max_sim(
                query_vectors[queries[rows[0]]],
                document_vectors[np.concatenate(candidates)],
                [len(candidate) for candidate in candidates],
                self.aggregate,
            )
        return scores

    def _encoder(self):
        if self.encoder is not None:
            return as_encoder(self.encoder, batch_size=self.batch_size, verbose=self.verbose)
        if self.dataset is None:
            raise ValueError(
                "SentenceMaxSim needs an encoder (a sentence-transformers model or its name, a "
                "pyterrier_dr bi-encoder, a function), or a dataset to fit the light default on: "
                "SentenceMaxSim(dataset='csfcube')."
            )
        return LSA(self.dataset)


class _Texts:
    """Numbers distinct texts in the order in which they are first seen."""

    def __init__(self):
        self.number = {}
        self._known = {}

    def numbers(self, texts):
        """The numbers of `texts`; the same list object, shared by many rows, is read once."""
        if id(texts) not in self._known:
            found = [self.number.setdefault(text, len(self.number)) for text in texts]
            # with the list itself, so that no later one can get its id
            self._known[id(texts)] = texts, np.array(found, dtype=np.intp)
        return self._known[id(texts)][1]
