"""Sums of scores that print and compare by their parts.

    add_scores([SentenceMaxSim("m"), SentenceCentroid("m")])

PyTerrier's own sum prints as an address, and equals no other sum.
"""

from collections.abc import Iterable

import pyterrier as pt
from pyterrier import _ops


def add_scores(scorers: Iterable[pt.Transformer]) -> pt.Transformer:
    """Return a scorer whose scores are the sums of those of `scorers`, one or more."""
    first, *others = scorers
    total = first
    for scorer in others:
        total = Sum(total, scorer)
    return total


class Sum(_ops.Sum):
    """The sum of two scorers."""

    def __repr__(self) -> str:
        return f"({self.left!r} + {self.right!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sum):
            return NotImplemented
        return (self.left, self.right) == (other.left, other.right)

    def __hash__(self) -> int:
        return hash((Sum, self.left, self.right))
