"""The paper: its facets, its parts, what it refuses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.paper import Paper, describe_missing_facet

PAPER = Paper(
    "p1",
    "On trees",
    ["Trees grow.", "We ask why.", "We prune.", "See below."],
    ["background", "objective", "method", "other"],
)


@pytest.mark.parametrize(
    ("facet", "positions"),
    [("background", [0, 1]), ("method", [2]), ("objective", [1]), ("result", []), ("", range(4))],
)
def test_sentences_of_a_facet(facet, positions):
    """Background has two labels, a label is itself, and the empty facet is the whole paper."""
    assert PAPER.find(facet) == list(positions)
    assert PAPER.find_or_all(facet) == list(positions or range(4))


def test_parts_keep_the_order_of_the_positions():
    """Sentences and their labels are taken together."""
    part = PAPER.only([2, 0])
    assert part == Paper("p1", "On trees", ["We prune.", "Trees grow."], ["method", "background"])
    assert PAPER.passage([2, 0]) == ("On trees", "We prune.", "Trees grow.")


def test_a_paper_is_its_values():
    """Equal papers are one key; a changed copy is another, and its original stays."""
    copy = replace(PAPER, title="On graphs")
    assert copy != PAPER
    assert replace(copy, title="On trees") == PAPER
    assert {PAPER: 1}[replace(copy, title="On trees")] == 1
    with pytest.raises(AttributeError, match="cannot assign"):
        PAPER.title = "x"


def test_a_cell_shows_what_it_holds():
    """A frame in a notebook shows id, title and the number of sentences."""
    long = Paper("123456789", "A" * 60, ["One."] * 99)
    frame = pd.DataFrame({"paper": [PAPER, replace(PAPER, doc_id=""), long]})
    for shown in (repr(frame), frame._repr_html_().replace("&lt;", "<").replace("&gt;", ">")):
        assert "<p1: On trees (4 sentences)>" in shown
        assert "<own text: On trees (4 sentences)>" in shown
        assert f"<123456789: {'A' * 20}… (99 sentences)>" in shown


def test_texts_are_split():
    """A text becomes sentences without labels."""
    paper = Paper.from_text("x", "", "We prune trees. It works!")
    assert paper.sentences == ("We prune trees.", "It works!")
    assert not paper.is_labelled
    assert paper.labels == ("", "")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Paper("x", "", "One. Two."), "the sentences 'One. Two.': .*from_text"),
        (lambda: Paper("x", "", np.nan), "'x' has the sentences nan: pass a list"),
        (lambda: Paper("x", "", {"a", "b"}), "the sentences .*: pass a list"),
        (lambda: Paper("x", "", ["a", 3.5]), "'x' has 3.5 among its sentences"),
        (lambda: Paper("x", "", ["a", "b"], ["m"]), "2 sentences and 1 labels"),
        (lambda: Paper("x", "", ["a", "b"], "mr"), "'x' has the labels 'mr': pass a list"),
        (lambda: Paper("x", "", ["a", "b"], [None, None]), "has the labels .None, None.:"),
        (lambda: Paper.from_text("x", "", np.nan), "text of 'x' is nan"),
    ],
)
def test_what_is_no_paper_is_refused(make, message):
    """The error names the paper, the value and what was expected."""
    with pytest.raises(ValueError, match=message):
        make()


def test_a_missing_facet_is_described():
    """Each facet that a text has is listed once, then the labels that are in no facet."""
    labels = ["objective", "method", "other", "method", ""]
    assert describe_missing_facet("result", labels).endswith("only of background, method, other")
