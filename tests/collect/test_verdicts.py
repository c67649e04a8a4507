"""What a reply's verdict is, by both rules."""

import pytest

from pyterrier_scholarly.collect.verdict_parsers import read_last_label, read_only_label
from pyterrier_scholarly.protocols import JUDGING

GRADES = JUDGING["anno-gpt"].grades


@pytest.mark.parametrize(
    ("reply", "by_release", "by_end"),
    [
        ("It would be wrong to DISAGREE. My final selection: AGREE", "DISAGREE", "AGREE"),
        ("CONCUR, not merely AGREE", None, "AGREE"),
        ("The abstract DISAGREES with the user requirement.", "DISAGREE", "DISAGREE"),
        ("I disagree.", None, None),
        ("First, the abstract addresses a part of the requi", None, None),
        ("", None, None),
        ("I AGREE.", "AGREE", "AGREE"),
        ("I AGREE, or rather: I DISAGREE", "DISAGREE", "DISAGREE"),
        ("DISPUTE", "DISPUTE", "DISPUTE"),
        ("Neither DISPUTE nor CONCUR", None, "CONCUR"),
        # Wang et al. 2023, appendix B.4.1 to B.4.3: the sentence with the label
        ("Based on this information, I CONCUR that the abstract satisfies", "CONCUR", "CONCUR"),
        ("Therefore, I DISAGREE that the abstract satisfies", "DISAGREE", "DISAGREE"),
    ],
)
def test_the_cases(reply, by_release, by_end):
    """The only label that occurs; the label that ends last. A DISAGREE is no AGREE by either."""
    assert (read_only_label(reply, GRADES), read_last_label(reply, GRADES)) == (by_release, by_end)


def test_the_grades():
    """Four labels on three grades."""
    assert GRADES == {"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2}


def test_labels_of_ones_own():
    """A label inside a longer one is not counted."""
    labels = ("RELEVANT", "IRRELEVANT", "PARTLY RELEVANT")
    assert (
        read_only_label("It is IRRELEVANT.", labels)
        == read_last_label("It is IRRELEVANT.", labels)
        == labels[1]
    )
    assert (
        read_only_label("PARTLY RELEVANT", labels)
        == read_last_label("PARTLY RELEVANT", labels)
        == labels[2]
    )
