"""Papers that are asked for in two facets: CSFCube's Figures 2 and 3 [Mysore2021]."""

from ir_datasets_ext import facets

from ..evaluation.measures import column_of
from ._heat import draw
from ._style import BLUE, GREY, VERMILION, pyplot

COLOURS = dict(zip(facets.FACETS, (BLUE, VERMILION, "black")))
MARKERS = dict(zip(facets.FACETS, "os^"))


def plot_facet_grades(table):
    """Draw how candidates of one query paper were rated for two facets: the paper's Figure 2.

    Numbers are counts of candidates, colours their shares of a row: most that are relevant to one
    facet are not to the other.

    Args:
        table: ``statistics("csfcube")["facets"]``.

    Returns:
        matplotlib's figure, a panel for each pair of facets with a candidate in both.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: no query paper has two facets.
    """
    grades = [name for name in table if name.isdecimal()]
    panels = {
        pair: rows.set_index("grade")[grades]
        for pair, rows in table.groupby(["facet", "other"], sort=False)
        if rows[grades].to_numpy().any()
    }
    if not panels:
        raise ValueError("no candidate was rated for two facets: give statistics of all facets")
    figure, axes = pyplot().subplots(
        1,
        len(panels),
        squeeze=False,
        figsize=(3.8 * len(panels) + 0.6, 4.2),
        layout="constrained",
    )
    for axis, ((facet, other), matrix) in zip(axes[0], panels.items()):
        image = draw(axis, matrix)
        axis.set_ylabel(f"grade for {facet}")
        axis.set_xlabel(f"grade for {other}")
        axis.set_title(f"{matrix.to_numpy().sum():,} candidates", size=10)
    figure.colorbar(image, ax=list(axes[0]), label="share of the row", shrink=0.8)
    return figure


def plot_facet_scores(perquery, measure="NDCG%20"):
    """Draw each query paper's value in its two facets: the paper's Figure 3.

    Papers stand in the order of the first system's larger value. A line joins a paper's facets: the
    longer, the less does one facet's value say of the other's.

    Args:
        perquery: frame of ``pt.Experiment(…, perquery=True)`` over ``csfcube/all``: `name`, `qid`
            (``<paper>_<facet>``), `measure`, `value`.
        measure: one of its measures.

    Returns:
        matplotlib's figure, a panel for each system; papers with a single facet are left out.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: no such measure, ids that name no facet, or no paper with two facets.
    """
    rows = perquery[perquery["measure"] == column_of(measure, perquery["measure"].unique())]
    ids = [facets.split(qid) for qid in rows["qid"]]
    rows = rows.assign(paper=[paper for paper, _ in ids], facet=[facet for _, facet in ids])
    wide = rows.pivot(index=["name", "paper"], columns="facet", values="value")
    wide = wide[wide.notna().sum(axis=1) > 1]
    if wide.empty:
        raise ValueError("no paper has values in two facets: evaluate queries of csfcube/all")
    names = [name for name in rows["name"].unique() if name in wide.index]
    order = wide.loc[names[0]].max(axis=1).sort_values(ascending=False, kind="stable").index
    figure, axes = pyplot().subplots(
        len(names),
        1,
        squeeze=False,
        sharex=True,
        figsize=(max(4, 0.45 * len(order) + 2.4), 3 * len(names) + 0.8),
        layout="constrained",
    )
    for axis, name in zip(axes[:, 0], names):
        _scores(axis, wide.loc[name].reindex(order))
        axis.set_ylabel(str(measure))
        axis.set_title(name, size=10)
    axis.set_xticks(range(len(order)), order, rotation=90)
    axis.set_xlabel("query paper")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _scores(axis, values):
    """A column of points for each paper, a series for each facet."""
    places = range(len(values))
    axis.vlines(places, values.min(axis=1), values.max(axis=1), color=GREY, linewidth=1)
    for facet in [facet for facet in COLOURS if facet in values]:
        style = {"color": COLOURS[facet], "marker": MARKERS[facet], "linestyle": "none"}
        axis.plot(places, values[facet].to_numpy(), label=facet, **style)
    axis.set_ylim(-0.02, 1.02)
