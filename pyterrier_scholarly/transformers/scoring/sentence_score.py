"""Score candidates by vectors of sentences: what SentenceMaxSim and its siblings share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count
from ...encoders import (
    LSA,
    Encoder,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    plain,
    sentence_vectors,
)
from ...similarity.contributions import Matches
from ...text.contexts import Paper, context_named
from ..step import Step
from . import sides
from .sides import Asked, Side

ISOLATED = ["qid", "docno", "query_sentences", "sentences"]
REMEDY = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
Papers = tuple[list[Paper], list[Asked]]  # of each row; empty lists if sentences are isolated


@dataclass(eq=False, repr=False)
class SentenceScore(Step):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's pool.

    An encoder of texts encodes each sentence alone. An encoder of passages reads whole papers, the
    query's and the candidates', and the vectors of the query's sentences are taken from its paper.
    """

    encoder: object = None
    context: str = "sentence"
    dataset: object = field(default=None, kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    OF_FACET = False  #: whether only a candidate's sentences of the query's facet count
    SPARSE = False  #: whether `score` takes sparse vectors

    @property
    def scaled(self) -> bool:
        """Return whether vectors in context have length 1; only such vectors are shared."""
        return True

    def check(self) -> None:
        """Raise ValueError for an unknown setting."""

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return the scores (k,) of a query's pool.

        Args:
            query: (m, d), vectors of the query's sentences.
            rows: (n, d), of all its candidates' sentences, one candidate after the other.
            lengths: (k,), sentences per candidate; they sum to n.
        """
        raise NotImplementedError

    def score_many(
        self, queries: Sequence[np.ndarray], rows: np.ndarray, lengths: Sequence[int]
    ) -> Iterable[np.ndarray]:
        """Return the same for q queries that share their candidates: (q, k)."""
        return [self.score(query, rows, lengths) for query in queries]

    def matches(
        self, query: np.ndarray, document: np.ndarray, counted: np.ndarray | None
    ) -> Matches:
        """Return what pairs of sentences add to a score.

        Args:
            query, document: (m, d) and (n, d), vectors of a query's and of a candidate's sentences.
            counted: positions of the candidate's sentences that count; None for all.
        """
        raise NotImplementedError

    def read(self, paper: Paper) -> Paper:
        """Return the paper as an encoder of passages reads it."""
        return paper

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results, papers = self._door(results)
        # zero rows need neither encoder nor dataset
        scores = (
            self._scores(results, *self._sides(results, papers)) if len(results) else np.zeros(0)
        )
        return frames.ranked(results.assign(score=scores))

    def explained(self, row: pd.DataFrame) -> Matches:
        """Explain the score of a frame's one row; see `matches`."""
        row, papers = self._door(row)
        query, document = self._sides(row, papers)
        counted = sides.counted_of(*row[sides.COUNTED].iloc[0]) if self.OF_FACET else None
        return self.matches(query.of(0), document.of(0), counted)

    def encoder_used(self) -> Encoder | PassageEncoder:
        """Return the encoder of the settings, or `LSA` of the dataset."""
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
        """Return whether each sentence is encoded alone, as a text."""
        return self.context == "sentence" and not isinstance(plain(self.encoder), PassageEncoder)

    def _door(self, results: pd.DataFrame) -> tuple[pd.DataFrame, Papers]:
        """Check settings and frame; return the frame, and its papers and queries."""
        context_named(self.context)
        self.check()
        if not self.isolated:
            results, papers, asked = sides.papers_of(results, self)
            return results, (papers, asked)
        needed = [*ISOLATED, *(["labels", "facet"] if self.OF_FACET else [])]
        return frames.check(results, self, needed, remedy=REMEDY), ([], [])

    def _sides(self, results: pd.DataFrame, papers: Papers) -> tuple[Side, Side]:
        """Return the sides of queries and candidates."""
        encoder = self.encoder_used()
        if isinstance(encoder, PassageEncoder):
            return sides.in_context(*papers, partial(self._encoded, encoder))
        return sides.apart(results, encoder, self.SPARSE)

    def _encoded(self, encoder: PassageEncoder, papers: list[Paper]) -> list[np.ndarray]:
        return sentence_vectors(encoder, list(map(self.read, papers)), self.context, self.scaled)

    def _scores(self, results: pd.DataFrame, query: Side, document: Side) -> np.ndarray:
        """Return one score per row (n,)."""
        if self.OF_FACET:
            document = sides.only_counted(results, document)
        scores = np.empty(len(results))
        for pools in sides.same_candidates(results, document):
            candidates = [document.sentences[item] for item in document.items[pools[0]]]
            rows = document.vectors[np.concatenate(candidates)]
            asked = [query.of(pool[0]) for pool in pools]
            lengths = [len(sentences) for sentences in candidates]
            for pool, row in zip(pools, self.score_many(asked, rows, lengths)):
                scores[pool] = row
        return scores
