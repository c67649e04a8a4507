"""Explain a document's score by matched sentences, as a frame and as a page."""

from ..similarity.matches import Matches
from .explanation_result import Explanation
from .score_explanation import explain
from .score_parts import matches

__all__ = ["Explanation", "Matches", "explain", "matches"]
