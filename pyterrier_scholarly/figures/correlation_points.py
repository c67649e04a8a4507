"""Systems by two measures, as points with their correlation."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..arguments import check_arguments
from ..choices import describe_unknown
from ..evaluation.plotted_values import correlate, select_points
from .panels import BLUE, GREY, create_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 6, 4.5  # inches
NAMES_LEFT = 1.04  # where names begin, as a share of the panel's width


@check_arguments
def plot_correlation(
    results: pd.DataFrame, x: str | Measure, y: str | Measure, names: str | None = "name"
) -> "Figure":
    """Draw systems by two measures, with their correlation in the title.

    Args:
        results, x, y: see `correlate`.
        names: the column with the text for each point; None for no text.

    Raises:
        ValueError: see `correlate`; or the column of names is missing.
    """
    if names is not None and names not in results:
        raise ValueError(describe_unknown("column", names, results, of="the results"))

    coefficients = correlate(results, x, y)
    title_lines = [_describe_coefficient(row) for row in coefficients.to_dict("records")]
    systems = select_points(results, x, y)  # a row per system, with the two values

    figure, axes = create_panels(1, 1, WIDTH, HEIGHT)
    panel = axes[0, 0]
    panel.plot(systems.iloc[:, 0].to_numpy(), systems.iloc[:, 1].to_numpy(), "o", color=BLUE)
    panel.margins(0.1)
    panel.set(xlabel=str(x), ylabel=str(y))
    panel.set_title("\n".join(title_lines), size=10)
    if names is not None:
        _write_names(panel, systems.to_numpy(), results.loc[systems.index, names].tolist())
    return figure


def _describe_coefficient(row: dict[Any, Any]) -> str:
    """Write a row of `correlate` as text, with its interval if there is one."""
    text = f"{row['coefficient']} = {row['value']:.3f}"
    if not np.isnan(row["low"]):
        text += f" (95 %: {row['low']:.2f} to {row['high']:.3f})"
    return f"{text}, {row['systems']} systems"


def _write_names(panel: "Axes", positions: np.ndarray, names: list[str]) -> None:
    """Write the names beside the panel, in the order of the points, with a line to each.

    Names beside their points would overlap, because systems of one family lie close together.

    Args:
        positions: of the points, (systems, 2).
    """
    from_below = np.argsort(positions[:, 1], kind="stable")
    name_heights = np.linspace(0, 1, len(names) + 2)[1:-1]  # without both ends of the panel
    for height, number in zip(name_heights, from_below):
        panel.annotate(
            names[number],
            positions[number],
            xytext=(NAMES_LEFT, height),
            textcoords="axes fraction",
            va="center",
            size=8,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5},
        )
