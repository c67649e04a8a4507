"""In what company a sentence of a paper is read.

Conventions: a paper is a title and labelled sentences; a *passage* is a tuple of texts that are
read in one go, the title first. A context gives, for each sentence of a paper, the passage to read
it in and its place in there (0 is the title; WHOLE, if the passage is the sentence).

- ``"abstract"`` (ctx): the title and all sentences.
- ``"facet"`` (fac): the title and the sentences of the same facet, background, method or result;
  a sentence of no facet (labelled other, or without a label) is read in the abstract.
- ``"title"`` (tit): the title and the sentence.
- ``"sentence"``: the sentence alone, isolated: what a model of sentences gives for it.
"""

from typing import NamedTuple

from ir_datasets_ext.facets import FACETS

from .facets import labels_of

WHOLE = -1  # the place of a sentence that is the whole passage


class Paper(NamedTuple):
    """A title (perhaps ""), sentences, and one label per sentence, "" for none."""

    title: str
    sentences: tuple
    labels: tuple

    def of_facet(self, facet) -> list:
        """Where the sentences of a facet are; of all for the empty facet."""
        wanted = labels_of(facet)
        return [n for n, label in enumerate(self.labels) if not facet or label in wanted]

    def passage(self, places):
        """The title and the sentences at `places`."""
        return (self.title, *(self.sentences[place] for place in places))


def abstract(paper) -> tuple[list, list]:
    """The passage and the place of each sentence."""
    passage = (paper.title, *paper.sentences)
    places = list(range(1, len(passage)))
    return [passage] * len(places), places


def title(paper) -> tuple[list, list]:
    """The passage and the place of each sentence."""
    return [(paper.title, sentence) for sentence in paper.sentences], [1] * len(paper.sentences)


def sentence(paper) -> tuple[list, list]:
    """The passage and the place of each sentence; the title is left out."""
    return [(sentence,) for sentence in paper.sentences], [WHOLE] * len(paper.sentences)


def facet(paper) -> tuple[list, list]:
    """The passage and the place of each sentence."""
    passages, places = abstract(paper)
    for name in FACETS:
        chosen = paper.of_facet(name)
        passage = paper.passage(chosen)
        for place, number in enumerate(chosen, 1):
            passages[number], places[number] = passage, place
    return passages, places


#: what a context is called -> what finds the passages
CONTEXTS = {"abstract": abstract, "facet": facet, "title": title, "sentence": sentence}


def context_named(name):
    """The function of CONTEXTS that is called `name`; ValueError, listing them, if none is."""
    if name not in CONTEXTS:
        raise ValueError(f"Unknown context {name!r}: choose one of {', '.join(CONTEXTS)}.")
    return CONTEXTS[name]


def places_of(asked, labels, paper) -> list:
    """Where in `paper` the sentences `asked` (with `labels`, or None) are, each place once.

    Raises:
        ValueError: a sentence that the paper does not have (so often, with that label).
    """
    free = list(range(len(paper.sentences)))
    found = []
    for number, sentence in enumerate(asked):
        same = [place for place in free if paper.sentences[place] == sentence]
        if not same:
            raise ValueError(f"the paper {paper.title!r} has no (further) sentence {sentence!r}")
        if labels is not None:  # of two equal sentences, the one that is of the facet
            same.sort(key=lambda place, label=labels[number]: paper.labels[place] != label)
        found.append(same[0])
        free.remove(same[0])
    return found
