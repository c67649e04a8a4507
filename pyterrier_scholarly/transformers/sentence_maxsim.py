"""Ranking by the best-matching sentences."""

from dataclasses import dataclass, field
from functools import partial

from ..similarity.blocks import max_sim_blocks
from ..similarity.contributions import of_max_sim
from ..similarity.maxsim import similarity_called
from ..similarity.symmetric import SYMMETRIC, scoring
from ._sentence_score import SentenceScore


@dataclass(eq=False, repr=False)
class SentenceMaxSim(SentenceScore):
    """Score documents by how well their best sentences match the query's.

    Of the tasks of [Mysore2021] it solves Definition 2: sentences ask, and all sentences of a
    candidate count, whatever their labels (Definition 1 behind ``Sentences(facet_only=True)``).

    Columns in: what `FacetQuery` and `Sentences` give; without a context `qid`, `docno`,
    `query_sentences` and `sentences` are enough. Columns out: the same and `score` and `rank`, rows
    by query and rank. `score` is a cosine, from -1 to 1: over all pairs of a query sentence and a
    document's sentence the maximum [Mysore2021], or the mean over query sentences of the maximum
    over the document's [Wang2023, eq. 4], or the sum (from -m to m for m query sentences), or the
    mean of that mean and of its counterpart for the document's sentences. A document without
    sentences gets the lowest of these values; a zero vector has cosine 0 with every other. Instead
    of cosines there may be dot products, or distances times -1.

    Every distinct sentence or passage is encoded once per call; steps that are given the same
    encoder object share its vectors.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; in a context also the
            name of any Hugging Face encoder, for `encoders.Contextual`, or an
            `encoders.PassageEncoder` (encoders of texts hear no context). None for `LSA`, which
            needs no download, fitted once on the documents of `dataset`.
        context: what is read together with a sentence: nothing, ``"sentence"``; ``"title"``;
            ``"facet"`` (title and the sentences of its facet); ``"abstract"`` (title and all).
        dataset: used where there is no encoder.
        aggregate: ``"max"``, ``"mean"``, ``"sum"`` or ``"symmetric"``.
        similarity: ``"cosine"``, ``"dot"``, ``"l2"`` (minus the distance), or ``"unit"``: the
            cosine of vectors that have length 1 already.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, aggregate or similarity, a query
            without sentences, sentences that are NaN or empty; names the rows.
    """

    aggregate: str = field(default="max", kw_only=True)
    similarity: str = field(default="cosine", kw_only=True)

    SPARSE = True

    @property
    def scaled(self) -> bool:
        """Whether vectors in context have length 1."""
        return self.similarity in ("cosine", "unit")

    def check(self):
        """Raise ValueError for an unknown aggregate or similarity."""
        scoring(self.aggregate)
        similarity_called(self.similarity)

    @property
    def _similarity(self):
        unit = self.scaled and not self.isolated  # to scale them again costs as much
        return "unit" if unit else self.similarity

    def score(self, query, rows, lengths):
        """Max-sim scores (k,)."""
        return scoring(self.aggregate)(query, rows, lengths, similarity=self._similarity)

    def score_many(self, queries, rows, lengths):
        """The same, for all queries in blocks; to the last digit only where one query asks."""
        if self.aggregate == SYMMETRIC:
            return super().score_many(queries, rows, lengths)
        many = partial(max_sim_blocks, aggregate=self.aggregate, similarity=self._similarity)
        return many(queries, rows, lengths)

    def matches(self, query, document, counted):
        """The best match of each sentence of the query, see `SentenceScore`."""
        return of_max_sim(query, document, self.aggregate, self.similarity)
