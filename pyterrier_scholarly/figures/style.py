"""Colours and matplotlib, for all figures."""

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # matplotlib is optional
    Axes, Figure = "Axes", "Figure"

#: distinct for people with any kind of colour vision [Okabe & Ito 2008]
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"

#: colours of the lines in one panel, in this order
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def pyplot() -> ModuleType:
    """Return matplotlib.pyplot; ImportError with the command to install it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[docs]'"
        ) from error
    return plt
