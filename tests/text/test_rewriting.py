"""Test keys for citations."""

import pytest

from pyterrier_scholarly.text import mark_citations

TEXT = "Unlike (Ann, 2019), who follows Bob and (Ann, 2019), we prune."


def test_keys_are_numbered_by_mention():
    """Mentions come in any order; a paper has one key; other citations do not change."""
    mentions = [(40, 51, "ann"), (32, 35, "bob"), (7, 18, "ann")]
    text, keys = mark_citations(TEXT, mentions)
    assert text == "Unlike {cite_001}, who follows {cite_002} and {cite_001}, we prune."
    assert keys == {"cite_001": "ann", "cite_002": "bob"}
    assert mark_citations(TEXT, mentions[1:2])[0] == TEXT.replace("Bob", "{cite_001}")
    assert mark_citations(TEXT, []) == (TEXT, {})


@pytest.mark.parametrize("place", [(-1, 3), (5, 5), (9, 4), (0, 99), (3, 12)])
def test_wrong_positions_raise(place):
    """Outside, empty, reversed or overlapping: the error names the paper and the positions."""
    with pytest.raises(ValueError, match=r"citation of .* is outside the text of 62"):
        mark_citations(TEXT, [(7, 18, "ann"), (*place, "bob")])


def test_a_text_with_keys_raises():
    """Two numberings would be mixed up."""
    with pytest.raises(ValueError, match=r"has keys already: \{cite_001\}"):
        mark_citations("As {cite_001} says", [])
