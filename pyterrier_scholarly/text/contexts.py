"""The contexts in which an encoder reads a paper's sentences: each in a passage.

    >>> paper = Paper("On trees", ("We prune.", "It works."), ("method", "result"))
    >>> read_in_context = context_named("title")
    >>> read_in_context(paper).passages[1]
    ('On trees', 'It works.')

Conventions: a *passage* is a tuple of texts, the title first, that an encoder reads together. A
context returns, for each sentence, its passage and its position there: 0 is the title; WHOLE means
that the passage is the sentence. Labels and facets: see `facet_sentences`.

- ``"abstract"`` (ctx): the title and all sentences.
- ``"facet"`` (fac): the title and the sentences of the same facet: background, method or result. A
  sentence of no facet (label other, or none) gets the abstract.
- ``"title"`` (tit): the title and the sentence.
- ``"sentence"``: the sentence only, as in a sentence encoder.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ir_datasets_ext.choices import choose_option
from ir_datasets_ext.facets import FACETS

from .facet_sentences import positions_of

WHOLE = -1  # the position of a sentence that is the whole passage

Passage: TypeAlias = tuple[str, ...]


class Paper(NamedTuple):
    """A paper's texts.

    title: maybe "".
    sentences: in their order.
    labels: one per sentence, "" for none.
    """

    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]

    def passage(self, positions: Sequence[int]) -> Passage:
        """Return the title and the sentences at `positions`, which count from 0."""
        return (self.title, *(self.sentences[position] for position in positions))


class SentencePassages(NamedTuple):
    """In which passage each sentence of a paper is read.

    passages: the passage of each sentence; several sentences may share one.
    positions: the sentence's position in its passage.
    """

    passages: list[Passage]
    positions: list[int]


def read_in_abstract(paper: Paper) -> SentencePassages:
    """Place each sentence in the abstract, behind the title and among all sentences."""
    whole_abstract: Passage = (paper.title, *paper.sentences)
    count = len(paper.sentences)
    return SentencePassages([whole_abstract] * count, list(range(1, count + 1)))


def read_in_facet(paper: Paper) -> SentencePassages:
    """Place each sentence among the sentences of its facet, behind the title.

    A sentence of no facet is placed in the whole abstract.
    """
    in_abstract = read_in_abstract(paper)
    passages = list(in_abstract.passages)
    positions = list(in_abstract.positions)

    for facet in FACETS:
        sentences_of_facet = positions_of(facet, paper.labels)
        facet_passage = paper.passage(sentences_of_facet)
        # position 0 of a passage is the title
        for position_in_passage, sentence in enumerate(sentences_of_facet, start=1):
            passages[sentence] = facet_passage
            positions[sentence] = position_in_passage
    return SentencePassages(passages, positions)


def read_behind_title(paper: Paper) -> SentencePassages:
    """Place each sentence behind the title, without the other sentences."""
    passages: list[Passage] = [(paper.title, sentence) for sentence in paper.sentences]
    return SentencePassages(passages, [1] * len(passages))


def read_alone(paper: Paper) -> SentencePassages:
    """Place each sentence alone, without the title."""
    passages: list[Passage] = [(sentence,) for sentence in paper.sentences]
    return SentencePassages(passages, [WHOLE] * len(passages))


#: name of a context -> function from a paper to passages and positions
CONTEXTS: dict[str, Callable[[Paper], SentencePassages]] = {
    "abstract": read_in_abstract,
    "facet": read_in_facet,
    "title": read_behind_title,
    "sentence": read_alone,
}


def context_named(name: str) -> Callable[[Paper], SentencePassages]:
    """Return the function of a context; ValueError, with all names, if it is unknown."""
    return choose_option("context", name, CONTEXTS)
