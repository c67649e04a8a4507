"""Random Histogram Slope Analysis, rHSA [Krstovski, Smith & Kurtz 2016].

`histogram_slope` takes distances, `score_slope` scores::

    slope = score_slope(similar=scores_of_citing_pairs, random=scores_of_random_pairs)
    print(slope, slope.value, slope.error)

The steps are in other modules: `score_ranges` turns scores into distances, `histogram` counts them,
`fits` divides the counts, chooses and weights bins, and fits the line.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Count, check_arguments
from .fits import FITS, FitName, Line, NoLine, divide
from .histogram import Edge, Histogram, numbers
from .score_ranges import Normalisation, normalise_scores

# how rounded values are found
LOOKED_AT_VALUES = 1000  # of the first chunk
LEAST_DISTINCT_VALUES = 10  # of those looked at; with fewer, no rounding can be found
MOST_DECIMALS = 3  # with more, one value more per bin does not matter
WHOLE_STEPS_TOLERANCE = 1e-6

XError: TypeAlias = Literal["mean", "spread", "none"]


@check_arguments
def score_slope(
    similar: ArrayLike,
    random: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    normalise: Normalisation = "reversed",
    bins: Count = 50,
    edge: Edge = "upper",
    fit: FitName = "expected",
    x_error: XError = "mean",
) -> "Slope":
    """Compute rHSA of scores, high for similar documents: `distances`, then `histogram_slope`.

    The histograms cover exactly the range of the scores. For the paper's rHSA of cosines pass
    ``**KRSTOVSKI_2016.scores``.

    Args:
        similar, random: scores of similar and of random pairs, arrays (n,) and (m,).
        low, high, normalise: see `distances`.
        bins, edge, fit, x_error: see `histogram_slope`.

    Returns:
        `Slope`. With ``normalise="divided"`` its `sign` is 1 if similar pairs have higher scores.

    Raises:
        ValueError: see `distances` and `histogram_slope`.
    """
    similar_distances, random_distances, first = normalise_scores(
        numbers(similar), numbers(random), low, high, normalise
    )
    return histogram_slope(
        similar_distances,
        random_distances,
        bins=bins,
        low=first,
        high=first + 1,
        edge=edge,
        fit=fit,
        x_error=x_error,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Slope:
    """The result of `histogram_slope`; ``float(slope)`` is its `value`.

    Without a line, `value`, `sign` and `dof` are 0, `reason` is the cause, and `error`,
    `intercept` and `chi2` are NaN.
    """

    #: rHSA, the slope's size: natural logarithm of the ratio of counts, per unit of distance
    value: float
    #: -1 if similar pairs have smaller values than random ones, as distances should have; else 1
    sign: int
    error: float  #: standard error; valid only if chi² / dof is about 1
    intercept: float  #: of the line log(C/R) = intercept + sign * value * distance
    chi2: float  #: of the line; Pearson's for the binomial fit
    dof: int  #: degrees of freedom, bins used less 2
    reason: str  #: why the value is 0, or ""
    fit: str  #: how the line was fitted
    x_error: str  #: how the error of a bin's position was computed
    similar: Histogram = field(repr=False)  #: of the similar pairs; has bins, low, high, edge
    random: Histogram = field(repr=False)  #: of the random pairs
    used: np.ndarray = field(repr=False)  #: bool array (bins,), the bins used for the line
    #: name -> array (bins,): "x" and "y" of each bin, "x_error" and "y_error" (standard errors)
    points: dict[str, np.ndarray] = field(repr=False)

    def __float__(self) -> float:
        return self.value

    @property
    def reduced_chi2(self) -> float:
        """chi² / dof, about 1 if the log division is a straight line; NaN without a line."""
        return self.chi2 / self.dof if self.dof else np.nan

    @property
    def outside(self) -> tuple[int, int]:
        """Numbers of similar and of random pairs outside the range."""
        return self.similar.below + self.similar.above, self.random.below + self.random.above

    def __str__(self) -> str:
        if self.reason:
            return f"rHSA {self.value:.2f} ({self.reason})"
        return (
            f"rHSA {self.value:.2f} ± {self.error:.2f} (slope {'-' if self.sign < 0 else '+'}, "
            f"{self.used.sum()} of {self.similar.bins} bins, "
            f"chi²/dof {self.reduced_chi2:.2f}, {self.fit})"
        )


#: distances of pairs of documents: their histogram, an array, or arrays one after the other
Pairs = Histogram | ArrayLike | Iterator[ArrayLike]


@check_arguments
def histogram_slope(
    similar: Pairs,
    random: Pairs,
    bins: Count = 50,
    low: float = 0.0,
    high: float = 1.0,
    edge: Edge = "upper",
    fit: FitName = "expected",
    x_error: XError = "mean",
) -> Slope:
    """Compute rHSA, the slope of the log division of two histograms of distances.

    Similar pairs have smaller distances than random pairs. The better a distance separates them,
    the steeper the log ratio of the two histograms falls. The logarithm is the natural one; the
    paper names no base, and to base 10 slopes are 2.3 times smaller.

    Args:
        similar, random: distances of similar and of random pairs, small for similar documents.
            Each is an array (n,), a `Histogram`, or an iterator of arrays. An iterator is read
            once, and only the histogram stays in memory.
        bins: number of bins of equal width.
        low, high: the range of the histograms. Values outside are skipped, and counted in the
            result's `outside`. The slope is per unit of distance, whatever the range.
        edge: the bin of a value on the edge between two bins, "upper" or "lower".
        fit: "expected" uses bins where the line expects at least 2 counts in both histograms,
            weighted by expected counts. "binomial" is maximum likelihood over all bins, for few
            pairs. "observed" uses bins with pairs in both, weighted by observed counts; it is too
            flat below about a million pairs.
        x_error: the error of a bin's position: "mean", "spread" (the values' std) or "none".

    Returns:
        `Slope`; with value 0 and a reason if fewer than three bins can be used, the histograms do
        not overlap, or all values are in one bin.

    Raises:
        ValueError: an argument is out of range, or a value is NaN or no number.

    Warns:
        UserWarning: values are rounded, so that bins have different numbers of possible values.

    Source: Krstovski, Smith & Kurtz (2016), section "Computing rHSA". It does not specify `bins`,
    `edge`, a bin's position, or the bins used for the line. For its literal errors pass
    ``**KRSTOVSKI_2016.line``; they give slopes that are too flat, and errors that are far too
    large.
    """
    similar_histogram = _count_distances(similar, bins, low, high, edge)
    random_histogram = _count_distances(random, bins, low, high, edge)
    division = divide(similar_histogram, random_histogram, x_error)
    x_variance = division.x_variance
    reason = ""
    try:
        line, used, x, y, y_variance = FITS[fit](division)
    except NoLine as no_line:
        reason = str(no_line)
        x, y = division.x, division.ratio
        used = np.zeros(len(x), dtype=bool)
        x_variance = y_variance = np.full(len(x), np.nan)
        line = Line(slope=0.0, intercept=np.nan, error=np.nan, chi2=np.nan)

    return Slope(
        value=abs(line.slope),
        sign=int(np.sign(line.slope)),
        error=line.error,
        intercept=line.intercept,
        chi2=line.chi2,
        dof=max(int(used.sum()) - 2, 0),
        reason=reason,
        fit=fit,
        x_error=x_error,
        similar=similar_histogram,
        random=random_histogram,
        used=used,
        points={
            "x": x,
            "y": y,
            "x_error": np.sqrt(x_variance),
            "y_error": np.sqrt(y_variance),
        },
    )


def _count_distances(distances: Pairs, bins: int, low: float, high: float, edge: Edge) -> Histogram:
    """Return the histogram of distances, which is returned as it is if it exists already.

    Warns if the first of the distances are rounded, see `_warn_of_rounding`.

    Args:
        distances: a histogram, an array, or an iterator of arrays, the chunks.
        bins, low, high, edge: of a new histogram.
    """
    if isinstance(distances, Histogram):
        return distances

    chunks = distances if isinstance(distances, Iterator) else iter([distances])
    histogram = Histogram(bins, low, high, edge)
    for number, chunk in enumerate(chunks):
        histogram.add(chunk)
        if number == 0:
            _warn_of_rounding(np.asarray(chunk, dtype=float)[:LOOKED_AT_VALUES], histogram)
    return histogram


def _warn_of_rounding(values: np.ndarray, histogram: Histogram) -> None:
    """Warn if values are rounded, and a bin is not a whole number of rounding steps wide.

    Then the number of possible values varies by bin, and the histogram looks like a comb.
    """
    are_too_few = len(np.unique(values)) < LEAST_DISTINCT_VALUES
    if are_too_few or not np.isfinite(values).all():
        return
    fitting_decimals = [
        decimals
        for decimals in range(1, MOST_DECIMALS + 1)
        if np.allclose(values, np.round(values, decimals), rtol=0, atol=1e-9)
    ]
    if not fitting_decimals:
        return

    steps_per_bin = histogram.width * 10 ** fitting_decimals[0]
    nearest_whole = max(round(steps_per_bin), 1)  # a bin narrower than a step is no whole number
    if abs(steps_per_bin - nearest_whole) > WHOLE_STEPS_TOLERANCE:
        warnings.warn(
            f"distances are rounded to {fitting_decimals[0]} decimals, and a bin is "
            f"{steps_per_bin:g} such steps wide: choose a number of bins that makes this a whole "
            "number",
            stacklevel=5,  # the caller of `histogram_slope`
        )
