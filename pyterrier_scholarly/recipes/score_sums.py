"""Sums of scores that print and compare by their parts."""

from collections.abc import Iterable
from functools import reduce

import pyterrier as pt
from pyterrier import _ops


class Sum(_ops.Sum):
    """PyTerrier's sum of two scorers; that prints as an address, and equals no other sum."""

    def __repr__(self) -> str:
        return f"({self.left!r} + {self.right!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sum):
            return NotImplemented
        return (self.left, self.right) == (other.left, other.right)

    def __hash__(self) -> int:
        return hash((Sum, self.left, self.right))


def add_scores(scorers: Iterable[pt.Transformer]) -> pt.Transformer:
    """Return a scorer whose scores are the sums of those of `scorers`, one or more."""
    return reduce(Sum, scorers)
