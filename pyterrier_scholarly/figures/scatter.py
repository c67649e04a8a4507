"""One measure against another, a point for each system."""

import numpy as np

from ..evaluation.correlating import correlate, points
from ._style import BLUE, GREY, pyplot


def plot_correlation(results, x, y, names="name"):
    """Draw systems by two measures, with the correlation of these in the title.

    Args:
        results, x, y: as for `correlate`.
        names: the column whose text stands beside each point; None for no text.

    Returns:
        matplotlib's figure.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: as for `correlate`, or there is no such column of names.
    """
    if names is not None and names not in results:
        raise ValueError(f"no column {names!r}: expected one of {', '.join(map(str, results))}")
    table = correlate(results, x, y)
    figure, axis = pyplot().subplots(figsize=(6, 4.5), layout="constrained")
    both = points(results, x, y)
    axis.plot(*both.T.to_numpy(), "o", color=BLUE)
    axis.margins(0.1)
    axis.set_xlabel(str(x))
    axis.set_ylabel(str(y))
    axis.set_title("\n".join(_told(row) for row in table.to_dict("records")), size=10)
    if names is not None:
        _name(axis, both.to_numpy(), results.loc[both.index, names].tolist())
    return figure


def _name(axis, both, names):
    """Write the names beside the panel, in the order of the points and with a line to each.

    Systems of one family lie close together: names beside their points would cover each other.
    """
    order = np.argsort(both[:, 1], kind="stable")
    heights = np.linspace(0, 1, len(order) + 2)[1:-1]
    for height, number in zip(heights, order):
        axis.annotate(
            names[number],
            both[number],
            xytext=(1.04, height),
            textcoords="axes fraction",
            va="center",
            size=8,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5},
        )


def _told(row):
    told = f"{row['coefficient']} = {row['value']:.3f}"
    if row["low"] == row["low"]:
        told += f" (95 %: {row['low']:.2f} to {row['high']:.3f})"
    return f"{told}, {row['systems']} systems"
