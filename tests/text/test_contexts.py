"""Test the passages of sentences."""

from pyterrier_scholarly.text.contexts import (
    CONTEXTS,
    WHOLE,
    Paper,
    read_alone,
    read_behind_title,
    read_in_abstract,
    read_in_facet,
)

PAPER = Paper(
    "t", ("a", "b", "c", "d", "e"), ("objective", "method", "background", "other", "method")
)


def read(context, paper=PAPER):
    """Join the passage of each sentence, with "|" before the sentence itself."""
    return [
        " ".join(f"|{text}" if n == place else text for n, text in enumerate(passage))
        for passage, place in zip(*context(paper), strict=True)
    ]


def test_the_title_alone():
    """Each sentence has its own passage."""
    assert read(read_behind_title) == ["t |a", "t |b", "t |c", "t |d", "t |e"]


def test_the_whole_abstract():
    """All sentences share one passage."""
    assert read(read_in_abstract)[1] == "t a |b c d e"
    assert len(set(read_in_abstract(PAPER)[0])) == 1


def test_the_facet():
    """Background includes objective; a sentence of no facet gets the abstract."""
    assert read(read_in_facet) == ["t |a c", "t |b e", "t a |c", "t a b c |d e", "t b |e"]


def test_without_labels_a_facet_is_the_abstract():
    """Every sentence gets the abstract."""
    unlabelled = PAPER._replace(labels=("",) * 5)
    assert read_in_facet(unlabelled) == read_in_abstract(unlabelled)


def test_the_sentence_alone():
    """The passage is the sentence, without the title."""
    assert read_alone(PAPER) == ([(text,) for text in PAPER.sentences], [WHOLE] * 5)


def test_no_sentences():
    """No sentences give no passages."""
    nothing = Paper("t", (), ())
    assert [context(nothing) for context in CONTEXTS.values()] == [([], [])] * 4
