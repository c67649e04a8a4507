"""Test the passages of sentences."""

from dataclasses import replace

import numpy as np

from pyterrier_scholarly.encoders import sentence_vectors
from pyterrier_scholarly.encoders.contexts import CONTEXTS
from pyterrier_scholarly.paper import Paper

PAPER = Paper(
    "", "t", ("a", "b", "c", "d", "e"), ("objective", "method", "background", "other", "method")
)


class Passages:
    """An encoder of passages, whose vectors are numbers of what it read and of the text itself."""

    def __init__(self):
        self.read = []

    def encode_passages(self, passages):
        """Return (1 + k, 2): the number of the passage, and the text's in it, -1 for the whole."""
        numbers = range(len(self.read), len(self.read) + len(passages))
        self.read += passages
        return [
            np.array([[number, place] for place in range(-1, len(passage))], dtype=float)
            for number, passage in zip(numbers, passages)
        ]


def read(context, paper=PAPER):
    """Join the passage of each sentence, with "|" before the sentence itself."""
    encoder = Passages()
    (vectors,) = sentence_vectors(encoder, [paper], context, scaled=False)
    return [
        " ".join(
            f"|{text}" if n == place else text for n, text in enumerate(encoder.read[int(number)])
        )
        for number, place in vectors
    ]


def test_the_title_alone():
    """Each sentence has its own passage."""
    assert read("title") == ["t |a", "t |b", "t |c", "t |d", "t |e"]


def test_the_whole_abstract():
    """All sentences share one passage."""
    assert read("abstract")[1] == "t a |b c d e"


def test_the_facet():
    """Background includes objective; a sentence of no facet gets the abstract."""
    assert read("facet") == ["t |a c", "t |b e", "t a |c", "t a b c |d e", "t b |e"]


def test_without_labels_a_facet_is_the_abstract():
    """Every sentence gets the abstract."""
    assert read("facet", replace(PAPER, labels=())) == read("abstract")


def test_the_sentence_alone():
    """The passage is the sentence, without the title, and its vector is that of the whole."""
    assert read("sentence") == ["a", "b", "c", "d", "e"]


def test_no_sentences():
    """No sentences give no vectors."""
    nothing = Paper("", "t", (), ())
    assert [read(context, nothing) for context in CONTEXTS] == [[]] * 4
