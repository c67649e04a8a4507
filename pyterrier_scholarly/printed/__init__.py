"""The papers' tables as data, shipped with the package; `README.md` beside it has the sources."""

from .descriptive import printed_tables
from .figures import labels, published

__all__ = ["labels", "printed_tables", "published"]
