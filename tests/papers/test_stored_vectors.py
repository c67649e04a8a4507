"""Embeddings that are read from a library, and those of queries that are remembered."""

import numpy as np

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.papers.stored_vectors import MOST_RECENT_QUERIES, StoredVectors


def test_a_remembered_query_is_found_beside_a_new_one(counting):
    """The oldest query that is remembered is returned, although a new one takes its place."""
    no_vectors = np.zeros((0, 12))
    encoder = StoredVectors(no_vectors, np.zeros(1, int), {}, lambda: counting)
    queries = [Paper("", "", (f"Sentence {n}.",), ("",)) for n in range(MOST_RECENT_QUERIES + 2)]
    *remembered, new = queries
    expected = [encoder.encode_papers([query], "title")[0] for query in remembered]

    found, _ = encoder.encode_papers([remembered[0], new], "title")
    assert np.array_equal(found, expected[0])
    assert encoder.encoded_papers == len(queries)  # none was encoded again
