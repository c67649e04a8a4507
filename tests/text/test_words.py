"""Words that count."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.text.words import counted, runs, singular, words


def test_words():
    """Lower-cased, hyphens inside, no single letters, no stop words, no plural s."""
    text = "The State-of-the-art GPUs, a b2b 3-D class's CLASSES: x is of analysis -end-."
    assert words(text) == [
        "state-of-the-art",
        "gpu",
        "b2b",
        "3-d",
        "class",
        "classe",
        "analysi",
        "end",
    ]
    assert [singular(word) for word in ("gas", "trees", "loss")] == ["gas", "tree", "loss"]


ALPHABET = st.text("aAbsS019-_. \n'é")


@given(ALPHABET)
def test_runs_are_those_of_the_definition(text):
    """Two or more letters and digits with hyphens between, or a letter: by a plainer expression.

    (Single digits are no words there; here they are runs that do not count.)
    """
    defined = re.findall(r"[a-z0-9][a-z0-9\-]*[a-z0-9]|[a-z]", text.lower())
    assert list(filter(None, map(counted, runs(text)))) == list(filter(None, map(counted, defined)))
