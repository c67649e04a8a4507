"""Rank by the best-matching sentences, or by the mean sentence of a facet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from ...arguments import one_of
from ...similarity import SIMILARITIES
from ...similarity.contributions import Matches, split_centroid_cosine, split_max_sim
from ...similarity.maxsim import SCORINGS, SYMMETRIC, WEIGHTED, centroid_cosines, choose_scorer
from ...similarity.maxsim_blocks import max_sim_blocks
from .sentence_score import SentenceScore


@dataclass(eq=False, repr=False)
class SentenceMaxSim(SentenceScore):
    """Score documents by how well their best sentences match the query's.

    It solves Definition 2 of [Mysore2021]: sentences ask, and all sentences of a candidate count,
    whatever their labels; behind ``Sentences(facet_only=True)`` it solves Definition 1.

    Columns in: `qid`, `docno` and `sentences`. Without a context, `query_sentences`; in a context,
    the paper that they are read in, `query_paper_sentences`, and their positions there,
    `query_sentence_ids`; in all but "sentence" also `query_title` and `title`; in "facet" also
    `query_paper_labels` and `labels`. Optional, for "mean" and "sum": `query_sentence_weights`, a
    number from 0 for each sentence that asks. Columns out: the same and `score` and `rank`, rows by
    query and rank. `score` is a cosine, from -1 to 1: the maximum over all pairs of a query's
    and a document's sentence [Mysore2021]; or the mean over query sentences of the maximum over the
    document's [Wang2023, eq. 4]; or their sum (from -m to m for m query sentences); or the mean of
    that mean and of its counterpart for the document's sentences. A document without sentences gets
    the lowest of these values. A zero vector has cosine 0 with every other. `similarity` replaces
    cosines by dot products, or by distances times -1. Weights multiply each sentence's maximum;
    for the mean, they are first divided by their sum, so that equal weights change nothing.

    Every distinct sentence or passage is encoded once per call. Steps with the same encoder object
    share its vectors.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; in a context also the
            name of any Hugging Face encoder, for `encoders.Contextual`, or an
            `encoders.PassageEncoder` (encoders of texts read no context). None for `LSA`, which
            needs no download and is fitted once on the documents of `dataset`.
        context: what the encoder reads together with a sentence: nothing, ``"sentence"``;
            ``"title"``; ``"facet"`` (title and the sentences of its facet); ``"abstract"`` (title
            and all).
        dataset: used if there is no encoder.
        aggregate: ``"max"``, ``"mean"``, ``"sum"`` or ``"symmetric"``.
        similarity: ``"cosine"``, ``"dot"``, ``"l2"`` (minus the distance), or ``"unit"``: the
            cosine of vectors that already have length 1.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, aggregate or similarity, a query
            without sentences, sentences that are NaN or empty; names the rows.
    """

    aggregate: Annotated[str, one_of(SCORINGS)] = field(default="max", kw_only=True)
    similarity: Annotated[str, one_of(SIMILARITIES)] = field(default="cosine", kw_only=True)

    SPARSE = True

    @property
    def scaled(self) -> bool:
        """Return whether vectors in context have length 1."""
        return self.similarity in ("cosine", "unit")

    @property
    def weighted(self) -> bool:
        """Return whether the query's sentences may have weights: for a mean or a sum."""
        return self.aggregate in WEIGHTED

    @property
    def _similarity(self) -> str:
        # scaling again would cost as much as scoring
        return "unit" if self.scaled and not self.isolated else self.similarity

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return max-sim scores (k,)."""
        return choose_scorer(self.aggregate)(query, rows, lengths, similarity=self._similarity)

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: Sequence[int],
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Score several queries in blocks; the last digit may differ from `score`."""
        if self.aggregate == SYMMETRIC or (len(queries) == 1 and weights is None):
            return super().score_many(queries, rows, lengths, None)
        return max_sim_blocks(
            queries, rows, lengths, self.aggregate, self._similarity, weights=weights
        )

    def matches(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return the best match of each sentence of the query; see `SentenceScore`."""
        return split_max_sim(query, document, self.aggregate, self.similarity, weights)


@dataclass(eq=False, repr=False)
class SentenceCentroid(SentenceScore):
    """Score papers by the cosine of two means: of the query's sentences and of the candidate's.

    Only the candidate's sentences of the query's facet count (Definition 1 of [Mysore2021]), or all
    if it has none. Columns in: as for `SentenceMaxSim`, without weights, and `facet` and `labels`.
    Columns out: the same and `score` (from -1 to 1; -1 for a candidate without any sentence) and
    `rank`, rows by query and rank. Sentence vectors have length 1.

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, a query without sentences,
            sentences that are NaN or empty, labels that are not one per sentence; names the rows.
    """

    OF_FACET = True

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return cosines (k,)."""
        return centroid_cosines(query, rows, lengths)

    def matches(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return every pair that counts, with equal weights; see `SentenceScore`."""
        return split_centroid_cosine(query, document, counted)
