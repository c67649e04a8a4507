"""Sentences of a facet."""

import pytest

from pyterrier_scholarly.text.facets import at, facets_in, of_facet

SENTENCES = ["s0", "s1", "s2", "s3"]
LABELS = ["background", "objective", "method", "other"]


@pytest.mark.parametrize(
    ("facet", "places"),
    [("background", [0, 1]), ("method", [2]), ("objective", [1]), ("result", []), ("", range(4))],
)
def test_sentences_of_a_facet(facet, places):
    """Background is background and objective, a label is itself, the empty facet is everything."""
    assert of_facet(SENTENCES, LABELS, facet) == (
        [SENTENCES[place] for place in places],
        [LABELS[place] for place in places],
    )


def test_positions_keep_their_order():
    """Sentences come as they are asked for."""
    assert at(SENTENCES, LABELS, [2, 0]) == (["s2", "s0"], ["method", "background"])


@pytest.mark.parametrize("place", [4, -1])
def test_a_position_outside(place):
    """Positions count from 0 and never from the end."""
    with pytest.raises(ValueError, match=f"{place}.*there are 4"):
        at(SENTENCES, LABELS, [0, place])


@pytest.mark.parametrize("labels", [["method"], float("nan")])
def test_labels_must_fit(labels):
    """One label per sentence, else it is said which labels came."""
    with pytest.raises(ValueError, match="4 sentences need as many labels"):
        of_facet(SENTENCES, labels, "method")


def test_facets_in_a_text():
    """Facets are named once, and labels that are part of no facet by themselves."""
    assert facets_in(["objective", "method", "other", "method", ""]) == [
        "background",
        "method",
        "other",
    ]
