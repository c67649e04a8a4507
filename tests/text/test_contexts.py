"""Test the passages of sentences."""

from pyterrier_scholarly.text.contexts import (
    WHOLE,
    Paper,
    abstract,
    facet,
    sentence,
    title,
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
    assert read(title) == ["t |a", "t |b", "t |c", "t |d", "t |e"]


def test_the_whole_abstract():
    """All sentences share one passage."""
    assert read(abstract)[1] == "t a |b c d e"
    assert len(set(abstract(PAPER)[0])) == 1


def test_the_facet():
    """Background includes objective; a sentence of no facet gets the abstract."""
    assert read(facet) == ["t |a c", "t |b e", "t a |c", "t a b c |d e", "t b |e"]


def test_without_labels_a_facet_is_the_abstract():
    """Every sentence gets the abstract."""
    unlabelled = PAPER._replace(labels=("",) * 5)
    assert facet(unlabelled) == abstract(unlabelled)


def test_the_sentence_alone():
    """The passage is the sentence, without the title."""
    assert sentence(PAPER) == ([(text,) for text in PAPER.sentences], [WHOLE] * 5)


def test_no_sentences():
    """No sentences give no passages."""
    nothing = Paper("t", (), ())
    assert [context(nothing) for context in (title, abstract, facet, sentence)] == [([], [])] * 4
