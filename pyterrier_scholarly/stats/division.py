"""Divide two histograms, bin by bin: the points that rHSA fits a line to.

    >>> similar, random = Histogram(3).add([0.1, 0.2, 0.5]), Histogram(3).add([0.1, 0.5, 0.9])
    >>> divide(similar, random).ratio.round(2)
    array([ 0.51,  0.  , -1.1 ])

Conventions: arrays are (bins,), logarithms are natural, errors are given as variances.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from ..arguments import check_arguments, one_of
from .histogram import Histogram, check_alike


class Division(NamedTuple):
    """Counts of similar and random pairs, and the position of each bin."""

    similar: np.ndarray  #: int, counts C of similar pairs
    random: np.ndarray  #: int, counts R of random pairs
    centre: np.ndarray  #: middle of each bin
    x: np.ndarray  #: position of each bin, by the values in it
    x_variance: np.ndarray  #: squared error of `x`

    @property
    def total(self) -> np.ndarray:
        """C + R, the number of pairs in each bin."""
        return self.similar + self.random

    @property
    def ratio(self) -> np.ndarray:
        """log((C + ½) / (R + ½)): nearly unbiased for the log ratio of the expected counts."""
        return np.log((self.similar + 0.5) / (self.random + 0.5))


def _variance_of_means(histogram: Histogram) -> np.ndarray:
    return histogram.variances / np.maximum(histogram.counts, 1)


def _variance_of_values(histogram: Histogram) -> np.ndarray:
    return histogram.variances


def _no_variance(histogram: Histogram) -> np.ndarray:
    return np.zeros(histogram.bins)


#: name -> function from a histogram to the variance of its bins' positions (bins,)
X_ERRORS: dict[str, Callable[[Histogram], np.ndarray]] = {
    "mean": _variance_of_means,
    "spread": _variance_of_values,
    "none": _no_variance,
}


@check_arguments
def divide(
    similar: Histogram, random: Histogram, x_error: Annotated[str, one_of(X_ERRORS)] = "mean"
) -> Division:
    """Divide two histograms with the same bins.

    The position of a bin is the mean of two means: of its similar values and of its random values.
    (The mean of all its values would tilt the line. Near 0 it follows the similar pairs at the
    bin's lower end, near 1 the random pairs.)

    Args:
        similar, random: the two histograms.
        x_error: the error of a bin's position. "mean": std / sqrt(n) of each mean, propagated.
            "spread": the values' std, propagated; this is what the paper describes, and is far too
            large. "none": 0.

    ValueError if the bins differ, or `x_error` is unknown.
    """
    check_alike(similar, random)
    compute_variance = X_ERRORS[x_error]
    variance_of_sum = compute_variance(similar) + compute_variance(random)
    return Division(
        similar=similar.counts,
        random=random.counts,
        centre=similar.centres,
        x=(similar.means + random.means) / 2,
        x_variance=variance_of_sum / 4,  # of half the sum: 1/2 squared
    )
