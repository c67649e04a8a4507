"""Each query's value as a point, for several systems by facet."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import check_arguments
from ..evaluation.cutoff_values import QUERY_COLUMNS
from .cutoff_curves import check_colours
from .panels import LINE_COLOURS, MARKERS, WIDTHS, PaperSize, create_panels, use_paper_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STRIP_HEIGHT, SUBSET_GAP, MARGIN_HEIGHT = 0.2, 0.12, 0.75  # inches
POINT_OPACITY = 0.55
SPREAD = 0.56  # of a strip's height, over which points with alike values are spread
MEAN_HEIGHT = 0.8  # of a strip's height


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
    frames.check(values, "plot_queries", QUERY_COLUMNS, keys=[])
    if values.empty:
        raise ValueError("nothing to draw: pass a frame of by_query with one value or more")
    names = list(values["name"].unique())
    check_colours(names)

    subsets = list(values["subset"].unique())
    height = len(subsets) * (STRIP_HEIGHT * len(names) + SUBSET_GAP) + MARGIN_HEIGHT
    with use_paper_type():
        figure, axes = create_panels(len(subsets), 1, WIDTHS[size], height, sharex=True)
        for panel, subset in zip(axes[:, 0], subsets):
            values_of_subset = values[values["subset"] == subset]
            _draw_strips(panel, values_of_subset, names)
            query_count = values_of_subset["qid"].nunique()
            panel.set_title(f"{subset} ({query_count} queries)", loc="left", pad=2)
        axes[-1, 0].set_xlabel(f"{measure} of a query; line: mean")
    return figure


def _draw_strips(panel: "Axes", values: pd.DataFrame, names: list[str]) -> None:
    """Draw a strip for each system, the first one on top."""
    for position, (name, colour, marker) in enumerate(zip(names, LINE_COLOURS, MARKERS)):
        values_of_system = values[values["name"] == name].sort_values("qid")["value"].to_numpy()
        heights = position + _spread_points(len(values_of_system))
        panel.plot(
            values_of_system,
            heights,
            marker,
            color=colour,
            alpha=POINT_OPACITY,
            markeredgewidth=0,
        )
        if len(values_of_system):
            ends = [position - MEAN_HEIGHT / 2, position + MEAN_HEIGHT / 2]
            panel.plot([values_of_system.mean()] * 2, ends, color=colour, linewidth=1.8)

    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.set_xlim(-0.02, 1.02)
    panel.tick_params(axis="y", length=0)


def _spread_points(count: int) -> np.ndarray:
    """Return offsets for `count` points, so that neighbours in the list are far apart.

    Multiples of the golden ratio, of which the fraction counts, fill an interval evenly. A random
    offset would differ from call to call.
    """
    golden_ratio = (5**0.5 - 1) / 2
    fractions = (np.arange(count) * golden_ratio) % 1
    return (fractions - 0.5) * SPREAD
