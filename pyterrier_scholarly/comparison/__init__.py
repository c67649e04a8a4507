"""Compare systems query by query and paper by paper: why one is better, and where."""

from .comparison_result import Comparison
from .system_comparison import compare

__all__ = ["Comparison", "compare"]
