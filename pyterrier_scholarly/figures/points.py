"""Points: a system by two measures, or a query paper by its two facets."""

import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_datasets_ext import facets
from ir_datasets_ext.choices import describe_unknown

from ..arguments import check_arguments
from ..evaluation.measure_correlation import correlate, select_points
from ..evaluation.measure_names import check_perquery, column_of
from . import BLUE, GREY, VERMILION, Axes, Figure, panels

#: none is black, which a dark ground hides
COLOURS = dict(zip(facets.FACETS, (BLUE, VERMILION, "#009E73")))
MARKERS = dict(zip(facets.FACETS, "os^"))


@check_arguments
def plot_correlation(
    results: pd.DataFrame, x: str | Measure, y: str | Measure, names: str | None = "name"
) -> Figure:
    """Draw systems by two measures, with their correlation in the title.

    Args:
        results, x, y: see `correlate`.
        names: the column with the text for each point; None for no text.

    Raises:
        ValueError: see `correlate`; or the column of names is missing.
    """
    if names is not None and names not in results:
        raise ValueError(describe_unknown("column", names, results, of="the results"))
    table = correlate(results, x, y)
    figure, ((axis,),) = panels(1, 1, 6, 4.5)
    both = select_points(results, x, y)
    axis.plot(*both.T.to_numpy(), "o", color=BLUE)
    axis.margins(0.1)
    axis.set(xlabel=str(x), ylabel=str(y))
    axis.set_title("\n".join(_describe(row) for row in table.to_dict("records")), size=10)
    if names is not None:
        _name(axis, both.to_numpy(), results.loc[both.index, names].tolist())
    return figure


def _name(axis: Axes, both: np.ndarray, names: list[str]) -> None:
    """Write the names beside the panel, in the order of the points, with a line to each.

    Names beside their points would overlap, because systems of one family lie close together.
    """
    order = np.argsort(both[:, 1], kind="stable")
    for height, number in zip(np.linspace(0, 1, len(order) + 2)[1:-1], order):
        axis.annotate(
            names[number],
            both[number],
            xytext=(1.04, height),
            textcoords="axes fraction",
            va="center",
            size=8,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5},
        )


def _describe(row: dict) -> str:
    text = f"{row['coefficient']} = {row['value']:.3f}"
    if row["low"] == row["low"]:
        text += f" (95 %: {row['low']:.2f} to {row['high']:.3f})"
    return f"{text}, {row['systems']} systems"


@check_arguments
def plot_facet_scores(perquery: pd.DataFrame, measure: str | Measure = "NDCG%20") -> Figure:
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
    check_perquery(perquery)
    rows = perquery[perquery["measure"] == column_of(measure, perquery["measure"].unique())]
    ids = [facets.split(qid) for qid in rows["qid"]]
    rows = rows.assign(paper=[paper for paper, _ in ids], facet=[facet for _, facet in ids])
    wide = rows.pivot(index=["name", "paper"], columns="facet", values="value")
    wide = wide[wide.notna().sum(axis=1) > 1]
    if wide.empty:
        raise ValueError("no paper has values in two facets: evaluate queries of csfcube/all")
    names = [name for name in rows["name"].unique() if name in wide.index]
    order = wide.loc[names[0]].max(axis=1).sort_values(ascending=False, kind="stable").index
    width, height = max(4, 0.45 * len(order) + 2.4), 3 * len(names) + 0.8
    figure, axes = panels(len(names), 1, width, height, sharex=True)
    for axis, name in zip(axes[:, 0], names):
        _draw_scores(axis, wide.loc[name].reindex(order))
        axis.set_ylabel(str(measure))
        axis.set_title(name, size=10)
    axis.set_xticks(range(len(order)), order, rotation=90)
    axis.set_xlabel("query paper")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _draw_scores(axis: Axes, values: pd.DataFrame) -> None:
    """Draw a column of points for each paper, a series for each facet."""
    positions = range(len(values))
    axis.vlines(positions, values.min(axis=1), values.max(axis=1), color=GREY, linewidth=1)
    for facet in [facet for facet in COLOURS if facet in values]:
        axis.plot(positions, values[facet], MARKERS[facet], color=COLOURS[facet], label=facet)
    axis.set_ylim(-0.02, 1.02)
