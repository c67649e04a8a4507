"""The parts of the in-context pipelines, side by side, and weights to choose from.

`six_parts` has equal weights, found while all of CSFCube's queries were seen. With
``chosen_on_dev(scored_parts(…)(…), dataset, weight_grid())`` those of each fold are chosen without
its test queries.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np

from .. import frames
from ..encoders import as_passage_encoder
from ..transformers import (
    FacetMiss,
    PaperTfIdf,
)
from ..transformers.step import Step
from .in_context import DIMENSIONS, six_cosines

CENTROIDS = (0.0, 0.25, 0.5, 0.75, 1.0)  # the centroids' share of the six cosines
MISSES = (0.0, 0.05, 0.1, 0.15)  # what a candidate without the facet loses
WORDS = (0.0, 0.1, 0.2, 0.3)  # weight of tf-idf
TOPICS = (0.0, 0.05, 0.1, 0.2)  # weight of the latent semantic analysis


def scored_parts(dataset, encoder):
    """All parts of `six_parts`, side by side: nine numbers per candidate in column `features`.

    Max-sim in the context of abstract, facet and title; centroid in those of abstract and title,
    and the facet's passage; -1 for a candidate without a sentence of the facet, else 0; tf-idf of
    whole papers, and title and facet after LSA. All but the miss are cosines, added as they are.

    Args:
        dataset: as for `lexical_evidence`.
        encoder: as for `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `Sentences` to the same and `features`.
    """
    encoder = as_passage_encoder(encoder)  # one, which the steps share
    topics = {"dimensions": DIMENSIONS, "facet_only": True}
    parts = [
        *six_cosines(encoder),
        _Zero() >> FacetMiss(1),
        PaperTfIdf(dataset),
        PaperTfIdf(dataset, **topics, cache=getattr(encoder, "cache", None)),
    ]
    return reduce(pow, parts)


@dataclass(eq=False, repr=False)
class _Zero(Step):
    """Scores every candidate 0, whether or not it has a score: of a miss the penalty is left."""

    def transform(self, results):
        """Score and rank."""
        results = frames.check(results, self, ["qid", "docno"])
        return frames.ranked(results.assign(score=np.zeros(len(results))))


def weight_grid(centroids=CENTROIDS, misses=MISSES, words=WORDS, topics=TOPICS):
    """Weights of `scored_parts`: every combination of four numbers.

    Args:
        centroids: shares (0 to 1) of the three means (two centroids and the passage) among the six
            cosines, equally divided; the three max-sims have the rest.
        misses, words, topics: what a miss costs; the weights of tf-idf and of LSA.

    Returns:
        List of tuples of nine numbers.
    """
    return [
        (*[(1 - share) / 3] * 3, *[share / 3] * 3, miss, word, topic)
        for share, miss, word, topic in product(centroids, misses, words, topics)
    ]
