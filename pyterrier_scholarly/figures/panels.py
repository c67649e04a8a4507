"""What all figures share: colours, sizes of a paper, and a figure with its panels.

::

    figure, axes = create_panels(1, 2, width=10, height=4, sharey=True)
    axes[0, 1].plot(steps, losses, color=BLUE)

    with use_paper_type():                      # small type, thin lines
        figure, axes = create_panels(1, 1, WIDTHS["column"], 2.2)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ir_datasets_ext.atomic import new_file

from ..arguments import FilePath, check_arguments, show_value
from ..choices import check_option

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


#: forms of points, in the order of colours: lines and points differ in print without colours, too
MARKERS = ("o", "s", "^", "D", "v", "P")

#: how wide a figure stands in a paper of two columns
PaperSize: TypeAlias = Literal["column", "page"]
#: inches, as in the templates of ACM (3.33 and 7) and ACL (3.03 and 6.3): fits both unscaled
WIDTHS: dict[PaperSize, float] = {"column": 3.03, "page": 6.3}
#: matplotlib's settings for a figure that stands in a paper unscaled; sizes in points
PAPER_SETTINGS = {
    "font.size": 7,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 3,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
FORMATS = ("pdf", "svg", "png")
SHARP = 300  # dots per inch of pixels
#: fonts as outlines that can be searched, which publishers ask for, and text as text in SVG
FILE_SETTINGS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class Panels(NamedTuple):
    """A figure, and its panels."""

    figure: "Figure"
    axes: "np.ndarray"  #: matplotlib's axes, an array (rows, columns)


@contextmanager
def use_paper_type() -> Iterator[None]:
    """Draw what is drawn inside in the type and line widths of a paper."""
    matplotlib = _import_pyplot().matplotlib
    with matplotlib.rc_context(PAPER_SETTINGS):
        yield


@check_arguments
def save_figure(figure: "Figure", path: FilePath) -> Path:
    """Save a figure for a paper, and return its path.

    Fonts are embedded in full in PDF, as publishers ask, and text stays text in SVG.

    Args:
        figure: matplotlib's.
        path: its ending chooses the format.

    Raises:
        ValueError: no figure, or another ending than those of FORMATS.
    """
    if not hasattr(figure, "savefig"):
        raise ValueError(
            f"save_figure, figure={show_value(figure)}: expected matplotlib's Figure. Pass what a "
            "function of `figures` returned."
        )

    path = Path(path)
    file_format = path.suffix.removeprefix(".").lower()
    check_option("ending of a figure's file", file_format, FORMATS)

    matplotlib = _import_pyplot().matplotlib
    with matplotlib.rc_context(FILE_SETTINGS), new_file(path, "wb") as file:
        figure.savefig(file, format=file_format, dpi=SHARP)
    return path


def create_panels(rows: int, columns: int, width: float, height: float, **shared: Any) -> Panels:
    """Create a figure of `width` by `height` inches with empty panels.

    Args:
        shared: `sharex` and `sharey`, as matplotlib's `subplots` takes them.

    Raises:
        ImportError: matplotlib is missing; names the command to install it.
    """
    figure, axes = _import_pyplot().subplots(
        rows, columns, squeeze=False, figsize=(width, height), layout="constrained", **shared
    )
    return Panels(figure, axes)


def _import_pyplot() -> Any:
    """Return matplotlib's pyplot; the ImportError names the command to install it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[notebooks]'"
        ) from error
    return pyplot
