"""Test that max-sim of many queries at once equals max-sim of each."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pyterrier_scholarly.similarity import SIMILARITIES
from pyterrier_scholarly.similarity.maxsim import AGGREGATES, max_sim
from pyterrier_scholarly.similarity.maxsim_blocks import max_sim_blocks

ASKED = [np.array([[1.0, 0], [0, 2]]), np.array([[-1.0, 0]])]
ROWS = np.array([[3.0, 0], [0, -1], [0, 5]])


def test_a_maximum_per_document_and_a_mean_per_query():
    """Cosines by hand; a document without sentences gets the lowest."""
    scores = max_sim_blocks(ASKED, ROWS, [1, 0, 2], "mean")
    assert scores.tolist() == [[(1 + 0) / 2, -1, (0 + 1) / 2], [-1, -1, 0]]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@given(
    sizes=some.lists(some.integers(1, 4), min_size=1, max_size=6),
    lengths=some.lists(some.integers(0, 9), max_size=12),
    rows=some.integers(1, 20),
    columns=some.integers(1, 9),
)
@settings(max_examples=25, deadline=None)
def test_blocks_of_any_size_change_nothing(sizes, lengths, rows, columns, aggregate, similarity):
    """Every score equals that of its query and document alone, for blocks of any size."""
    random = np.random.default_rng(len(lengths))
    sizes = [sum(lengths), *sizes]
    vectors, *queries = (random.normal(size=(size, 3)) for size in sizes)
    if similarity == "unit":
        vectors, *queries = (
            side / np.linalg.norm(side, axis=1)[:, None] for side in (vectors, *queries)
        )
    most = (rows, columns)
    scores = max_sim_blocks(queries, vectors, lengths, aggregate, similarity, most)
    expected = [max_sim(query, vectors, lengths, aggregate, similarity) for query in queries]
    assert scores == pytest.approx(np.array(expected).reshape(scores.shape))


def test_zero_vectors():
    """Their cosines are 0, as in max_sim."""
    assert max_sim_blocks([np.zeros((1, 2))], ROWS, [1, 2]).tolist() == [[0, 0]]
    assert max_sim_blocks([ASKED[1]], np.zeros((1, 2)), [1]).tolist() == [[0]]


def test_nothing_to_score():
    """Zero queries or zero documents give an empty array."""
    assert max_sim_blocks([], ROWS, [1, 2]).shape == (0, 2)
    assert max_sim_blocks(ASKED, np.zeros((0, 2)), []).shape == (2, 0)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_documents_without_sentences_alone(similarity):
    """Their array can have another width than the queries' vectors, as in max_sim."""
    nothing = np.zeros((0, 0))
    scores = max_sim_blocks(ASKED, nothing, [0, 0], similarity=similarity)
    alone = [max_sim(query, nothing, [0, 0], similarity=similarity) for query in ASKED]
    assert scores.tolist() == np.array(alone).tolist()


def test_wrong_settings_raise():
    """The errors list the choices; a query needs a sentence."""
    with pytest.raises(ValueError, match=r"'least'\. Choose one of: max, mean, sum"):
        max_sim_blocks(ASKED, ROWS, [3], "least")
    with pytest.raises(ValueError, match=r"'angle'\. Choose one of: cosine, dot, l2"):
        max_sim_blocks(ASKED, ROWS, [3], similarity="angle")
    with pytest.raises(ValueError, match="without sentences"):
        max_sim_blocks([np.zeros((0, 2))], ROWS, [3])


def test_memory_does_not_grow_with_the_product():
    """All 2,000 x 20,000 cosines would take 160 MB; blocks need less than a third."""
    random = np.random.default_rng(0)
    queries = list(random.standard_normal((1_000, 2, 4), dtype="float32"))
    rows = random.standard_normal((20_000, 4), dtype="float32")
    tracemalloc.start()
    scores = max_sim_blocks(queries, rows, [20] * 1_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - scores.nbytes < 2_000 * 20_000 * 4 / 3


@pytest.mark.parametrize("aggregate", ["mean", "sum"])
def test_weights_of_each_query(aggregate):
    """Many queries, each with its weights, as each alone; also with weights of 0."""
    random = np.random.default_rng(0)
    queries = [random.normal(size=(size, 3)) for size in (1, 4, 2)]
    weights = [np.array(own) for own in ([2.0], [1.0, 0, 3, 2], [0, 0.5])]
    documents = random.normal(size=(3, 3)), [1, 0, 2], aggregate
    scores = max_sim_blocks(queries, *documents, weights=weights)
    expected = [max_sim(query, *documents, weights=own) for query, own in zip(queries, weights)]
    assert scores == pytest.approx(np.array(expected))


def test_weights_are_of_means_and_sums():
    """Another aggregate takes none."""
    with pytest.raises(ValueError, match="'max' takes no weights: choose one of mean, sum"):
        max_sim_blocks(ASKED, ROWS, [1, 2], "max", weights=[np.ones(2), np.ones(1)])
    with pytest.raises(ValueError, match="'max' takes no weights: choose one of mean, sum"):
        max_sim(ASKED[0], ROWS, [1, 2], "max", weights=np.ones(2))
