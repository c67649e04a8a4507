"""Choose sentences of a paper: those of a facet, and the passage in which each is read.

    >>> positions_of("background", ["objective", "method", "background"])
    [0, 2]
    >>> paper = Paper("On trees", ("We prune.", "It works."), ("method", "result"))
    >>> facet(paper).passages[1]
    ('On trees', 'It works.')

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
from typing import NamedTuple, TypeAlias

from ir_datasets_ext.choices import choose_option
from ir_datasets_ext.facets import FACETS

WHOLE = -1  # the position of a sentence that is the whole passage

Passage: TypeAlias = tuple[str, ...]


class SentencePassages(NamedTuple):
    """In which passage each sentence of a paper is read, and at which position of it."""

    passages: list[Passage]
    positions: list[int]


class Paper(NamedTuple):
    """A title (maybe ""), sentences, and one label per sentence, "" for none."""

    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]

    def passage(self, positions: Sequence[int]) -> Passage:
        """Return the title and the sentences at `positions`."""
        return (self.title, *(self.sentences[position] for position in positions))


def labels_of(facet: str) -> tuple[str, ...]:
    """Return the sentence labels of a facet."""
    return FACETS.get(facet, (facet,))


def positions_of(facet: str, labels: Iterable[str]) -> list[int]:
    """Find the positions of a facet's sentences; all positions for the empty facet."""
    facet_labels = labels_of(facet)
    return [position for position, label in enumerate(labels) if not facet or label in facet_labels]


def facets_in(labels: Iterable[str]) -> list[str]:
    """List the facets of a text with these sentence labels, and its labels that are in no facet."""
    present = set(labels)
    facets = [name for name, facet_labels in FACETS.items() if present & set(facet_labels)]

    covered: set[str] = set()
    for name in facets:
        covered.update(FACETS[name])
    other_labels = present - covered - {""}
    return facets + sorted(other_labels)


def select_sentences(
    sentences: Sequence[str], labels: Sequence[str], positions: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Select the sentences at `positions` and their labels, in that order.

    Raises:
        ValueError: a position is outside the text.
    """
    outside = [position for position in positions if position not in range(len(sentences))]
    if outside:
        raise ValueError(
            f"no sentence at {outside}: there are {len(sentences)}; pass positions from 0."
        )

    chosen_sentences = [sentences[position] for position in positions]
    chosen_labels = [labels[position] for position in positions]
    return chosen_sentences, chosen_labels


def abstract(paper: Paper) -> SentencePassages:
    """Read each sentence in the abstract."""
    whole_abstract: Passage = (paper.title, *paper.sentences)
    count = len(paper.sentences)
    return SentencePassages([whole_abstract] * count, list(range(1, count + 1)))


def facet(paper: Paper) -> SentencePassages:
    """Read each sentence among the sentences of its facet."""
    read = abstract(paper)  # a sentence of no facet stays there
    for name in FACETS:
        facet_sentences = positions_of(name, paper.labels)
        passage = paper.passage(facet_sentences)
        for position_in_passage, sentence_number in enumerate(facet_sentences, start=1):
            read.passages[sentence_number] = passage
            read.positions[sentence_number] = position_in_passage
    return read


def title(paper: Paper) -> SentencePassages:
    """Read each sentence after the title."""
    passages: list[Passage] = [(paper.title, sentence) for sentence in paper.sentences]
    return SentencePassages(passages, [1] * len(passages))


def sentence(paper: Paper) -> SentencePassages:
    """Read each sentence alone, without the title."""
    passages: list[Passage] = [(text,) for text in paper.sentences]
    return SentencePassages(passages, [WHOLE] * len(passages))


#: name of a context -> function from a paper to passages and positions
CONTEXTS: dict[str, Callable[[Paper], SentencePassages]] = {
    "abstract": abstract,
    "facet": facet,
    "title": title,
    "sentence": sentence,
}


def context_named(name: str) -> Callable[[Paper], SentencePassages]:
    """Return the function of a context; ValueError, with all names, if it is unknown."""
    return choose_option("context", name, CONTEXTS)
