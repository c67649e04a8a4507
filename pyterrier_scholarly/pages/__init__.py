"""HTML pages of one file: templates that escape all text, and what pages share.

A package that writes pages has a folder of templates, and calls two functions::

    page = render_page(TEMPLATES, "page.html", title=title, rows=rows)
    write_page("page.html", page)

A template says ``{{ score | signed }}`` for a number with its sign, ``{{ score | fixed }}`` for one
with two decimals, ``f-{{ label | colour }}`` for the class of a sentence's label, and
``{% include "base.css" %}`` for the colours (of labels too) and the type of a whole screen.
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.atomic import new_file

from ..text import writable

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED_TEMPLATES = Path(__file__).parent / "_page"
#: labels of sentences that have a colour of their own, in the order of a legend
COLOURED_LABELS = ("background", "objective", "method", "result", "other")
MINUS = "−"  # as wide as a plus, unlike the hyphen that Python writes


def render_page(folder: Path, template: str, **values: object) -> str:
    """Fill in a template, and return the page.

    All text is escaped. Half a surrogate pair, which no file can hold, becomes U+FFFD.

    Args:
        folder: of the package's own templates, beside the shared ones.
        template: the file's name.
        values: what the template names; one that is missing raises jinja's error.
    """
    page = read_templates(folder).get_template(template).render(**values)
    return writable(page)


def write_page(path: str | Path, page: str) -> Path:
    """Write a page, or another text, into a new file, and return its path."""
    with new_file(path) as file:
        file.write(page)
    return Path(path)


def format_fixed(value: float) -> str:
    """Format a number with two decimals."""
    return f"{value:.2f}".replace("-", MINUS)


def format_signed(value: float, decimals: int = 4) -> str:
    """Format a number with its sign."""
    return f"{value:+.{decimals}f}".replace("-", MINUS)


def name_colour(label: str) -> str:
    """Return the name of a label's colour in ``base.css``."""
    return label if label in COLOURED_LABELS else "none"


@lru_cache
def read_templates(folder: Path) -> "Environment":
    """Return jinja's environment for a folder's templates and the shared ones."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader([folder, SHARED_TEMPLATES]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(signed=format_signed, fixed=format_fixed, colour=name_colour)
    return environment
