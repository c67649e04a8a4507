"""Heat maps of grades: of two annotators, or of two facets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..frames import check
from .panels import Panels, create_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from ..collect import Agreement

DARK_FROM = 0.55  # share of the row: numbers in darker cells are white
COLOUR_BAR_WIDTH = 0.6  # inches


class Labels(NamedTuple):
    """What stands at a confusion matrix."""

    rows: str
    columns: str
    title: str


#: key of `Agreement.confusions` -> labels of its panel
LABELS = {
    "annotators": Labels("one annotator", "another", "Annotators with one another"),
    "reference": Labels("reference", "annotator", "Annotators with the reference"),
}


@check_arguments
def plot_confusions(agreement: "Agreement") -> "Figure":
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
    figure, axes = _draw_heat_maps(list(matrices.values()), panel_width=4.2, height=5.2)
    for panel, (compared, matrix) in zip(axes[0], matrices.items()):
        labels = LABELS[compared]
        summary = _describe_agreement(agreement.table, compared, matrix)
        panel.set(ylabel=f"grade by {labels.rows}", xlabel=f"grade by {labels.columns}")
        panel.set_title(f"{labels.title}\n{summary}", size=10)
    return figure


def _describe_agreement(table: pd.DataFrame, compared: str, matrix: pd.DataFrame) -> str:
    """Say how many ratings are equal, and the median α. table: `Agreement.table`."""
    rows = table[table["compared"] == compared].set_index("over")
    equal_share = rows.loc["pooled", "percent"]
    median_alpha = rows.loc["median", "alpha_ordinal"]
    query_count = rows["queries"].iloc[0]
    return (
        f"{matrix.to_numpy().sum():,} pairs of ratings, {equal_share:.0%} equal\n"
        f"median α over {query_count} queries: {median_alpha:.2f}"
    )


@check_arguments
def plot_facet_grades(table: pd.DataFrame) -> "Figure":
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
    grade_columns = [name for name in table if name.isdecimal()]

    matrices = {}
    for facet_pair, rows in table.groupby(["facet", "other"], sort=False):
        matrix = rows.set_index("grade")[grade_columns]
        if matrix.to_numpy().any():
            matrices[facet_pair] = matrix
    if not matrices:
        raise ValueError("no candidate has grades for two facets: pass statistics of all facets")

    figure, axes = _draw_heat_maps(list(matrices.values()), panel_width=3.8, height=4.2)
    for panel, ((facet, other), matrix) in zip(axes[0], matrices.items()):
        panel.set(ylabel=f"grade for {facet}", xlabel=f"grade for {other}")
        panel.set_title(f"{matrix.to_numpy().sum():,} candidates", size=10)
    return figure


def _draw_heat_maps(matrices: Sequence[pd.DataFrame], panel_width: float, height: float) -> Panels:
    """Draw frames of counts side by side: numbers in the cells, colours by the share of the row.

    panel_width, height: in inches.
    """
    width = panel_width * len(matrices) + COLOUR_BAR_WIDTH
    figure, axes = create_panels(1, len(matrices), width, height)
    for panel, matrix in zip(axes[0], matrices):
        image = _draw_heat_map(panel, matrix)

    # all panels have the same colours, so that any one's image serves
    figure.colorbar(image, ax=list(axes[0]), label="share of the row", shrink=0.8)
    return Panels(figure, axes)


def _draw_heat_map(panel: "Axes", matrix: pd.DataFrame) -> "AxesImage":
    """Draw a frame of counts, and return matplotlib's image."""
    counts = matrix.to_numpy()
    row_sums = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(row_sums, 1)
    image = panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)

    for (row, column), count in np.ndenumerate(counts):
        ink = "white" if shares[row, column] > DARK_FROM else "black"
        panel.text(column, row, f"{count:,}", ha="center", va="center", color=ink)
    panel.set_xticks(range(len(matrix.columns)), [f"{grade}" for grade in matrix.columns])
    panel.set_yticks(range(len(matrix.index)), [f"{grade}" for grade in matrix.index])
    return image
