"""Figures of the papers, drawn with matplotlib, which is imported on the first call.

If it is missing, an ImportError names the command to install it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # matplotlib is optional
    Axes, Figure = "Axes", "Figure"

#: distinct for people with any kind of colour vision [Okabe & Ito 2008]
BLUE: str = "#0072B2"
VERMILION: str = "#D55E00"
GREY: str = "#666666"

#: colours of the lines in one panel, in this order
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def panels(
    rows: int, columns: int, width: float, height: float, **shared: Any
) -> "tuple[Figure, np.ndarray]":
    """Return a figure of `width` by `height` inches, and its axes: an array (rows, columns).

    Raises ImportError with the command to install matplotlib, if it is missing.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[notebooks]'"
        ) from error
    return plt.subplots(
        rows, columns, squeeze=False, figsize=(width, height), layout="constrained", **shared
    )


# the figures need what stands above
from .curves import plot_losses, plot_normalised_scores, plot_rhsa  # noqa: E402
from .heat_maps import plot_confusions, plot_facet_grades  # noqa: E402
from .points import plot_correlation, plot_facet_scores  # noqa: E402

__all__ = [
    "plot_confusions",
    "plot_correlation",
    "plot_facet_grades",
    "plot_facet_scores",
    "plot_losses",
    "plot_normalised_scores",
    "plot_rhsa",
]
