"""Random Histogram Slope Analysis: from two samples of distances to a slope and its error."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .division import divide
from .fits import FITS, NoLine
from .histogram import Histogram, numbers
from .rounding import warn_of_steps

BINS = 50


@dataclass(frozen=True, eq=False)
class Slope:
    """What `rhsa` found; ``float(slope)`` is its `value`.

    Where no line can be had, `value`, `sign` and `dof` are 0, `reason` says why, and `error`,
    `intercept` and `chi2` are NaN.
    """

    value: float  #: rHSA, the slope's size: natural logarithm of counts per unit of distance
    sign: int  #: -1 where similar pairs are the nearer ones, as they should be; else 1
    error: float  #: standard error; means something only where chi² / dof is about 1
    intercept: float  #: of the line log(C/R) = intercept + sign * value * distance
    chi2: float  #: of the line; for the binomial fit Pearson's
    dof: int  #: degrees of freedom, bins used less 2
    reason: str  #: why the value is 0, or ""
    fit: str  #: the choices made: how the line was fitted
    x_error: str  #: what counted as error of a bin's position
    similar: Histogram = field(repr=False)  #: of the similar pairs; has bins, low, high, edge
    random: Histogram = field(repr=False)  #: of the random pairs
    used: Any = field(repr=False)  #: bool array (bins,), the bins that the line is put through
    points: dict = field(repr=False)  #: arrays (bins,): x, y, x_error, y_error (standard errors)

    def __float__(self):
        return self.value

    @property
    def reduced_chi2(self):
        """chi² / dof, about 1 where the log division is a straight line; NaN without a line."""
        return self.chi2 / self.dof if self.dof else np.nan

    @property
    def outside(self):
        """Numbers of similar and of random pairs outside the range: two ints."""
        return tuple(h.below + h.above for h in (self.similar, self.random))

    def __str__(self):
        what = f"rHSA {self.value:.2f}"
        if self.reason:
            return f"{what} ({self.reason})"
        return (
            f"{what} ± {self.error:.2f} (slope {'-' if self.sign < 0 else '+'}, "
            f"{self.used.sum()} of {self.similar.bins} bins, "
            f"chi²/dof {self.reduced_chi2:.2f}, {self.fit})"
        )


def rhsa(
    similar,
    random,
    bins=BINS,
    low=0.0,
    high=1.0,
    edge="upper",
    fit="expected",
    x_error="mean",
):
    """Compute rHSA, the slope of the log division of two histograms of distances.

    Similar pairs are nearer to each other than random ones; the better the distance tells them
    apart, the steeper the logarithm of the ratio of their histograms falls.

    Args:
        similar, random: distances of similar and of random pairs, small where documents are alike.
            Each an array (n,), or an iterator of arrays, read once and not kept, so that a billion
            pairs need no more memory than the bins; or a `Histogram`.
        bins: number of bins of equal width.
        low, high: the range of the histograms. Values outside take no part and are counted in the
            result's `similar`, `random` and `outside`. The slope is per unit of distance, whatever
            the range.
        edge: the bin to which a value on the edge between two belongs, "upper" or "lower".
        fit: "expected" (bins in which the line expects at least 2 counts in both histograms,
            weighed by the counts expected), "binomial" (maximum likelihood over all bins; for few
            pairs) or "observed" (bins where neither is empty, weighed by observed counts: too flat
            below about a million pairs).
        x_error: the error of a bin's position: "mean", "spread" or "none" (see `divide`).

    Returns:
        `Slope`, of value 0 and with a reason where fewer than three bins can be used, the
        histograms do not overlap, or all values are in one bin.

    Raises:
        ValueError: an argument is out of range, or a value NaN or no number.

    Warns:
        UserWarning: values rounded to so few decimals that some bins have more of the possible
            values than others.

    Source: Krstovski, Smith & Kurtz (2016), section "Computing rHSA". It leaves `bins`, `edge`, a
    bin's position and the choice of bins for the line open. Its errors, read literally, are
    ``rhsa(similar, random, **KRSTOVSKI_2016)``; the defaults differ, because these give slopes
    that are too flat and far too large errors.
    """
    if fit not in FITS:
        raise ValueError(f"fit={fit!r}: expected one of {', '.join(FITS)}")
    similar, random = (_histogram(pairs, bins, low, high, edge) for pairs in (similar, random))
    division = divide(similar, random, x_error)
    choices = dict(fit=fit, x_error=x_error, similar=similar, random=random)
    try:
        fitted = FITS[fit](division)
    except NoLine as reason:
        return _no_slope(str(reason), division, choices)
    line, used = fitted.line, fitted.used
    errors = np.sqrt(division.x_variance), np.sqrt(fitted.y_variance)
    return Slope(
        value=abs(line.slope),
        sign=int(np.sign(line.slope)),
        error=line.error,
        intercept=line.intercept,
        chi2=line.chi2,
        dof=int(used.sum()) - 2,
        reason="",
        used=used,
        points=dict(x=fitted.x, y=fitted.y, x_error=errors[0], y_error=errors[1]),
        **choices,
    )


def _no_slope(reason, division, choices):
    unknown = np.full(len(division.x), np.nan)
    return Slope(
        value=0.0,
        sign=0,
        error=np.nan,
        intercept=np.nan,
        chi2=np.nan,
        dof=0,
        reason=reason,
        used=np.zeros(len(division.x), dtype=bool),
        points=dict(x=division.x, y=division.ratio, x_error=unknown, y_error=unknown),
        **choices,
    )


def _histogram(pairs, bins, low, high, edge):
    if isinstance(pairs, Histogram):
        return pairs
    histogram = Histogram(bins, low, high, edge)
    chunks = pairs if hasattr(pairs, "__next__") else [pairs]
    for number, chunk in enumerate(chunks):
        values = numbers(chunk)
        if number == 0:
            warn_of_steps(values[:1000], histogram)
        histogram.add(values)
    return histogram
