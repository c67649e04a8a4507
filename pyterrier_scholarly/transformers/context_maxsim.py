"""Ranking by the best-matching sentences, each read in its context."""

from dataclasses import dataclass, field

import numpy as np

from ..similarity.maxsim import LOWEST, aggregation, best_matches
from ..similarity.symmetric import SYMMETRIC, scoring, symmetric_max_sim
from ._in_context import ContextScore


@dataclass(eq=False, repr=False)
class ContextMaxSim(ContextScore):
    """Scores papers by how well their best sentences match the query's, all read in context.

    Columns in: what `PaperContext` gives behind `FacetQuery`. Columns out: the same and `score` and
    `rank`, rows by query and rank. `score` is a cosine, from -1 to 1: the mean over the query's
    sentences of the best among **all** sentences of the candidate (Definition 2 of [Mysore2021]),
    -1 if it has none.

    The query's paper is encoded as a document, and its chosen sentences are taken from that. Every
    distinct passage is encoded once; steps with equal encoders share the vectors.

    Args:
        encoder: a sentence-transformers model or the name of any Hugging Face encoder, for
            `encoders.Contextual`; or an `encoders.PassageEncoder`; other encoders and functions
            from texts to vectors work, but hear no context.
        context: what is read together with a sentence: ``"title"``, ``"abstract"`` (title and all
            sentences), ``"facet"`` (title and the sentences of its facet), or nothing,
            ``"sentence"``.
        aggregate: over the query's sentences: ``"mean"``, ``"max"`` or ``"sum"``; ``"symmetric"``
            for the mean over both sides' sentences.

    Raises:
        ValueError: an unknown context or aggregate, a query sentence that its paper does not have.
    """

    aggregate: str = field(default="mean", kw_only=True)

    def transform(self, results):
        """Score and rank."""
        scoring(self.aggregate)
        return super().transform(results)

    def score(self, query, documents, papers, facet):
        """Max-sim scores (k,)."""
        lengths = [len(document) for document in documents]
        if self.aggregate == SYMMETRIC:
            return symmetric_max_sim(query, np.concatenate(documents), lengths)
        # of vectors of length 1 products are cosines: to scale them again costs as much
        best = best_matches(query, np.concatenate(documents), lengths, "dot")
        return aggregation(self.aggregate)(np.maximum(best, LOWEST), axis=0)
