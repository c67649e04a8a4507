"""Ranking by the best-matching sentences."""

from dataclasses import dataclass, field
from functools import partial

from ..similarity.blocks import max_sim_blocks
from ..similarity.maxsim import similarity_called
from ..similarity.symmetric import SYMMETRIC, scoring
from ._sentence_scores import check, scored
from .step import Step


@dataclass(eq=False, repr=False)
class SentenceMaxSim(Step):
    """Scores documents by how well their best sentences match the query's.

    Of the tasks of [Mysore2021] it solves Definition 2: sentences ask, and all sentences of a
    candidate count, whatever their labels (Definition 1 behind ``Sentences(facet_only=True)``).

    Columns in: `qid`, `docno`, `query_sentences`, `sentences`. Columns out: the same and `score`
    and `rank`, rows by query and rank. `score` is a cosine, from -1 to 1: over all pairs of a query
    sentence and a document's sentence the maximum [Mysore2021], or the mean over query sentences
    of the maximum over the document's [Wang2023, eq. 4], or the sum (from -m to m for m query
    sentences), or the mean of that mean and of its counterpart for the document's sentences. A
    document without sentences gets the lowest of these values; a zero vector has cosine 0 with
    every other. Instead of cosines there may be dot products, or distances times -1.

    Every distinct sentence is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; or None for `LSA`,
            which needs no download, fitted once on the documents of `dataset`.
        dataset: used where there is no encoder.
        aggregate: ``"max"``, ``"mean"``, ``"sum"`` or ``"symmetric"``.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown aggregate or similarity, a query without
            sentences, sentences that are NaN or empty; names the rows.
    """

    encoder: object = None
    dataset: object = field(default=None, kw_only=True)
    aggregate: str = field(default="max", kw_only=True)
    similarity: str = field(default="cosine", kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        results = check(results, self)
        similarity_called(self.similarity)
        one = partial(scoring(self.aggregate), similarity=self.similarity)
        many = partial(max_sim_blocks, aggregate=self.aggregate, similarity=self.similarity)
        many = None if self.aggregate == SYMMETRIC else many
        return scored(results, self, one, many, sparse=True)
