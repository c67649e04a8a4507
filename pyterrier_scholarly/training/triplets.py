"""Triplets of papers from who cites whom: by SPECTER's definition, and by DORIS-MAE's."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, cycle, islice
from typing import NamedTuple

import numpy as np

from ..settings import BySettings
from .relations import DEFINITIONS


class Triplet(NamedTuple):
    """Three ids: a paper, one that is related to it, and one that is not."""

    anchor: str
    positive: str
    negative: str


@dataclass(eq=False, repr=False)
class CitationTriplets(BySettings):
    """A stream of triplets (paper, related paper, other paper) from a citation graph.

    - ``"specter"`` [Cohan2020]: what a paper cites is related. Up to `each` triplets of a paper: 2
      with a *hard* negative, which is cited by what the paper cites but not by the paper itself,
      the others with any unrelated paper. (The paper does not say what becomes of papers with
      fewer citations: here positives are repeated, and a hard negative that there is not is
      replaced by another one.)
    - ``"doris-mae"`` [Wang2023, D.1]: what is cited by a cited paper is related, too. One triplet
      for each relation. (Negatives are not printed: here any unrelated paper.)

    A paper is never related to itself, nor its own negative, whatever loops the graph has. Nothing
    is held but the graph and the ids: triplets are drawn anew while one goes through them, and
    equal settings give equal triplets, in whatever order papers and citations are given.

    Args:
        cites: a dict from a paper's id to the ids that it cites, or a graph with `neighbours`, as
            `citation_graph` makes.
        papers: ids of the papers that take part, those that have texts; the graph may have others,
            which are no member of a triplet.
        definition: ``"specter"`` or ``"doris-mae"``.
        each: triplets of a paper at most; None for the definition's own (5; all relations).
        seed: of all that is drawn.
        buffer: triplets among which the next one is drawn, so that those of one paper do not stand
            together; 1 leaves them in their order.

    Raises:
        ValueError: an unknown definition, a number below 1, fewer than three papers, one twice.
    """

    cites: object = field(repr=False)
    papers: object = field(repr=False)
    definition: str = field(default="specter", kw_only=True)
    each: int | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    buffer: int = field(default=10_000, kw_only=True)

    def __post_init__(self):
        if self.definition not in DEFINITIONS:
            known = ", ".join(map(repr, DEFINITIONS))
            raise ValueError(f"definition={self.definition!r}: choose one of {known}.")
        for name in ("each", "buffer"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value}: it must be 1 at least.")
        if len(self._ids) < 3 or len(self._number) < len(self._ids):
            raise ValueError(
                f"Triplets need three papers at least, each once: there are {len(self._ids)}, of "
                f"which {len(self._number)} are different."
            )

    def __iter__(self):
        """The triplets of the first pass."""
        return self.epoch(0)

    def __len__(self):
        """How many triplets a pass has."""
        return sum(self._size(self.related(paper)) for paper in self._ids)

    def related(self, paper):
        """`Related` papers of a paper, by the definition, of those that take part."""
        found = DEFINITIONS[self.definition].relate(paper, self._cited)
        return found.among(self._number)

    def epoch(self, number):
        """The triplets of a pass, from 0: the same papers in another order, other draws."""
        order = np.random.default_rng([self.seed, number]).permutation(len(self._ids))
        triplets = (triplet for place in order for triplet in self.of(self._ids[place], number))
        return mixed(triplets, self.buffer, np.random.default_rng([self.seed, number, 1]))

    def endless(self):
        """The triplets of one pass after the other; none if a pass has none."""
        for number in count():
            empty = True
            for triplet in self.epoch(number):
                empty = False
                yield triplet
            if empty:
                return

    def of(self, paper, epoch=0) -> list:
        """The triplets of one paper in a pass."""
        found = self.related(paper)
        size = self._size(found)
        drawn = np.random.default_rng([self.seed, epoch, 2, self._number[paper]])
        hard = _some(found.hard, DEFINITIONS[self.definition].hard, drawn)[:size]
        easy = self._unrelated({paper, *found.positive, *found.hard}, size - len(hard), drawn)
        positives = cycle(_some(found.positive, size, drawn))
        negatives = [*hard, *islice(cycle(easy), size - len(hard))]
        return [Triplet(paper, positive, other) for positive, other in zip(positives, negatives)]

    def _size(self, found) -> int:
        """How many triplets a paper has, of these relations."""
        own = DEFINITIONS[self.definition]
        size = self.each or own.each or len(found.positive)
        if own.each is None or not found.positive:
            size = min(size, len(found.positive))
        others = len(self._ids) - 1 - len(found.positive) - len(found.hard)
        return size if others > 0 else min(size, own.hard, len(found.hard))

    def _unrelated(self, taken, size, drawn) -> list:
        """Up to `size` different papers that are not `taken`, in the order drawn."""
        free = len(self._ids) - len(taken)
        found = {}
        while len(found) < min(size, free):
            paper = self._ids[drawn.integers(len(self._ids))]
            if paper not in taken:
                found[paper] = None
        return list(found)

    def _cited(self, paper):
        if not hasattr(self.cites, "neighbours"):
            return sorted(self.cites.get(paper, ()))  # as the papers are
        if paper not in self._asked:  # a graph may read a file for each answer
            self._asked[paper] = sorted(self.cites.neighbours(paper))
        return self._asked[paper]

    @cached_property
    def _asked(self) -> dict:
        return {}

    @cached_property
    def _ids(self) -> list:
        return sorted(self.papers)  # a set's order differs between processes

    @cached_property
    def _number(self) -> dict:
        return {paper: place for place, paper in enumerate(self._ids)}


def _some(papers, size, drawn) -> list:
    """Up to `size` of the papers, each once, in a drawn order."""
    return [papers[place] for place in drawn.permutation(len(papers))[:size]]


def mixed(items, size, drawn):
    """The items, the next one drawn from `size` that wait; all of them in the end."""
    waiting = []
    for item in items:
        waiting.append(item)
        if len(waiting) >= size:
            yield waiting.pop(drawn.integers(len(waiting)))
    for place in drawn.permutation(len(waiting)):
        yield waiting[place]
