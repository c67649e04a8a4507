"""Histograms and log division of rHSA, in three panels a system: Krstovski's Figures 1 and 2."""

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import Positive, check_arguments
from ..stats import Histogram, Slope
from .panels import BLUE, GREY, VERMILION, create_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH, PAGE_WIDTH = 3.3, 7.0  # inches, of a two-column paper
LEAST_PANEL_WIDTH, HEIGHT = 1.4, 4.5  # inches
TEXT_SIZE, SMALL_TEXT_SIZE = 8, 7  # points, as a paper's captions
LONGEST_NAME_LINE, LONGEST_REASON_LINE = 24, 28  # characters


@check_arguments
def plot_rhsa(slopes: Slope | Mapping[str, Slope], width: Positive | None = None) -> "Figure":
    """Draw the three panels of the paper's Figures 1 and 2, a column for each system.

    From top to bottom: the histograms of the similar pairs (C) and of the random pairs (R), with
    logarithmic counts; then their log division with error bars and line, under its slope. Bins not
    used for the line are hollow, without bars. The line ends at the outermost bins used. Panels of
    a row share their axes, so that slopes can be compared by eye.

    Args:
        slopes: a `Slope` from `histogram_slope`, or a dict from names of systems to theirs.
        width: of the figure in inches; None for a column of a two-column paper (3.3), from the
            third system on for its page (7), and more for more than five.

    Returns:
        matplotlib's figure; ``.savefig("rhsa.pdf")`` writes it.

    Raises:
        ValueError: the dict is empty.

    Source: Krstovski, Smith & Kurtz (2016), Figures 1 and 2.
    """
    slope_of_system = {"": slopes} if isinstance(slopes, Slope) else slopes
    if not slope_of_system:
        raise ValueError("no slope to draw: pass a Slope, or a dict of at least one")

    if width is None:
        width = _choose_width(len(slope_of_system))
    figure, axes = create_panels(3, len(slope_of_system), width, HEIGHT, sharex="col", sharey="row")
    for column, (system, slope) in enumerate(slope_of_system.items()):
        similar_panel, random_panel, division_panel = axes[:, column]
        _draw_histogram(similar_panel, slope.similar, BLUE)
        _draw_histogram(random_panel, slope.random, VERMILION)
        _draw_division(division_panel, slope)
        similar_panel.set_title(fill(system, LONGEST_NAME_LINE), size=TEXT_SIZE)
        division_panel.set_title(_describe_slope(slope), size=SMALL_TEXT_SIZE)
        division_panel.set_xlabel("distance", size=TEXT_SIZE)

    # panels of a row share their axes: so the first one's scale and limits are the row's
    first_similar_panel, first_random_panel, first_division_panel = axes[:, 0]
    _scale_counts(first_similar_panel, [slope.similar for slope in slope_of_system.values()])
    _scale_counts(first_random_panel, [slope.random for slope in slope_of_system.values()])
    first_similar_panel.set_ylabel("similar pairs C", size=TEXT_SIZE)
    first_random_panel.set_ylabel("random pairs R", size=TEXT_SIZE)
    first_division_panel.set_ylabel("log C - log R", size=TEXT_SIZE)
    for panel in axes.flat:
        panel.tick_params(labelsize=SMALL_TEXT_SIZE)
    return figure


def _choose_width(system_count: int) -> float:
    """Return the figure's width in inches."""
    if system_count <= 2:
        return COLUMN_WIDTH
    return max(PAGE_WIDTH, LEAST_PANEL_WIDTH * system_count)


def _draw_histogram(panel: "Axes", histogram: Histogram, colour: str) -> None:
    edges = np.linspace(histogram.low, histogram.high, histogram.bins + 1)
    panel.stairs(histogram.counts, edges, fill=True, color=colour)


def _scale_counts(panel: "Axes", histograms: list[Histogram]) -> None:
    """Make the counts' axis logarithmic, with room for all histograms of the row."""
    highest_count = max(histogram.counts.max() for histogram in histograms)
    panel.set_yscale("log")
    panel.set_ylim(0.5, 2 * max(highest_count, 1))  # from 0.5, so that a single pair is visible


def _draw_division(panel: "Axes", slope: Slope) -> None:
    """Draw the log division of both histograms, with its line if there is one."""
    points = slope.points
    has_pairs = slope.similar.counts + slope.random.counts > 0
    is_used = slope.used  # (bins,), whether the line is fitted to a bin
    is_unused = has_pairs & ~is_used

    # a bin that is empty in one histogram has no finite log: half a count is added to both
    substitutes = np.log((slope.similar.counts + 0.5) / (slope.random.counts + 0.5))
    drawn_y = np.where(np.isfinite(points["y"]), points["y"], substitutes)
    unused_x = points["x"][is_unused]
    unused_y = drawn_y[is_unused]
    panel.plot(unused_x, unused_y, "o", markersize=2, markerfacecolor="none", color=GREY)

    used_x = points["x"][is_used]
    ink = panel.xaxis.label.get_color()  # of the style: black, or white on a dark ground
    panel.errorbar(
        used_x,
        points["y"][is_used],
        points["y_error"][is_used],
        points["x_error"][is_used],
        fmt="o",
        markersize=2,
        linewidth=0.8,
        color=ink,
    )
    panel.axhline(0, color=GREY, linewidth=0.5)

    has_line = not slope.reason
    if has_line:
        line_x = np.array([used_x.min(), used_x.max()])
        line_y = slope.intercept + slope.sign * slope.value * line_x
        panel.plot(line_x, line_y, color=BLUE, linewidth=1.2, zorder=3)  # above the points


def _describe_slope(slope: Slope) -> str:
    """Say the slope with its error and chi², or why there is none."""
    if slope.reason:
        return fill(f"rHSA 0: {slope.reason}", LONGEST_REASON_LINE)
    return f"rHSA {slope.value:.2f} ± {slope.error:.2f}\nχ²/dof {slope.reduced_chi2:.2f}"
