"""A measure over its cut-offs as curves: NDCG%k over k."""

from math import ceil
from typing import TYPE_CHECKING

import pandas as pd

from .. import frames
from ..arguments import check_arguments
from ..evaluation.plotted_values import CURVE_COLUMNS
from .panels import LINE_COLOURS, MARKERS, WIDTHS, PaperSize, create_panels, use_paper_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_HEIGHT, LEGEND_HEIGHT = 1.7, 0.35  # inches
PANELS_IN_ROW: dict[PaperSize, int] = {"column": 1, "page": 2}
NAMES_IN_ROW: dict[PaperSize, int] = {"column": 3, "page": 6}
INTERVAL_OPACITY = 0.15


@check_arguments
def plot_cutoffs(curves: pd.DataFrame, size: PaperSize = "column") -> "Figure":
    """Draw a measure over its cut-offs, a line for each system, a panel for each group of queries.

    Areas are 95 % bootstrap intervals of the means.

    Args:
        curves: frame of `by_cutoff`: `name`, `subset`, `cutoff`, `measure`, `value`, `low`, `high`.
        size: "column" or "page" of a paper of two columns, for which type and width are chosen.

    Returns:
        matplotlib's figure; `save_figure` saves it for a paper.

    Raises:
        ValueError: no curve, or more systems than there are colours.
    """
    curves = frames.check(curves, "plot_cutoffs", CURVE_COLUMNS, keys=[])
    if curves.empty:
        raise ValueError("nothing to draw: pass a frame of by_cutoff with one curve or more")
    names = list(curves["name"].unique())
    check_colours(names)

    subsets = list(curves["subset"].unique())
    columns = min(PANELS_IN_ROW[size], len(subsets))
    rows = ceil(len(subsets) / columns)
    height = PANEL_HEIGHT * rows + LEGEND_HEIGHT
    with use_paper_type():
        figure, axes = create_panels(rows, columns, WIDTHS[size], height, sharex=True, sharey=True)
        panels = list(axes.flat)
        for panel, subset in zip(panels, subsets):
            curves_of_subset = curves[curves["subset"] == subset]
            _draw_curves(panel, curves_of_subset, names)
            query_count = int(curves_of_subset["queries"].max())
            panel.set_title(f"{subset} ({query_count} queries)")
        for unused_panel in panels[len(subsets) :]:
            unused_panel.set_axis_off()

        _write_axis_labels(figure, measure=str(curves["measure"].iloc[0]))
        _draw_legend(figure, panels[0], names_in_row=NAMES_IN_ROW[size])
    return figure


def check_colours(names: list[str]) -> None:
    """Raise ValueError for more systems than a reader can tell apart by colours."""
    if len(names) > len(LINE_COLOURS):
        raise ValueError(
            f"{len(names)} systems: a figure has {len(LINE_COLOURS)} colours that everybody can "
            f"tell apart. Pass the rows of {len(LINE_COLOURS)} systems or fewer."
        )


def _draw_curves(panel: "Axes", curves: pd.DataFrame, names: list[str]) -> None:
    """Draw the lines and intervals of systems; `names` has them in the order of colours."""
    for name, colour, marker in zip(names, LINE_COLOURS, MARKERS):
        curve = curves[curves["name"] == name]
        cutoffs = curve["cutoff"].to_numpy()
        panel.fill_between(
            cutoffs, curve["low"], curve["high"], color=colour, alpha=INTERVAL_OPACITY, linewidth=0
        )
        panel.plot(cutoffs, curve["value"], color=colour, marker=marker, label=name)


def _write_axis_labels(figure: "Figure", measure: str) -> None:
    """Write what the axes of all panels show: cut-offs, and the mean of the measure."""
    unit = "k, percent of the pool" if "%" in measure else "k, documents"
    figure.supxlabel(unit, size="medium")
    figure.supylabel(f"{_name_measure(measure)}, mean over queries", size="medium")


def _draw_legend(figure: "Figure", panel: "Axes", names_in_row: int) -> None:
    """Draw a legend above the panels, with the lines of one panel, which stand for all."""
    handles, names = panel.get_legend_handles_labels()
    columns = min(len(names), names_in_row)
    figure.legend(handles, names, loc="outside upper center", ncols=columns, frameon=False)


def _name_measure(measure: str) -> str:
    """Return a measure's name with k in the place of its cut-off: NDCG%k."""
    for sign in ("%", "@"):
        name, found_sign, _ = measure.rpartition(sign)
        if found_sign:
            return f"{name}{sign}k"
    return measure
