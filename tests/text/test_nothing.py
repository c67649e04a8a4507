"""Texts that stand for a missing value, as programs and publishers write them."""

import pytest

from pyterrier_scholarly.text.nothing import MEANS_NOTHING, means_nothing


@pytest.mark.parametrize(
    "text",
    [
        *("", " \n", "NA", "N/A", "n.a.", "nan", "NaN", "None", "NULL", "\\N", "-", "—", "<NA>"),
        *("(null)", '"NA"', "#N/A", "[No abstract available]", "No abstract available."),
        *(
            "ABSTRACT NOT AVAILABLE",
            "[Anonymous]",
            "[No authors listed]",
            "No\n abstract available",
            "[No abstract]",
        ),
    ],
)
def test_texts_without_a_meaning(text):
    """Case, brackets, quotes and full stops around the words play no part."""
    assert means_nothing(text)


@pytest.mark.parametrize(
    "text", ["Na+", "NA in R", "C", "0", "Nanotubes", "No abstract thought is available to bees."]
)
def test_texts_with_a_meaning(text):
    """Words that only begin so, letters and numbers say something."""
    assert not means_nothing(text)


def test_the_list_is_written_as_it_is_compared():
    """Otherwise an entry would match nothing."""
    assert all(means_nothing(text) and text == text.casefold() for text in MEANS_NOTHING)
