"""Errors about unknown names."""

import pytest

from ir_datasets_ext.choices import describe_unknown, find_similar

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
