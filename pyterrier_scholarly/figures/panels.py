"""What all figures share: colours, and a figure with its panels.

::

    figure, axes = create_panels(1, 2, width=10, height=4, sharey=True)
    axes[0, 1].plot(steps, losses, color=BLUE)
"""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

#: distinct for people with any kind of colour vision [Okabe & Ito 2008]
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
GREY = "#666666"

#: colours of the lines in one panel: the first line's is the first, and so on
LINE_COLOURS = (BLUE, VERMILION, GREEN, "#CC79A7", "#E69F00", "#56B4E9")


class Panels(NamedTuple):
    """A figure, and its panels."""

    figure: "Figure"
    axes: "np.ndarray"  #: matplotlib's axes, an array (rows, columns)


def create_panels(rows: int, columns: int, width: float, height: float, **shared: Any) -> Panels:
    """Create a figure of `width` by `height` inches with empty panels.

    Args:
        shared: `sharex` and `sharey`, as matplotlib's `subplots` takes them.

    Raises:
        ImportError: matplotlib is missing; names the command to install it.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[notebooks]'"
        ) from error

    figure, axes = plt.subplots(
        rows, columns, squeeze=False, figsize=(width, height), layout="constrained", **shared
    )
    return Panels(figure, axes)
