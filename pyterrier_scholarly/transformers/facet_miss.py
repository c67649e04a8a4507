"""Demoting candidates that have nothing to say of the facet."""

import warnings
from dataclasses import dataclass

import numpy as np

from .. import frames
from ..text.facets import labels_of
from .step import Step


@dataclass(eq=False, repr=False)
class FacetMiss(Step):
    """Takes a penalty off the score of candidates without a sentence of the query's facet.

    The facet and the candidate's labels decide, so this is a step of Definition 1 [Mysore2021].
    Such candidates are rarely relevant: on CSFCube 0.10 on average, against 0.30 to 0.35. Without
    labels nothing is known to be missing: a candidate whose labels are all "" keeps its score.
    Where a facet is asked for and no candidate has any label, a warning says what falls away.

    Columns in: `qid`, `docno`, `facet`, `labels`, `score`. Columns out: the same, with the new
    `score` and `rank`, rows by query and rank.

    Args:
        penalty: in units of the score; 0.1 suits cosines.

    Raises:
        ValueError: the penalty is negative.
    """

    penalty: float = 0.1

    def transform(self, results):
        """Score and rank."""
        needed = ["qid", "docno", "facet", "labels", "score"]
        remedy = "Put FacetQuery(…), Sentences(…) and a scorer before it."
        results = frames.check(results, self, needed, remedy=remedy)
        misses = np.array(frames.per_key(results, ["labels", "facet"], _misses), dtype=bool)
        if len(results) and not self.penalty >= 0:
            raise ValueError(f"penalty={self.penalty!r} must be 0 or more: it is subtracted.")
        _warn(results)
        return frames.ranked(
            results.assign(score=results["score"].astype(float) - self.penalty * misses)
        )


def _warn(results):
    if any(results["facet"]) and not any(map(any, results["labels"])):
        warnings.warn(
            "No candidate's sentences have labels: no penalty is applied, the context of a facet "
            "is the whole abstract, and centroids are those of all sentences. Add FacetLabeller() "
            "after Sentences(…).",
            stacklevel=3,
        )


def _misses(labels, facet):
    return bool(facet) and any(labels) and not set(labels_of(facet)) & set(labels)
