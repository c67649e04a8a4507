"""Files of vectors."""

import json
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.encoders._segment import digest_of

TEXTS = st.text(st.characters(exclude_categories=[]))


@given(st.one_of(TEXTS, st.lists(TEXTS).map(tuple)))
def test_digests_are_of_json(key):
    """Of any characters, lone surrogates too: what is on disk is found by any version."""
    assert digest_of(key) == blake2b(json.dumps(key).encode(), digest_size=16).digest()
