"""The parts side by side are the parts of the best pipeline."""

import numpy as np
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA, Isolated
from pyterrier_scholarly.evaluation import chosen_on_dev
from pyterrier_scholarly.recipes import lexical_evidence, scored_parts, six_parts, weight_grid
from pyterrier_scholarly.transformers import (
    FacetQuery,
    PaperLoader,
    Pool,
    WeightedFeatures,
    ZScore,
)

MINI = "scholarly-mini/all"
ENCODER = Isolated(LSA(MINI))


@pytest.fixture(scope="module")
def papers(_scratch_home):
    """Papers of all queries of the embedded collection."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query")
    return (Pool(MINI) >> FacetQuery(MINI) >> PaperLoader(MINI))(topics)


@pytest.fixture(scope="module")
def scored(papers):
    """With their nine features."""
    return scored_parts(MINI, ENCODER)(papers)


def test_equal_weights_are_the_dense_side_of_six_parts(papers, scored):
    """A sixth of each cosine and a tenth of each miss, standardised, with LEX: `six_parts`."""
    dense = WeightedFeatures((*[1 / 6] * 6, 0.1, 0, 0)) >> ZScore()
    system = 0.8 * dense + 0.2 * (lexical_evidence(MINI) >> ZScore())
    found = system(scored).set_index(["qid", "docno"])["score"]
    expected = six_parts(MINI, ENCODER)(papers).set_index(["qid", "docno"])["score"]
    assert found[expected.index].to_numpy() == pytest.approx(expected.to_numpy())


def test_candidates_need_no_score(papers, scored):
    """One's own may come without: the features are the same."""
    own = papers[papers["qid"] == papers["qid"][0]].drop(columns=["score", "rank"])
    expected = scored.set_index(["qid", "docno"])["features"]
    found = scored_parts(MINI, ENCODER)(own).set_index(["qid", "docno"])["features"]
    assert np.stack(found) == pytest.approx(np.stack(expected[found.index]))


def test_the_grid_is_every_combination():
    """Weights of the six cosines sum to 1; each of the four numbers is where it belongs."""
    grid = weight_grid(centroids=(0, 1), misses=(0.1,), words=(0.2, 0.3), topics=(0,))
    assert grid[0] == pytest.approx((1 / 3, 1 / 3, 1 / 3, 0, 0, 0, 0.1, 0.2, 0))
    assert grid[-1] == pytest.approx((0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 0.1, 0.3, 0))
    assert len(grid) == 4
    assert len(set(weight_grid())) == 5 * 4 * 4 * 4
    assert np.sum([one[:6] for one in weight_grid()], axis=1) == pytest.approx(1)


def test_the_chosen_weights_rank_every_pool(scored):
    """The whole way on the embedded collection: each query's whole pool, weights of the grid."""
    grid = weight_grid(misses=(0.0, 0.1), words=(0.2,), topics=(0.1,))
    ranking, weights = chosen_on_dev(scored, MINI, grid)
    assert set(weights) <= set(grid)
    pairs = [set(zip(frame["qid"], frame["docno"])) for frame in (ranking, scored)]
    assert pairs[0] == pairs[1]
