"""How rHSA comes about: two histograms and their log division."""

from textwrap import fill

import numpy as np

from ..stats import Slope
from ._style import BLUE, GREY, VERMILION, pyplot


def plot_rhsa(slopes):
    """Draw the three panels of the paper's Figures 1 and 2, a column for each system.

    From top to bottom: the histogram of the similar pairs (C), that of the random pairs (R), both
    with logarithmic counts, and their log division with error bars and line. Bins that the line
    does not use are hollow and without bars. The line ends at the outermost bins that it uses.
    Panels of a row share their axes, so that slopes can be compared by eye.

    Args:
        slopes: a `Slope`, as `histogram_slope` gives it, or a dict from names of systems to theirs.

    Returns:
        matplotlib's figure; ``.savefig("rhsa.pdf")`` writes it.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: there is no slope to draw.

    Source: Krstovski, Smith & Kurtz (2016), Figures 1 and 2.
    """
    slopes = {"": slopes} if isinstance(slopes, Slope) else dict(slopes)
    if not slopes:
        raise ValueError("no slope to draw: expected a Slope or a dict of at least one")
    figure, axes = pyplot().subplots(
        3,
        len(slopes),
        sharex="col",
        sharey="row",
        squeeze=False,
        figsize=(1 + 3.2 * len(slopes), 7),
        layout="constrained",
    )
    for (name, slope), column in zip(slopes.items(), axes.T):
        _histogram(column[0], slope.similar, BLUE)
        _histogram(column[1], slope.random, VERMILION)
        _division(column[2], slope)
        column[0].set_title(name)
        column[2].set_xlabel("distance")
    for row, side in zip(axes, ("similar", "random")):
        most = max(getattr(slope, side).counts.max() for slope in slopes.values())
        row[0].set_yscale("log")
        row[0].set_ylim(0.5, 2 * max(most, 1))  # from 0.5, so that a single pair is seen
    for row, label in zip(axes, ("similar pairs C", "random pairs R", "log C - log R")):
        row[0].set_ylabel(label)
    return figure


def _histogram(axis, histogram, colour):
    edges = np.linspace(histogram.low, histogram.high, histogram.bins + 1)
    axis.stairs(histogram.counts, edges, fill=True, color=colour)


def _division(axis, slope):
    points, used = slope.points, slope.used
    filled = (slope.similar.counts + slope.random.counts > 0) & ~used
    axis.plot(
        points["x"][filled],
        _finite(points["y"], slope)[filled],
        "o",
        markersize=3,
        markerfacecolor="none",
        color=GREY,
    )
    axis.errorbar(
        *(points[name][used] for name in ("x", "y", "y_error", "x_error")),
        fmt="o",
        markersize=3,
        linewidth=0.8,
        color="black",
    )
    axis.axhline(0, color=GREY, linewidth=0.5)
    if slope.reason:
        told = fill(f"rHSA 0: {slope.reason}", 32)
    else:
        x = points["x"][used]
        x = np.array([x.min(), x.max()])
        axis.plot(x, slope.intercept + slope.sign * slope.value * x, color=BLUE)
        told = f"rHSA {slope.value:.2f} ± {slope.error:.2f}\nχ²/dof {slope.reduced_chi2:.2f}"
    # points may lie where the text does
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1}
    axis.text(0.97, 0.95, told, transform=axis.transAxes, ha="right", va="top", bbox=box)


def _finite(y, slope):
    """The log division; where a histogram is empty, that with half a count added to both."""
    half = np.log((slope.similar.counts + 0.5) / (slope.random.counts + 0.5))
    return np.where(np.isfinite(y), y, half)
