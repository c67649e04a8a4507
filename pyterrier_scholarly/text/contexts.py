"""Choose sentences of a paper: those of a facet, and the passage in which each is read.

A sentence has one label: background, objective, method, result, other, or "" for none. A facet is
one of CSFCube's (*background* has the labels background and objective [Mysore2021]) or any single
label. The empty facet is the whole text. Positions of sentences count from 0.

Conventions: a *passage* is a tuple of texts, the title first, that an encoder reads together. A
context returns, for each sentence, its passage and its position there: 0 is the title; WHOLE means
that the passage is the sentence.

- ``"abstract"`` (ctx): the title and all sentences.
- ``"facet"`` (fac): the title and the sentences of the same facet: background, method or result. A
  sentence of no facet (label other, or none) gets the abstract.
- ``"title"`` (tit): the title and the sentence.
- ``"sentence"``: the sentence only, as in a sentence encoder.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ir_datasets_ext.facets import FACETS

WHOLE = -1  # the position of a sentence that is the whole passage

Passage = tuple[str, ...]
Placed = tuple[list[Passage], list[int]]


def labels_of(facet: str) -> tuple[str, ...]:
    """Return the sentence labels of a facet."""
    return FACETS.get(facet, (facet,))


def positions_of(facet: str, labels: Iterable[str]) -> list[int]:
    """Find the positions of a facet's sentences; all positions for the empty facet."""
    wanted = labels_of(facet)
    return [position for position, label in enumerate(labels) if not facet or label in wanted]


def at(
    sentences: Sequence[str], labels: Sequence[str], positions: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Select the sentences at `positions` and their labels, in that order.

    Raises:
        ValueError: a position is outside the text.
    """
    if outside := [position for position in positions if position not in range(len(sentences))]:
        raise ValueError(
            f"no sentence at {outside}: there are {len(sentences)}; pass positions from 0."
        )
    return [sentences[p] for p in positions], [labels[p] for p in positions]


def facets_in(labels: Iterable[str]) -> list[str]:
    """List the facets of a text with these sentence labels, and its labels that are in no facet."""
    present = set(labels)
    facets = [facet for facet, parts in FACETS.items() if set(parts) & present]
    covered = {label for facet in facets for label in FACETS[facet]}
    return facets + sorted(present - covered - {""})


class Paper(NamedTuple):
    """A title (maybe ""), sentences, and one label per sentence, "" for none."""

    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]

    def passage(self, places: Sequence[int]) -> Passage:
        """Return the title and the sentences at `places`."""
        return (self.title, *(self.sentences[place] for place in places))


def abstract(paper: Paper) -> Placed:
    """Read each sentence in the abstract."""
    passage = (paper.title, *paper.sentences)
    places = list(range(1, len(passage)))
    return [passage] * len(places), places


def title(paper: Paper) -> Placed:
    """Read each sentence after the title."""
    return [(paper.title, sentence) for sentence in paper.sentences], [1] * len(paper.sentences)


def sentence(paper: Paper) -> Placed:
    """Read each sentence alone, without the title."""
    return [(sentence,) for sentence in paper.sentences], [WHOLE] * len(paper.sentences)


def facet(paper: Paper) -> Placed:
    """Read each sentence among the sentences of its facet."""
    passages, places = abstract(paper)
    for name in FACETS:
        chosen = positions_of(name, paper.labels)
        passage = paper.passage(chosen)
        for place, number in enumerate(chosen, 1):
            passages[number], places[number] = passage, place
    return passages, places


#: name of a context -> function from a paper to passages and positions
CONTEXTS = {"abstract": abstract, "facet": facet, "title": title, "sentence": sentence}


def context_named(name: str) -> Callable[[Paper], Placed]:
    """Return the function of a context; ValueError, with all names, if it is unknown."""
    if name not in CONTEXTS:
        raise ValueError(f"Unknown context {name!r}: choose one of {', '.join(CONTEXTS)}.")
    return CONTEXTS[name]
