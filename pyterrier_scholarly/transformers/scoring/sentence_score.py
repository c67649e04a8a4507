"""Score candidates by vectors of sentences: what SentenceMaxSim and its siblings share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count, one_of
from ...datasets import DatasetLike
from ...encoders import (
    LSA,
    Encoder,
    EncoderLike,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    plain,
    sentence_vectors,
)
from ...similarity.contributions import Matches
from ...text.contexts import CONTEXTS, Paper
from ..step import Step
from . import sides
from .sides import Rows, Side

REMEDY = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
#: context -> what of a paper it reads beside the sentences
READ_BY_CONTEXT: dict[str, dict[str, bool]] = {
    "sentence": {},
    "title": {"title": True},
    "abstract": {"title": True},
    "facet": {"title": True, "labels": True, "query_labels": True},
}


@dataclass(eq=False, repr=False)
class SentenceScore(Step):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's pool.

    An encoder of texts encodes each sentence alone. An encoder of passages reads whole papers, the
    query's and the candidates', and the vectors of the query's sentences are taken from its paper.
    """

    encoder: EncoderLike | None = None
    context: Annotated[str, one_of(CONTEXTS)] = "sentence"
    dataset: DatasetLike | None = field(default=None, kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    OF_FACET = False  #: whether only a candidate's sentences of the query's facet count
    SPARSE = False  #: whether `score` takes sparse vectors

    @property
    def scaled(self) -> bool:
        """Return whether vectors in context have length 1; only such vectors are shared."""
        return True

    @property
    def weighted(self) -> bool:
        """Return whether weights of the query's sentences change the score; others refuse them."""
        return False

    def check(self) -> None:
        """Raise ValueError for an impossible setting; called with each frame."""

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return the scores (k,) of a query's pool.

        Args:
            query: (m, d), vectors of the query's sentences.
            rows: (n, d), of all its candidates' sentences, one candidate after the other.
            lengths: (k,), sentences per candidate; they sum to n.
        """
        raise NotImplementedError

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: Sequence[int],
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Return the same for q queries that share their candidates: (q, k).

        `weights` (q arrays (m,)) are those of the queries' sentences; None unless `weighted`.
        """
        return [self.score(query, rows, lengths) for query in queries]

    def matches(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return what pairs of sentences add to a score.

        Args:
            query, document: (m, d) and (n, d), vectors of a query's and of a candidate's sentences.
            counted: positions of the candidate's sentences that count; None for all.
            weights: (m,), as for `score_many`.
        """
        raise NotImplementedError

    def read(self, paper: Paper) -> Paper:
        """Return the paper as an encoder of passages reads it."""
        return paper

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        rows = self._read(results)
        scores = np.zeros(0)
        if len(rows.frame):  # zero rows need neither encoder nor dataset
            query, document = self._encode(rows)
            scores = self._score(rows.frame, query, document)
        return frames.ranked(rows.frame.assign(score=scores))

    def explain_ranking(self, results: pd.DataFrame, docno: str) -> tuple[pd.DataFrame, Matches]:
        """Score and rank one query's candidates, and explain the score of one of them.

        Both are by the same vectors: a model computes slightly other ones in another batch.
        """
        rows = self._read(results)
        query, document = self._encode(rows)
        scores = self._score(rows.frame, query, document)

        row = rows.frame["docno"].tolist().index(docno)
        counted = None
        if self.OF_FACET:
            columns = [rows.frame[name].iloc[row] for name in sides.COUNTED]
            counted = sides.counted_of(*columns)
        matches = self.matches(query.of(row), document.of(row), counted, query.weights_of(row))
        return frames.ranked(rows.frame.assign(score=scores)), matches

    def explained(self, row: pd.DataFrame) -> Matches:
        """Explain the score of a frame's one row; see `matches`."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

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

    def _read(self, results: pd.DataFrame) -> Rows:
        """Check settings and frame; isolated sentences need no papers and queries."""
        self.check_settings()
        self.check()
        if not self.isolated:
            read = READ_BY_CONTEXT[self.context]
            if self.OF_FACET:
                read = {**read, "labels": True, "facet": True}
            return sides.read_rows(results, self, sides.needed_in_context(**read), self.weighted)

        needed = ["qid", "docno", "query_sentences", "sentences"]
        if self.OF_FACET:
            needed += ["labels", "facet"]
        optional = [sides.WEIGHTS] if self.weighted else []
        results = frames.check(results, self, needed, optional=optional, remedy=REMEDY)
        return Rows(results, [], [])

    def _encode(self, rows: Rows) -> tuple[Side, Side]:
        """Return the sides of queries and candidates."""
        encoder = self.encoder_used()
        if isinstance(encoder, PassageEncoder):
            return sides.in_context(rows.papers, rows.queries, partial(self._encoded, encoder))
        return sides.apart(rows.frame, encoder, self.SPARSE)

    def _encoded(self, encoder: PassageEncoder, papers: list[Paper]) -> list[np.ndarray]:
        return sentence_vectors(encoder, list(map(self.read, papers)), self.context, self.scaled)

    def _score(self, results: pd.DataFrame, query: Side, document: Side) -> np.ndarray:
        """Return one score per row (n,)."""
        if self.OF_FACET:
            document = sides.only_counted(results, document)

        scores = np.empty(len(results))
        for pools in sides.same_candidates(results, document):
            candidates = [document.sentences[item] for item in document.items[pools[0]]]
            rows = document.vectors[np.concatenate(candidates)]
            lengths = [len(sentences) for sentences in candidates]

            first_rows = [pool[0] for pool in pools]
            queries = [query.of(row) for row in first_rows]
            weights = None
            if query.weights is not None:
                weights = [query.weights[query.items[row]] for row in first_rows]
            for pool, pool_scores in zip(pools, self.score_many(queries, rows, lengths, weights)):
                scores[pool] = pool_scores
        return scores
