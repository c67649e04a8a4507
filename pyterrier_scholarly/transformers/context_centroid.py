"""Ranking by the mean sentence of the facet, each sentence read in its context."""

from dataclasses import dataclass

import numpy as np

from ..similarity.centroid import centroid_cosines
from ._in_context import ContextScore, of_facet_or_all


@dataclass(eq=False, repr=False)
class ContextCentroid(ContextScore):
    """Scores papers by the cosine of two means: of the query's sentences and of the candidate's.

    Of the candidate those of the query's facet count (Definition 1 of [Mysore2021]), or all where
    it has none. Columns in: what `PaperContext` gives behind `FacetQuery`. Columns out: the same
    and `score` (from -1 to 1; -1 for a candidate without any sentence) and `rank`, rows by query
    and rank. Sentences are vectors of length 1.

    Args:
        encoder: as for `ContextMaxSim`.
        context: as for `ContextMaxSim`.

    Raises:
        ValueError: an unknown context, a query sentence that its paper does not have.
    """

    def score(self, query, documents, papers, facet):
        """Cosines (k,)."""
        chosen = [
            document[of_facet_or_all(paper, facet)] for document, paper in zip(documents, papers)
        ]
        return centroid_cosines(query, np.concatenate(chosen), [len(own) for own in chosen])
