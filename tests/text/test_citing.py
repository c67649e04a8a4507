"""Keys in the place of citations."""

import pytest

from pyterrier_scholarly.text.citing import mark_citations

TEXT = "Unlike (Ann, 2019), who follows Bob and (Ann, 2019), we prune."


def test_keys_are_numbered_by_mention():
    """Whatever the order of the mentions; a paper has one key, a citation of no mention stays."""
    mentions = [(40, 51, "ann"), (32, 35, "bob"), (7, 18, "ann")]
    text, keys = mark_citations(TEXT, mentions)
    assert text == "Unlike {cite_001}, who follows {cite_002} and {cite_001}, we prune."
    assert keys == {"cite_001": "ann", "cite_002": "bob"}
    assert mark_citations(TEXT, mentions[1:2])[0] == TEXT.replace("Bob", "{cite_001}")
    assert mark_citations(TEXT, []) == (TEXT, {})


@pytest.mark.parametrize("place", [(-1, 3), (5, 5), (9, 4), (0, 99), (3, 12)])
def test_places_that_cannot_be(place):
    """Outside, empty, backwards, or over another mention: the paper and the places are named."""
    with pytest.raises(ValueError, match=r"citation of .* is not in the text, which has 62"):
        mark_citations(TEXT, [(7, 18, "ann"), (*place, "bob")])


def test_a_text_that_has_keys():
    """Keys of two numberings would be confused."""
    with pytest.raises(ValueError, match=r"has keys already: \{cite_001\}"):
        mark_citations("As {cite_001} says", [])
