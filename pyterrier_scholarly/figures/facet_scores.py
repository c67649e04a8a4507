"""Each query paper's value in its facets, as points: CSFCube's Figure 3."""

from typing import TYPE_CHECKING

import pandas as pd
from ir_measures import Measure

from ir_datasets_ext import facets

from ..arguments import check_arguments
from ..evaluation.figures import check_values
from ..evaluation.measure_names import column_of
from .panels import BLUE, GREEN, GREY, VERMILION, create_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: facet -> the colour of its points; none is black, which a dark ground hides
FACET_COLOURS = {"background": BLUE, "method": VERMILION, "result": GREEN}
#: facet -> the form of its points, as matplotlib calls it
FACET_MARKERS = {"background": "o", "method": "s", "result": "^"}

# inches
LEAST_WIDTH, PAPER_WIDTH, LABEL_WIDTH = 4, 0.45, 2.4
PANEL_HEIGHT, LABEL_HEIGHT = 3, 0.8


@check_arguments
def plot_facet_scores(perquery: pd.DataFrame, measure: str | Measure = "NDCG%20") -> "Figure":
    """Draw each query paper's value in its two facets: CSFCube's Figure 3.

    Papers are in descending order of the first system's larger value. A line joins a paper's
    facets. A long line means that one facet's value does not predict the other's.

    Args:
        perquery: frame of ``pt.Experiment(…, perquery=True)`` over ``csfcube/all``: `name`, `qid`
            (``<paper>_<facet>``), `measure`, `value`.
        measure: one of its measures.

    Returns:
        matplotlib's figure, a panel for each system; papers with a single facet are skipped.

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: the measure is missing, an id has no facet, or no paper has two facets.
    """
    perquery = check_values(perquery)
    values = _tabulate_by_facet(perquery, measure)
    if values.empty:
        raise ValueError("no paper has values in two facets: evaluate queries of csfcube/all")

    systems_with_values = set(values.index.get_level_values("name"))
    systems = [name for name in perquery["name"].unique() if name in systems_with_values]
    papers = _order_papers(values.loc[systems[0]])

    width = max(LEAST_WIDTH, PAPER_WIDTH * len(papers) + LABEL_WIDTH)
    height = PANEL_HEIGHT * len(systems) + LABEL_HEIGHT
    figure, axes = create_panels(len(systems), 1, width, height, sharex=True)
    for panel, system in zip(axes[:, 0], systems):
        _draw_facets(panel, values.loc[system].reindex(papers))
        panel.set_ylabel(str(measure))
        panel.set_title(system, size=10)

    lowest_panel = axes[-1, 0]
    lowest_panel.set_xticks(range(len(papers)), papers, rotation=90)
    lowest_panel.set_xlabel("query paper")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _tabulate_by_facet(perquery: pd.DataFrame, measure: str | Measure) -> pd.DataFrame:
    """Return a row per system and paper (`name`, `paper`) with a column per facet.

    Papers with a single facet are left out.
    """
    column = column_of(measure, perquery["measure"].unique())
    rows = perquery[perquery["measure"] == column]

    papers = []
    facet_names = []
    for qid in rows["qid"]:
        paper, facet = facets.split(qid)
        papers.append(paper)
        facet_names.append(facet)

    rows = rows.assign(paper=papers, facet=facet_names)
    values = rows.pivot(index=["name", "paper"], columns="facet", values="value")
    facet_counts = values.notna().sum(axis=1)
    return values[facet_counts > 1]


def _order_papers(values: pd.DataFrame) -> pd.Index:
    """Order papers by their larger value, descending. values: of one system, by paper."""
    larger_values = values.max(axis=1)
    return larger_values.sort_values(ascending=False, kind="stable").index


def _draw_facets(panel: "Axes", values: pd.DataFrame) -> None:
    """Draw a column of points for each paper, a series for each facet. values: by paper."""
    positions = range(len(values))
    panel.vlines(positions, values.min(axis=1), values.max(axis=1), color=GREY, linewidth=1)
    for facet, colour in FACET_COLOURS.items():
        if facet in values:
            panel.plot(positions, values[facet], FACET_MARKERS[facet], color=colour, label=facet)
    panel.set_ylim(-0.02, 1.02)
