"""Each query's value as a point, for several systems by facet."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import check_arguments
from ..evaluation.plotted_values import QUERY_COLUMNS
from .cutoff_curves import check_colours
from .panels import LINE_COLOURS, MARKERS, WIDTHS, PaperSize, create_panels, use_paper_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# inches: of a system's strip, between two groups of queries, and above and below all of them
STRIP_HEIGHT, SUBSET_GAP, MARGIN_HEIGHT = 0.2, 0.12, 0.75
POINT_OPACITY = 0.55
SPREAD = 0.56  # of a strip's height, over which points with alike values are spread
MEAN_HEIGHT = 0.8  # of a strip's height, which the line of the mean covers
MEAN_LINE_WIDTH = 1.8  # points


@check_arguments
def plot_queries(
    values: pd.DataFrame, measure: str = "NDCG%20", size: PaperSize = "column"
) -> "Figure":
    """Draw each query's value as a point, a strip for each system in each group of queries.

    A line in each strip is the mean. Equal means may hide that one system fails for some queries
    and is perfect for others.

    Args:
        values: frame of `by_query`: `name`, `subset`, `qid`, `value`.
        measure: its name, for the axis.
        size: "column" or "page" of a paper of two columns, for which type and width are chosen.

    Returns:
        matplotlib's figure; `save_figure` saves it for a paper.

    Raises:
        ValueError: no value, or more systems than there are colours.
    """
    values = frames.check(values, "plot_queries", QUERY_COLUMNS, keys=[])
    if values.empty:
        raise ValueError("nothing to draw: pass a frame of by_query with one value or more")
    names = list(values["name"].unique())
    check_colours(names)

    subsets = list(values["subset"].unique())
    panel_height = STRIP_HEIGHT * len(names) + SUBSET_GAP
    figure_height = panel_height * len(subsets) + MARGIN_HEIGHT

    with use_paper_type():
        figure, axes = create_panels(len(subsets), 1, WIDTHS[size], figure_height, sharex=True)
        for panel, subset in zip(axes[:, 0], subsets):
            values_of_subset = values[values["subset"] == subset]
            _draw_strips(panel, values_of_subset, names)
            query_count = values_of_subset["qid"].nunique()
            panel.set_title(f"{subset} ({query_count} queries)", loc="left", pad=2)
        axes[-1, 0].set_xlabel(f"{measure} of a query; line: mean")
    return figure


def _draw_strips(panel: "Axes", values: pd.DataFrame, names: list[str]) -> None:
    """Draw a strip of points for each system in one panel, the first system on top.

    A strip is 1 high. System n, from 0, has its middle at height n; heights grow downwards.

    Args:
        panel: of one group of queries.
        values: frame `name`, `qid`, `value` of these queries.
        names: of all systems. One without values here has an empty strip.
    """
    for middle, (name, colour, marker) in enumerate(zip(names, LINE_COLOURS, MARKERS)):
        values_of_system = values[values["name"] == name].sort_values("qid")
        points = values_of_system["value"].to_numpy()
        if not len(points):
            continue

        heights = middle + _spread_points(len(points))
        panel.plot(points, heights, marker, color=colour, alpha=POINT_OPACITY, markeredgewidth=0)

        mean = points.mean()
        line_ends = [middle - MEAN_HEIGHT / 2, middle + MEAN_HEIGHT / 2]
        panel.plot([mean, mean], line_ends, color=colour, linewidth=MEAN_LINE_WIDTH)

    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)  # the larger limit first: the first strip is on top
    panel.set_xlim(-0.02, 1.02)  # values are from 0 to 1; points at the ends are drawn whole
    panel.tick_params(axis="y", length=0)


def _spread_points(count: int) -> np.ndarray:
    """Return an offset from a strip's middle for each of `count` points: a float array (count,).

    Points next to each other in the list get offsets far apart, so that alike values do not hide
    each other. Multiples of the golden ratio, of which the fraction counts, fill an interval
    evenly. A random offset would differ from call to call.
    """
    golden_ratio = (5**0.5 - 1) / 2
    fractions = (np.arange(count) * golden_ratio) % 1
    return (fractions - 0.5) * SPREAD
