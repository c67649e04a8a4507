"""Test sparse rows: lengths, strongest terms, cosines of pairs."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random
from scipy.spatial.distance import cosine

from pyterrier_scholarly.similarity.document_pairs import CHUNK, products, strongest, unit_rows


@pytest.fixture
def rows():
    """Return forty rows of thirty terms; rows at both ends and inside are empty."""
    matrix = random(40, 30, density=0.2, format="lil", random_state=0)
    for row in (0, 7, 8, 39):
        matrix[row] = 0
    return matrix.tocsr()


def test_rows_have_length_1(rows):
    """Empty rows do not change."""
    dense = rows.toarray()
    length = np.linalg.norm(dense, axis=1, keepdims=True)
    assert unit_rows(rows).toarray() == pytest.approx(dense / np.where(length, length, 1))
    assert unit_rows(rows[:0]).shape == (0, 30)
    assert np.array_equal(unit_rows(csr_matrix([[0.0, 0.0], [3, 4]])).toarray()[0], [0, 0])


def test_the_strongest_by_hand():
    """Two of each row, the first of equal ones; a shorter row keeps all."""
    rows = csr_matrix([[1.0, 3, 3, 3], [0, 0, 5, 0], [0, 0, 0, 0], [4, 1, 2, 3]])
    expected = [[0, 3, 3, 0], [0, 0, 5, 0], [0, 0, 0, 0], [4, 0, 0, 3]]
    assert strongest(rows, 2).toarray().tolist() == expected
    assert strongest(rows, None) is rows and strongest(rows, 4) is rows
    assert strongest(rows[:0], 2).shape == (0, 4)


def test_the_first_of_equal_entries_in_any_order():
    """First by column, however a row's entries are stored; the matrix itself does not change."""
    rows = csr_matrix((np.array([1.0, 1, 3]), np.array([5, 1, 2]), np.array([0, 3])), shape=(1, 6))
    assert strongest(rows, 2).toarray().tolist() == [[0, 1, 3, 0, 0, 0]]
    assert rows.indices.tolist() == [5, 1, 2]


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_strongest_equal_those_of_a_sort(rows, count):
    """Row by row, in a random matrix."""
    kept = strongest(rows, count).toarray()
    for row, kept_row in zip(rows.toarray(), kept, strict=True):
        best = np.argsort(-row, kind="stable")[:count]
        assert kept_row[best].tolist() == row[best].tolist()
        assert kept_row.sum() == pytest.approx(row[best].sum())


def test_products_of_unit_rows_are_cosines(rows):
    """They equal scipy's, for more pairs than one chunk."""
    unit = unit_rows(rows)
    pairs = np.random.default_rng(0).integers(40, size=(CHUNK + 7, 2))
    values = products(unit, unit, pairs)
    dense = rows.toarray()
    for place in (*range(200), CHUNK - 1, CHUNK, CHUNK + 6):
        one, other = dense[pairs[place]]
        expected = 1 - cosine(one, other) if one.any() and other.any() else 0
        assert values[place] == pytest.approx(expected)
    itself = np.repeat(np.arange(40)[:, None], 2, axis=1)
    assert products(unit, unit, itself) == pytest.approx(dense.any(axis=1).astype(float))
    assert products(unit, unit, pairs[:0]).shape == (0,)


def test_products_of_dense_rows(rows):
    """They equal those of sparse rows, for more pairs than one chunk."""
    dense = rows.toarray()
    pairs = np.random.default_rng(0).integers(len(dense), size=(CHUNK + 7, 2))
    assert products(dense, dense, pairs) == pytest.approx(products(rows, rows, pairs))
