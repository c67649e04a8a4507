"""Explain a document's score by matched sentences, as a frame and as a page."""

from ..similarity.contributions import Matches
from .explaining import explain
from .parts import matches
from .result import Explanation

__all__ = ["Explanation", "Matches", "explain", "matches"]
