"""Make a paper's whole table in one call, with rows of your own systems."""

from .making import reproduce
from .result import PaperTable

__all__ = ["PaperTable", "reproduce"]
