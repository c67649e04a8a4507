"""HTML pages of one file: templates that escape all text, and what pages share.

`_page/base.css` has the colours, of facets too, and the type of every page for a whole screen.
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.store import new_file

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED = Path(__file__).parent / "_page"
#: labels of sentences that have a colour of their own
FACET_COLOURS = ("background", "objective", "method", "result", "other")


@lru_cache
def templates(folder: Path) -> "Environment":
    """Read jinja's templates from a folder, and the shared ones; they escape all text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader([folder, SHARED]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(signed=signed, fixed=fixed, colour=colour)
    return environment


def written(path: str | Path, text: str) -> Path:
    """Write a text into a new file, and return its path."""
    with new_file(path) as file:
        file.write(text)
    return Path(path)


def fixed(value: float) -> str:
    """Format a number with two decimals."""
    return f"{value:.2f}".replace("-", "−")


def signed(value: float, decimals: int = 4) -> str:
    """Format a number with its sign."""
    return f"{value:+.{decimals}f}".replace("-", "−")


def colour(label: str) -> str:
    """Return the name of a label's colour in `base.css`."""
    return label if label in FACET_COLOURS else "none"
