"""The parts of the in-context pipelines as features, and weights to choose from.

`six_parts` has equal weights, found with all of CSFCube's queries in view.
``chosen_on_dev(scored_parts(…)(…), dataset, weight_grid())`` chooses the weights of each fold
without its test queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..encoders import EncoderLike, as_passage_encoder
from ..transformers import FacetMiss
from ..transformers.step import Step
from .in_context import lexical_cosines, six_cosines

CENTROIDS = (0.0, 0.25, 0.5, 0.75, 1.0)  # the centroids' share of the six cosines
MISSES = (0.0, 0.05, 0.1, 0.15)  # the penalty of a candidate without the facet
WORDS = (0.0, 0.1, 0.2, 0.3)  # weight of tf-idf
TOPICS = (0.0, 0.05, 0.1, 0.2)  # weight of the latent semantic analysis


def scored_parts(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Compute all parts of `six_parts`: nine numbers per candidate in column `features`.

    They are max-sim in the context of abstract, facet and title; centroids in those of abstract
    and title; the facet's passage; -1 for a candidate without a sentence of the facet, else 0;
    tf-idf of whole papers; title and facet after LSA. All but the miss are cosines.

    Args:
        dataset: see `lexical_evidence`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `Sentences` to the same and `features`.
    """
    encoder = as_passage_encoder(encoder)  # shared by the steps
    lexical = lexical_cosines(dataset, getattr(encoder, "cache", None))
    return reduce(pow, [*six_cosines(encoder), _Zero() >> FacetMiss(1), *lexical])


@dataclass(eq=False, repr=False)
class _Zero(Step):
    """Set every score to 0, so that a miss scores its penalty alone."""

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        return frames.ranked(frames.check(results, self, ["qid", "docno"]).assign(score=0.0))


@check_arguments
def weight_grid(
    centroids: Sequence[float] = CENTROIDS,
    misses: Sequence[float] = MISSES,
    words: Sequence[float] = WORDS,
    topics: Sequence[float] = TOPICS,
) -> list[tuple[float, ...]]:
    """Return weights of `scored_parts`: every combination of four numbers.

    Args:
        centroids: shares (0 to 1) of the three means (two centroids and the passage) among the six
            cosines, equally divided; the three max-sims share the rest.
        misses, words, topics: the penalty of a miss; the weights of tf-idf and of LSA.

    Returns:
        List of tuples of nine numbers.
    """
    return [
        (*[(1 - share) / 3] * 3, *[share / 3] * 3, miss, word, topic)
        for share, miss, word, topic in product(centroids, misses, words, topics)
    ]
