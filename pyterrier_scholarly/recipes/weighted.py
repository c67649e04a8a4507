"""The parts of the in-context pipelines as features, and weights to choose from.

`six_parts` has equal weights, found with all of CSFCube's queries in view. These functions choose
the weights of each fold without its test queries::

    scored = scored_parts("csfcube/all", encoder)(candidates)
    ranking, weights = chosen_on_dev(scored, "csfcube/all", weight_grid())
"""

from collections.abc import Sequence
from itertools import product

import pandas as pd
import pyterrier as pt

from ..datasets import DatasetLike
from ..encoders import EncoderLike, as_passage_encoder
from ..step import Step, ranked
from ..transformers import FacetMiss
from .in_context import lexical_cosines, six_cosines

# what `weight_grid` combines by default
CENTROID_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # the centroids' share of the six cosines
MISS_PENALTIES = (0.0, 0.05, 0.1, 0.15)  # of a candidate without the facet
WORD_WEIGHTS = (0.0, 0.1, 0.2, 0.3)  # of tf-idf
TOPIC_WEIGHTS = (0.0, 0.05, 0.1, 0.2)  # of the latent semantic analysis

# the six cosines, which `scored_parts` describes
MAX_SIM_COUNT = 3
MEAN_COUNT = 3  # two centroids and the passage


def scored_parts(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Compute all parts of `six_parts`: nine numbers per candidate in column `features`.

    They are max-sim in the context of abstract, facet and title; centroids in those of abstract
    and title; the facet's passage; -1 for a candidate without a sentence of the facet, else 0;
    tf-idf of whole papers; title and facet after LSA. All but the miss are cosines.

    Args:
        dataset: see `lexical_evidence`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `PaperLoader` to the same and `features`.
    """
    encoder = as_passage_encoder(encoder)  # shared by the steps
    cache = getattr(encoder, "cache", None)

    miss = _Zero() >> FacetMiss(1)  # a score of 0, minus 1 for a miss
    scorers = [*six_cosines(encoder), miss, *lexical_cosines(dataset, cache)]

    # PyTerrier's ** puts the scores of both sides side by side, into `features`
    features = scorers[0]
    for scorer in scorers[1:]:
        features = features**scorer
    return features


def weight_grid(
    centroids: Sequence[float] = CENTROID_SHARES,
    misses: Sequence[float] = MISS_PENALTIES,
    words: Sequence[float] = WORD_WEIGHTS,
    topics: Sequence[float] = TOPIC_WEIGHTS,
) -> list[tuple[float, ...]]:
    """Return weights of the nine numbers of `scored_parts`: every combination of four choices.

    Args:
        centroids: shares (0 to 1) of the three means (two centroids and the passage) among the six
            cosines, equally divided; the three max-sims share the rest.
        misses, words, topics: the penalty of a miss; the weights of tf-idf and of LSA.

    Returns:
        List of tuples of nine weights, in the order of `scored_parts`: three max-sims, three means,
        the miss, tf-idf, LSA.
    """
    grid = []
    for mean_share, miss_penalty, word_weight, topic_weight in product(
        centroids, misses, words, topics
    ):
        max_sim_weights = [(1 - mean_share) / MAX_SIM_COUNT] * MAX_SIM_COUNT
        mean_weights = [mean_share / MEAN_COUNT] * MEAN_COUNT
        weights = (*max_sim_weights, *mean_weights, miss_penalty, word_weight, topic_weight)
        grid.append(weights)
    return grid


class _Zero(Step):
    """Set every score to 0, so that a miss scores its penalty alone."""

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check(results, ["qid", "docno"])
        return ranked(results.assign(score=0.0))
