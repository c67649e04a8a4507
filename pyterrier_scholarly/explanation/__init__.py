"""Why a pipeline scores a paper as it does: matched sentences, as a frame and as a page."""

from .explaining import explain
from .result import Explanation
from .scorers import matches

__all__ = ["Explanation", "explain", "matches"]
