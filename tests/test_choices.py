"""Errors about unknown names."""

import pytest

from pyterrier_scholarly.choices import (
    check_option,
    choose_preset,
    describe_unknown,
    find_similar,
)

KEYS = ["bm25", "tf_idf", "e5_large_v2"]


@pytest.mark.parametrize(
    ("name", "similar"),
    [("bm52", ["bm25"]), ("BM25", ["bm25"]), ("e5_large", ["e5_large_v2"]), ("specter", [])],
)
def test_the_most_similar_name_is_found(name, similar):
    """A typing mistake, another case or a missing end is near; another word is not."""
    assert find_similar(name, KEYS) == similar


def test_the_message_names_what_was_meant_and_what_there_is():
    """The unknown name, the nearest choice and all choices; a remedy replaces the choices."""
    assert describe_unknown("key", "tf-idf", KEYS) == (
        "Unknown key 'tf-idf'. Did you mean 'tf_idf'? Choose one of: bm25, tf_idf, e5_large_v2."
    )
    assert describe_unknown("key", "x", KEYS, "Pass a file.") == "Unknown key 'x'. Pass a file."
    assert describe_unknown("key", "x", []) == "Unknown key 'x'. Choose one of: none."


def test_a_name_is_checked_against_names():
    """A name among the options passes; another is an error that says whose options they are."""
    check_option("row", "p", ("p", "q"))
    for wrong in ("z", ["p"]):
        with pytest.raises(ValueError, match=r"Unknown row .* of the table\..* one of: p, q\."):
            check_option("row", wrong, ("p", "q"), of="the table")


def test_a_preset_has_a_name_or_is_the_callers_own():
    """A name gives the preset, an object of the presets' class is kept, another is an error."""
    presets = {"short": 0.5, "long": 2.0}
    assert choose_preset("length", "long", presets) == 2.0
    assert choose_preset("length", 7.0, presets) == 7.0
    for wrong in ("logn", b"long", 7):
        with pytest.raises(ValueError, match=r"Unknown length .*or pass a float of your own"):
            choose_preset("length", wrong, presets)
