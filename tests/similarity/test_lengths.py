"""Cosines of vectors of any length, and arrays that would lose something on the way."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from pyterrier_scholarly.encoders import passage_vectors, vectors
from pyterrier_scholarly.similarity import cosines, jensen_shannon
from pyterrier_scholarly.similarity.k_best import Best
from pyterrier_scholarly.similarity.maxsim import (
    best_matches,
    centroid_cosines,
    max_sim,
    single_match,
    symmetric_max_sim,
)
from pyterrier_scholarly.similarity.maxsim_blocks import max_sim_blocks
from pyterrier_scholarly.similarity.transport import sinkhorn

# east and north; (3, 4), west, (4, 3): lengths 5, 1, 5
QUERY = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
ROWS = np.array([[3.0, 4.0], [-1.0, 0.0], [4.0, 3.0]], np.float32)
COSINES = np.array([[0.6, -1.0, 0.8], [0.8, 0.0, 0.6]])
LENGTHS = [2, 1]
#: of single precision: up to 3.4e38, and down to 1e-38 with all digits
SCALES = (1e-37, 1e-30, 1e-22, 1e-19, 1e-10, 1, 1e10, 1e19, 1e22, 1e30, 5e37)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sparse", [False, True])
def test_cosines_of_any_length(scale, sparse):
    """A length changes no cosine, on either side, in dense and in sparse vectors."""
    queries, rows = QUERY * np.float32(scale), ROWS * np.float32(scale)
    kind = csr_array if sparse else np.asarray
    assert cosines(QUERY, kind(rows)) == pytest.approx(COSINES, abs=1e-6)
    assert cosines(kind(queries), kind(rows)) == pytest.approx(COSINES, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_cosines_of_any_length_in_double_precision(scale):
    """Squares overflow beyond 1e154 there."""
    queries, rows = QUERY.astype(float) * scale, ROWS.astype(float) * scale
    assert cosines(queries, rows) == pytest.approx(COSINES, abs=1e-7)


def test_vectors_of_different_lengths_side_by_side():
    """Each vector is scaled by itself; a zero vector beside them has the cosine 0."""
    scales = np.array([[1e-30], [1e30], [1]], np.float32)
    rows = np.concatenate([ROWS * scales, np.zeros((1, 2), np.float32)])
    expected = np.column_stack([COSINES, [0, 0]])
    assert cosines(QUERY, rows) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_scores_of_any_length(scale):
    """Max-sim, one by one and in blocks, and centroids are those of the unit vectors."""
    rows = ROWS * np.float32(scale)
    expected = [(0.6 + 0.8) / 2, (0.8 + 0.6) / 2]
    assert max_sim(QUERY, rows, LENGTHS, "mean") == pytest.approx(expected, abs=1e-6)
    (blocks,) = max_sim_blocks([QUERY], rows, LENGTHS, "mean")
    assert blocks == pytest.approx(expected, abs=1e-6)
    back = [(0.8 + 0.0) / 2, 0.8]
    both = [(one + other) / 2 for one, other in zip(expected, back)]
    assert symmetric_max_sim(QUERY, rows, LENGTHS) == pytest.approx(both, abs=1e-6)
    usual = centroid_cosines(QUERY, ROWS, LENGTHS)
    assert centroid_cosines(QUERY * np.float32(scale), rows, LENGTHS) == pytest.approx(usual)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_best_of_any_length(scale):
    """The search of shards ranks by cosine, whatever the lengths are."""
    best = Best(QUERY * scale, 2)
    best.add(np.array(["a", "b", "c"], dtype=object), ROWS * np.float32(scale))
    queries, ids, scores = best.rows()
    assert queries.tolist() == [0, 0, 1, 1]
    assert ids.tolist() == ["c", "a", "a", "c"]
    assert scores == pytest.approx([0.8, 0.6, 0.8, 0.6])


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_passages_of_any_length_are_scaled(scale):
    """What an encoder returns is scaled to length 1, not to 0 or infinity."""

    class Encoder:
        def encode_passages(self, passages):
            return [np.float32(scale) * ROWS[:2] for _ in passages]

    assert passage_vectors(Encoder(), [("a",)]) == pytest.approx(np.array([[0.6, 0.8]]))


MASKED = np.ma.array(ROWS, mask=[[0, 1], [0, 0], [0, 0]])
COMPLEX = ROWS + 1j
BROKEN = [(MASKED, "1 masked numbers: fill them"), (COMPLEX, "expected real numbers, got complex")]


@pytest.mark.parametrize(("rows", "said"), BROKEN)
@pytest.mark.parametrize(
    "score",
    [
        lambda rows: max_sim(QUERY, rows, LENGTHS),
        lambda rows: max_sim(rows, QUERY, [2]),
        lambda rows: max_sim(QUERY, rows, LENGTHS, similarity="dot"),
        lambda rows: best_matches(QUERY, rows, LENGTHS, "l2"),
        lambda rows: symmetric_max_sim(QUERY, rows, LENGTHS),
        lambda rows: single_match(QUERY, rows, LENGTHS),
        lambda rows: max_sim_blocks([QUERY], rows, LENGTHS),
        lambda rows: max_sim_blocks([rows], QUERY, [2]),
        lambda rows: centroid_cosines(QUERY, rows, LENGTHS),
        lambda rows: sinkhorn(QUERY, rows, LENGTHS),
        lambda rows: sinkhorn(rows, QUERY, [2]),
        lambda rows: Best(rows, 1),
        lambda rows: vectors(lambda texts: rows, list("abc")),
    ],
)
def test_what_would_lose_something_is_refused(rows, said, score):
    """A mask, behind which numbers count like others, and imaginary parts, which vanish."""
    with pytest.raises(ValueError, match=said):
        score(rows)


@pytest.mark.parametrize("rows", [abs(MASKED), COMPLEX])
def test_distributions_that_would_lose_something_are_refused(rows):
    """So do distributions, whose type is a list of numbers."""
    with pytest.raises(ValueError, match=r"jensen_shannon, left=.*: expected a list of numbers"):
        jensen_shannon(rows, rows)
