"""Test similarities of vectors of any length, dense and sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from pyterrier_scholarly.encoders import as_encoder, vectors
from pyterrier_scholarly.similarity import k_best
from pyterrier_scholarly.similarity.k_best import Best
from pyterrier_scholarly.similarity.vectors import SIMILARITIES, cosines, l2, unit

# east and north; (3, 4), west, (4, 3), nowhere
QUERY = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
ROWS = np.array([[3.0, 4.0], [-1.0, 0.0], [4.0, 3.0], [0.0, 0.0]], np.float32)
COSINES = np.array([[3 / 5, -1, 4 / 5, 0], [4 / 5, 0, 3 / 5, 0]])
#: of single precision: up to 3.4e38, and down to 1e-38 with all digits
SCALES = pytest.mark.parametrize("scale", [1e-37, 1e-22, 1e-19, 1, 1e19, 1e30, 5e37])


@SCALES
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_a_length_changes_no_cosine(kind, scale):
    """On either side, also beside vectors of other lengths; a zero vector has cosine 0."""
    rows = ROWS * np.float32(scale)
    assert cosines(kind(QUERY), kind(rows)) == pytest.approx(COSINES, abs=1e-6)
    assert cosines(kind(rows), kind(QUERY)).T == pytest.approx(COSINES, abs=1e-6)

    rows = ROWS * np.array([[1], [scale], [1], [1]], np.float32)
    assert cosines(kind(QUERY), kind(rows)) == pytest.approx(COSINES, abs=1e-6)
    assert unit(kind(rows)).dtype == np.float32


@SCALES
def test_the_best_of_any_length(scale):
    """The search of shards ranks by cosine, whatever the lengths are."""
    best = Best(QUERY * np.float32(scale), 2)
    best.add(np.array(["a", "b", "c"], dtype=object), ROWS[:3] * np.float32(scale))
    queries, ids, scores = best.rows()
    assert queries.tolist() == [0, 0, 1, 1]
    assert ids.tolist() == ["c", "a", "a", "c"]
    assert scores == pytest.approx([0.8, 0.6, 0.8, 0.6])


def test_a_list_of_ids_stays_as_it_is():
    """Texts of any length are objects, as in an array of them, also over several blocks."""
    best = Best(QUERY, 2)
    best.add(["a\0", "b" * 1000], ROWS[:2])
    best.add(["c"], ROWS[2:3])
    ids = best.rows().ids
    assert ids.dtype == object
    assert ids.tolist() == ["c", "a\0", "a\0", "c"]


@pytest.mark.parametrize("memory", [1, 5, 2**24])
def test_the_best_do_not_depend_on_slices(monkeypatch, memory):
    """Queries and their candidates come in slices of any size; all products decide."""
    monkeypatch.setattr(k_best, "PRODUCTS_IN_MEMORY", memory)
    monkeypatch.setattr(k_best, "RECOMPUTED_IN_MEMORY", memory)
    numbers = np.random.default_rng(0)
    queries = numbers.normal(size=(7, 3)).astype(np.float32)
    rows = numbers.normal(size=(40, 3)).astype(np.float32)
    best = Best(queries, 4)
    for start, end in ((0, 3), (3, 30), (30, 40)):  # fewer and more than four rows
        best.add(np.arange(start, end), rows[start:end])

    found = best.rows()
    expected = np.argsort(-cosines(queries, rows), axis=1)[:, :4]
    assert found.ids.reshape(7, 4).tolist() == expected.tolist()


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_sparse_vectors_are_compared_like_dense_ones(similarity):
    """The similarities of all pairs are an array of numpy."""
    compare = SIMILARITIES[similarity].compare
    found = compare(csr_array(QUERY), csr_array(ROWS))
    assert isinstance(found, np.ndarray)
    assert found == pytest.approx(compare(QUERY, ROWS))


def test_other_similarities_by_hand():
    """Of (0, 1) and (3, 4): the product is 4, the distance the square root of 9 + 9."""
    assert SIMILARITIES["dot"].compare(QUERY, ROWS)[1, 0] == 4
    assert SIMILARITIES["l2"].compare(QUERY, ROWS)[1, 0] == pytest.approx(-(18**0.5))


def test_distances_of_long_vectors_near_each_other():
    """In single precision, a distance of 1e-3 at length 1e3 is exact."""
    query = np.full((1, 100), 100, dtype="float32")
    rows = query.copy()
    rows[0, 0] += np.float32(2**-10)
    assert l2(query, rows) == pytest.approx(np.array([[2**-10]]), rel=1e-6)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (np.ma.array(ROWS, mask=ROWS < 0), "1 masked numbers: fill them"),
        (ROWS + 1j, "expected real numbers, got complex"),
    ],
)
@pytest.mark.parametrize(
    "read",
    [
        lambda rows: Best(rows, 1),
        lambda rows: vectors(as_encoder(lambda texts: rows), list("abcd")),
    ],
)
def test_vectors_that_would_lose_something_are_refused(read, rows, problem):
    """Masked numbers would count like others, and imaginary parts would vanish."""
    with pytest.raises(ValueError, match=problem):
        read(rows)
