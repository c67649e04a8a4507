"""Scoring candidates by vectors of sentences: what SentenceMaxSim and its siblings share."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from .. import frames
from ..encoders import (
    LSA,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    plain,
    sentence_vectors,
)
from ..text.contexts import context_named
from ._in_context import counted_of, papers_of
from ._sides import alike, apart, in_context
from .step import Step

ISOLATED = ["qid", "docno", "query_sentences", "sentences"]
REMEDY = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."


@dataclass(eq=False, repr=False)
class SentenceScore(Step):
    """Scores candidates by sentence vectors; a scorer says how to `score` a query's pool.

    An encoder of texts encodes each sentence alone. An encoder of passages reads whole papers, the
    query's as it does candidates, and the query's sentences are taken from theirs.
    """

    encoder: object = None
    context: str = "sentence"
    dataset: object = field(default=None, kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    OF_FACET = False  #: whether of candidates the sentences of the query's facet count alone
    SPARSE = False  #: whether `score` takes sparse vectors, where the encoder gives such

    @property
    def scaled(self) -> bool:
        """Whether vectors in context have length 1; steps share these alone."""
        return True

    def check(self):
        """Raise ValueError for an unknown setting."""

    def score(self, query, rows, lengths):
        """Scores (k,) of a query's pool.

        Args:
            query: (m, d), vectors of the query's sentences.
            rows: (n, d), of all its candidates' sentences, one candidate after the other.
            lengths: (k,), sentences per candidate; they sum to n.
        """
        raise NotImplementedError

    def score_many(self, queries, rows, lengths):
        """The same for q queries that share their candidates: (q, k)."""
        return [self.score(query, rows, lengths) for query in queries]

    def matches(self, query, document, counted):
        """What pairs of sentences add to a score.

        Args:
            query, document: (m, d) and (n, d), vectors of a query's and of a candidate's sentences.
            counted: positions of the candidate's sentences that count; None for all.

        Returns:
            `similarity.contributions.Matches`.
        """
        raise NotImplementedError

    def read(self, paper):
        """The paper as an encoder of passages reads it."""
        return paper

    def transform(self, results):
        """Score and rank."""
        results, papers = self._door(results)
        scores = np.zeros(0)  # of zero rows, which need neither encoder nor dataset
        if len(results):
            scores = self._scores(results, *self._sides(results, papers))
        return frames.ranked(results.assign(score=scores))

    def explained(self, row):
        """What the score of a frame's one row is made of, see `matches`."""
        query, document, counted = self._sides(*self._door(row))
        return self.matches(query.of(0), document.of(0), counted and counted[0])

    def encoder_used(self):
        """The encoder: that of the settings, or `LSA` of the dataset."""
        if self.encoder is None and self.dataset is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs an encoder (a sentence-transformers model or its name, a "
                "pyterrier_dr bi-encoder, a function), or a dataset to fit the light default on: "
                f"{name}(dataset='csfcube')."
            )
        if self.encoder is None:
            return LSA(self.dataset) if self.isolated else as_passage_encoder(LSA(self.dataset))
        if self.isolated:
            return self.loaded(as_encoder, batch_size=self.batch_size, verbose=self.verbose)
        return self.loaded(as_passage_encoder)

    @property
    def isolated(self) -> bool:
        """Whether each sentence is encoded alone, as a text."""
        return self.context == "sentence" and not isinstance(plain(self.encoder), PassageEncoder)

    def _door(self, results):
        """The frame, checked, and the papers and queries of its rows, or None if isolated."""
        context_named(self.context)
        self.check()
        if not self.isolated:
            results, *papers = papers_of(results, self)
            return results, papers
        needed = [*ISOLATED, *(["labels", "facet"] if self.OF_FACET else [])]
        return frames.check(results, self, needed, remedy=REMEDY), None

    def _sides(self, results, papers):
        """Sides of queries and candidates, and which sentences of each candidate count, or None."""
        encoder = self.encoder_used()
        if papers is None:
            made = apart(results, encoder, self.SPARSE)
        else:
            made = in_context(*papers, partial(self._encoded, encoder))
        if not self.OF_FACET:
            return *made, None
        columns = ["sentences", "labels", "facet"]
        return *made, frames.per_key(results, columns, counted_of)

    def _encoded(self, encoder, papers):
        return sentence_vectors(encoder, list(map(self.read, papers)), self.context, self.scaled)

    def _scores(self, results, query, document, counted):
        """One score per row (n,)."""
        documents = document.numbers
        if counted is not None:
            documents = [own[kept] for own, kept in zip(documents, counted)]
        scores = np.empty(len(results))
        for pools in alike(results, documents):
            candidates = [documents[row] for row in pools[0]]
            rows = document.vectors[np.concatenate(candidates)]
            asked = [query.of(pool[0]) for pool in pools]
            lengths = [len(own) for own in candidates]
            if len(pools) == 1:
                scores[pools[0]] = self.score(*asked, rows, lengths)
                continue
            for pool, own in zip(pools, self.score_many(asked, rows, lengths)):
                scores[pool] = own
        return scores
