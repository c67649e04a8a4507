"""Which systems' keys a table takes."""

import pytest

from pyterrier_scholarly import reproduce
from pyterrier_scholarly.recipes import systems
from pyterrier_scholarly.tables.rows import check_keys
from pyterrier_scholarly.tables.shape import find_shape


@pytest.mark.parametrize(
    ("collection", "key", "table", "right"),
    [
        ("litsearch", "bm25", 5, "bm25_full"),
        ("litsearch", "e5_large_v2", 5, "e5_large_v2_full"),
        ("litsearch", "bm25_full", 3, "bm25"),
        ("litsearch", "gritlm_7b_full", 8, "gritlm_7b"),
        ("litsearch", "one_encoding", 5, "bm25_full or gtr_t5_large_full or .* or gritlm_7b_full"),
        ("doris-mae", "simcse", 12, "simcse_sentences"),
        ("doris-mae", "sentbert", 11, "sentbert_text"),
        ("doris-mae", "ance", 11, "ance_text"),
        ("doris-mae", "rocketqa_v2", 12, "rocketqa_v2_sentences"),
    ],
)
def test_another_forms_key_is_refused(real_home, collection, key, table, right):
    """A key of other texts or another form raises before any run, and names the right key."""
    with pytest.raises(ValueError, match=rf"'{key}' .* table {table} .*\. Pass {right}\.$"):
        reproduce(collection, [key], table=table)


@pytest.mark.parametrize("collection", ["litsearch", "doris-mae"])
def test_every_printed_row_has_a_key_that_is_taken(real_home, collection):
    """A table takes its rows' keys; tables of the usual texts take the package's own keys too."""
    named = systems(collection)
    table = named.table
    for number in table["table"].unique():
        keys = table[table["table"] == number]["key"]
        if number not in ("", "15", "16"):  # no queries of these are at hand
            assert check_keys(keys, named, find_shape(collection, number)) is None
    first = find_shape(collection)
    assert check_keys(table[table["table"] == ""]["key"], named, first) is None
