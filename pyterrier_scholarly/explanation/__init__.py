"""Explain a document's score by matched sentences, as a frame and as a page."""

from .explaining import explain
from .parts import matches
from .result import Explanation

__all__ = ["Explanation", "explain", "matches"]
