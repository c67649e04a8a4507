"""Test the selection of a facet's sentences."""

import pytest

from pyterrier_scholarly.text.facet_sentences import facets_in, positions_of, select_sentences

SENTENCES = ["s0", "s1", "s2", "s3"]
LABELS = ["background", "objective", "method", "other"]


@pytest.mark.parametrize(
    ("facet", "places"),
    [("background", [0, 1]), ("method", [2]), ("objective", [1]), ("result", []), ("", range(4))],
)
def test_sentences_of_a_facet(facet, places):
    """Background has two labels, a label is itself, and the empty facet is the whole text."""
    assert positions_of(facet, LABELS) == list(places)


def test_positions_keep_their_order():
    """Sentences are in the order of their positions."""
    assert select_sentences(SENTENCES, LABELS, [2, 0]) == (["s2", "s0"], ["method", "background"])


@pytest.mark.parametrize("place", [4, -1])
def test_a_position_outside_raises(place):
    """Positions count from 0, never from the end."""
    with pytest.raises(ValueError, match=f"{place}.*there are 4"):
        select_sentences(SENTENCES, LABELS, [0, place])


def test_facets_in_a_text():
    """Each facet is listed once, then the labels that are in no facet."""
    assert facets_in(["objective", "method", "other", "method", ""]) == [
        "background",
        "method",
        "other",
    ]
