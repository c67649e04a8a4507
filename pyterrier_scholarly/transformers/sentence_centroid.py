"""Ranking by the mean sentence of the facet."""

from dataclasses import dataclass

from ..similarity.centroid import centroid_cosines
from ..similarity.contributions import of_centroids
from ._sentence_score import SentenceScore


@dataclass(eq=False, repr=False)
class SentenceCentroid(SentenceScore):
    """Score papers by the cosine of two means: of the query's sentences and of the candidate's.

    Of the candidate those of the query's facet count (Definition 1 of [Mysore2021]), or all where
    it has none. Columns in: as for `SentenceMaxSim`, and `facet` and `labels`. Columns out: the
    same and `score` (from -1 to 1; -1 for a candidate without any sentence) and `rank`, rows by
    query and rank. Sentences are vectors of length 1.

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, a query without sentences,
            sentences that are NaN or empty, labels that are not one per sentence; names the rows.
    """

    OF_FACET = True

    def score(self, query, rows, lengths):
        """Cosines (k,)."""
        return centroid_cosines(query, rows, lengths)

    def matches(self, query, document, counted):
        """Every pair that counts, alike, see `SentenceScore`."""
        return of_centroids(query, document, counted)
