"""Test that sparse vectors give the same scores as numpy arrays."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from pyterrier_scholarly.similarity import SIMILARITIES, similarity_called
from pyterrier_scholarly.similarity.maxsim import max_sim
from pyterrier_scholarly.similarity.maxsim_blocks import max_sim_blocks

RANDOM = np.random.default_rng(0)
QUERIES = [RANDOM.normal(size=(m, 9)) * (RANDOM.random((m, 9)) < 0.4) for m in (1, 3, 2)]
ROWS = RANDOM.normal(size=(7, 9)) * (RANDOM.random((7, 9)) < 0.4)
ROWS[2] = 0  # a text without any word of the vocabulary
LENGTHS = [2, 0, 4, 1]


@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarities(name):
    """Similarities of all pairs are a numpy array."""
    compare = similarity_called(name)
    similarities = compare(csr_array(QUERIES[1]), csr_array(ROWS))
    assert isinstance(similarities, np.ndarray)
    assert similarities == pytest.approx(compare(QUERIES[1], ROWS))


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("aggregate", ["max", "mean", "sum"])
def test_max_sim(name, aggregate):
    """One query at a time, and many in blocks, give the same scores."""
    sparse = [csr_array(query) for query in QUERIES]
    expected = np.array([max_sim(query, ROWS, LENGTHS, aggregate, name) for query in QUERIES])
    single = [max_sim(query, csr_array(ROWS), LENGTHS, aggregate, name) for query in sparse]
    blocks = max_sim_blocks(sparse, csr_array(ROWS), LENGTHS, aggregate, name)
    assert np.array(single) == pytest.approx(expected)
    assert blocks == pytest.approx(expected)
