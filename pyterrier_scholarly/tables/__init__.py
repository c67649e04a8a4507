"""A paper's whole table in one call, with systems of one's own in it."""

from .making import reproduce
from .result import PaperTable

__all__ = ["PaperTable", "reproduce"]
