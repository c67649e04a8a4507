"""The two histograms of rHSA, and their log division."""

from collections.abc import Mapping
from textwrap import fill

import numpy as np

from ..stats import Histogram, Slope
from .style import BLUE, GREY, VERMILION, Axes, Figure, pyplot


def plot_rhsa(slopes: Slope | Mapping[str, Slope]) -> Figure:
    """Draw the three panels of the paper's Figures 1 and 2, a column for each system.

    From top to bottom: the histograms of the similar pairs (C) and of the random pairs (R), with
    logarithmic counts; then their log division with error bars and line. Bins not used for the
    line are hollow, without bars. The line ends at the outermost bins used. Panels of a row share
    their axes, so that slopes can be compared by eye.

    Args:
        slopes: a `Slope` from `histogram_slope`, or a dict from names of systems to theirs.

    Returns:
        matplotlib's figure; ``.savefig("rhsa.pdf")`` writes it.

    Raises:
        ImportError: matplotlib is missing; the message names the command to install it.
        ValueError: the dict is empty.

    Source: Krstovski, Smith & Kurtz (2016), Figures 1 and 2.
    """
    slopes = {"": slopes} if isinstance(slopes, Slope) else slopes
    if not slopes:
        raise ValueError("no slope to draw: pass a Slope, or a dict of at least one")
    size = (1 + 3.2 * len(slopes), 7)
    shared = dict(sharex="col", sharey="row", squeeze=False, layout="constrained")
    figure, axes = pyplot().subplots(3, len(slopes), figsize=size, **shared)
    for (name, slope), column in zip(slopes.items(), axes.T):
        _draw_histogram(column[0], slope.similar, BLUE)
        _draw_histogram(column[1], slope.random, VERMILION)
        _draw_division(column[2], slope)
        column[0].set_title(name)
        column[2].set_xlabel("distance")
    for row, side in zip(axes, ("similar", "random")):
        most = max(getattr(slope, side).counts.max() for slope in slopes.values())
        row[0].set_yscale("log")
        row[0].set_ylim(0.5, 2 * max(most, 1))  # from 0.5, so that a single pair is visible
    for row, label in zip(axes, ("similar pairs C", "random pairs R", "log C - log R")):
        row[0].set_ylabel(label)
    return figure


def _draw_histogram(axis: Axes, histogram: Histogram, colour: str) -> None:
    edges = np.linspace(histogram.low, histogram.high, histogram.bins + 1)
    axis.stairs(histogram.counts, edges, fill=True, color=colour)


def _draw_division(axis: Axes, slope: Slope) -> None:
    points, used = slope.points, slope.used
    unused = (slope.similar.counts + slope.random.counts > 0) & ~used
    y = _finite(points["y"], slope)[unused]
    axis.plot(points["x"][unused], y, "o", markersize=3, markerfacecolor="none", color=GREY)
    x, y, y_error, x_error = (points[name][used] for name in ("x", "y", "y_error", "x_error"))
    axis.errorbar(x, y, y_error, x_error, fmt="o", markersize=3, linewidth=0.8, color="black")
    axis.axhline(0, color=GREY, linewidth=0.5)
    if slope.reason:
        text = fill(f"rHSA 0: {slope.reason}", 32)
    else:
        ends = np.array([x.min(), x.max()])
        axis.plot(ends, slope.intercept + slope.sign * slope.value * ends, color=BLUE)
        text = f"rHSA {slope.value:.2f} ± {slope.error:.2f}\nχ²/dof {slope.reduced_chi2:.2f}"
    # a white box, because points can lie behind the text
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1}
    axis.text(0.97, 0.95, text, transform=axis.transAxes, ha="right", va="top", bbox=box)


def _finite(y: np.ndarray, slope: Slope) -> np.ndarray:
    """Return the log division; if a histogram is empty, with half a count added to both."""
    half = np.log((slope.similar.counts + 0.5) / (slope.random.counts + 0.5))
    return np.where(np.isfinite(y), y, half)
