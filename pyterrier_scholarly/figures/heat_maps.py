"""Heat maps of grades: of two annotators, or of two facets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..frames import check
from . import Figure, panels

if TYPE_CHECKING:
    from ..collect import Agreement

WHITE_FROM = 0.55  # share of the row: numbers in darker cells are white

AXES = {
    "annotators": ("one annotator", "another", "Annotators with one another"),
    "reference": ("reference", "annotator", "Annotators with the reference"),
}


@check_arguments
def plot_confusions(agreement: "Agreement") -> Figure:
    """Draw the confusion matrices of an `Agreement`, with the number of ratings in each cell.

    Colours are shares of a row, because low grades are many times as frequent as high ones. The
    title has the percentage of equal ratings, and the median over queries of Krippendorff's
    ordinal α.

    Returns:
        matplotlib's figure: a panel for pairs of annotators, and one for the reference, if any.
    """
    if not hasattr(agreement, "confusions"):
        raise ValueError(f"{agreement!r:.80} is no Agreement: pass what `agreement(…)` returns.")
    matrices = agreement.confusions
    figure, axes = _heat_maps(list(matrices.values()), 4.2, 5.2)
    for axis, (name, matrix) in zip(axes, matrices.items()):
        down, across, title = AXES[name]
        axis.set(ylabel=f"grade by {down}", xlabel=f"grade by {across}")
        axis.set_title(f"{title}\n{_describe(agreement.table, name, matrix)}", size=10)
    return figure


def _describe(table: pd.DataFrame, name: str, matrix: pd.DataFrame) -> str:
    rows = table[table["compared"] == name].set_index("over")
    equal, alpha = rows.loc["pooled", "percent"], rows.loc["median", "alpha_ordinal"]
    return (
        f"{matrix.to_numpy().sum():,} pairs of ratings, {equal:.0%} equal\n"
        f"median α over {rows['queries'].iloc[0]} queries: {alpha:.2f}"
    )


@check_arguments
def plot_facet_grades(table: pd.DataFrame) -> Figure:
    """Draw the grades of candidates of one query paper in two facets: CSFCube's Figure 2.

    Numbers are counts of candidates, colours their shares of a row. Most candidates that are
    relevant to one facet are not relevant to the other.

    Args:
        table: ``statistics("csfcube")["facets"]``.

    Returns:
        matplotlib's figure, a panel for each pair of facets with a candidate in both.

    Raises:
        ValueError: no query paper has two facets.
    """
    check(table, "plot_facet_grades", ["facet", "other", "grade"], keys=[])
    grades = [name for name in table if name.isdecimal()]
    matrices = {
        pair: rows.set_index("grade")[grades]
        for pair, rows in table.groupby(["facet", "other"], sort=False)
        if rows[grades].to_numpy().any()
    }
    if not matrices:
        raise ValueError("no candidate has grades for two facets: pass statistics of all facets")
    figure, axes = _heat_maps(list(matrices.values()), 3.8, 4.2)
    for axis, ((facet, other), matrix) in zip(axes, matrices.items()):
        axis.set(ylabel=f"grade for {facet}", xlabel=f"grade for {other}")
        axis.set_title(f"{matrix.to_numpy().sum():,} candidates", size=10)
    return figure


def _heat_maps(
    matrices: Sequence[pd.DataFrame], width: float, height: float
) -> tuple[Figure, np.ndarray]:
    """Draw frames of counts side by side: numbers in the cells, colours by the share of the row.

    width, height: of a panel, in inches.
    """
    figure, (axes,) = panels(1, len(matrices), width * len(matrices) + 0.6, height)
    for axis, matrix in zip(axes, matrices):
        counts = matrix.to_numpy()
        shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
        image = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for (row, column), count in np.ndenumerate(counts):
            colour = "white" if shares[row, column] > WHITE_FROM else "black"
            axis.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
        axis.set_xticks(range(len(matrix.columns)), [f"{grade}" for grade in matrix.columns])
        axis.set_yticks(range(len(counts)), [f"{grade}" for grade in matrix.index])
    figure.colorbar(image, ax=list(axes), label="share of the row", shrink=0.8)
    return figure, axes
