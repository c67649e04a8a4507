"""The papers' tables as data, shipped with the package; `README.md` beside it has the sources."""

from .tables import published

__all__ = ["published"]
