"""Papers' shares of a difference add up to it, for every measure that splits by paper."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.comparison.measure_splits import SPLITS, describe_indivisible
from pyterrier_scholarly.comparison.shares import split_difference, split_measure
from pyterrier_scholarly.evaluation import read_run
from pyterrier_scholarly.evaluation.measure_names import measure_of, measure_queries

EXACT = 1e-9
OURS_AND_THEIRS = [
    *("NDCG%20", "NDCG%50", "NDCG(discount='log2')%20", "NDCG(discount='csfcube')"),
    *("NDCG(discount='log2',gain='exp2')@10", "NDCG(gain='exp2-1')%20", "DorisNDCG%10"),
    *("DorisNDCGexp%10", "LitSearchNDCG@10", "nDCG@10", "nDCG", "nDCG(judged_only=True)@20"),
    *("R@10", "R(rel=2)@20", "P@5", "P(rel=2,judged_only=True)@20", "Rprec", "DorisRR"),
    *("AP", "AP(rel=2)", "AP@10", "RR", "RR(rel=2)", "RR@10"),
]
DORIS = ["DorisR@20", "DorisRprec", "DorisAP", "DorisRR@10", "DorisNDCG%10", "DorisNDCGexp%10"]


def largest_error(measure, qrels, run, baseline):
    """The largest distance of a query's shares from its difference as ir_measures computes it."""
    shares = split_difference(measure, qrels, run, baseline)
    sums = shares.groupby("qid")["share"].sum()
    values, others = (measure_queries(measure, qrels, one) for one in (run, baseline))
    differences = (values - others).dropna()
    assert (differences.abs() > 0.01).any()
    return (differences - sums.reindex(differences.index, fill_value=0)).abs().max()


@pytest.fixture
def specter(data, csfcube_home):
    """SPECTER's published rankings of CSFCube's background and result."""
    folder = data("csfcube", "sample_ranked_pools")
    facets = ("background", "result")
    files = [folder / f"test-pid2pool-csfcube-specter-{facet}-ranked.json" for facet in facets]
    return read_run(files, "csfcube/all")


@pytest.mark.parametrize("measure", OURS_AND_THEIRS)
def test_shares_add_up_on_csfcube(measure, specter):
    """They do so to 1e-9, also where many papers share a score."""
    qrels = pt.get_dataset("irds:csfcube/all").get_qrels()
    tied = specter.assign(score=(specter["score"] // 7).astype(float))
    assert largest_error(measure_of(measure), qrels, specter, tied) < EXACT


@pytest.mark.parametrize("measure", DORIS)
def test_shares_add_up_on_doris_mae(measure, data, real_home):
    """They do so for measures whose relevance comes from two columns of the judgements."""
    qrels = pt.get_dataset("irds:doris-mae/dev").get_qrels()
    name = "abstract-paragraph.query-paragraph.json"
    files = [data("doris-mae", "rankings", f"{model}.{name}") for model in ("e5", "tfidf")]
    runs = [read_run(file, "doris-mae/dev") for file in files]
    assert largest_error(measure_of(measure), qrels, *runs) < EXACT


def test_every_measure_that_splits_is_tested():
    """No measure has shares that no test adds up."""
    names = {measure_of(measure).NAME for measure in (*OURS_AND_THEIRS, *DORIS)}
    assert names == set(SPLITS)


QRELS = pd.DataFrame({"qid": "q", "docno": list("abcd"), "label": [1, 0, 1, 2]})
RUN = pd.DataFrame({"qid": "q", "docno": list("xabc"), "score": [4.0, 3.0, 2.0, 1.0]})


def split(measure):
    """The contributions of RUN's papers, by docno."""
    return split_measure(measure_of(measure), QRELS, RUN).set_index("docno")["contribution"]


def test_average_precision_is_a_papers_own_precision_over_r():
    """Relevant papers are at ranks 2 and 4 behind an unjudged one; R is 3."""
    assert split("AP").to_dict() == pytest.approx({"a": 1 / 2 / 3, "c": 2 / 4 / 3})


def test_reciprocal_rank_belongs_to_the_first_relevant_paper():
    """Paper a, at rank 2, has it all."""
    assert split("RR").to_dict() == {"a": 1 / 2}


def test_ndcg_of_a_share_of_the_pool_counts_judged_papers():
    """Half of four judged papers are two ranks, without the unjudged one: a and b."""
    ideal = 2 + 1  # no discount at ranks 1 and 2
    assert split("NDCG%50").to_dict() == {"a": 1 / ideal}


def test_ndcg_is_a_papers_discounted_gain():
    """Papers keep their ranks behind an unjudged one; the ideal has grades 2, 1, 1."""
    ideal = 2 + 1 / np.log2(3) + 1 / np.log2(4)
    expected = {"a": 1 / np.log2(3) / ideal, "c": 1 / np.log2(5) / ideal}
    assert split("nDCG").to_dict() == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["PLastRel", "rHSA", "Success@5", "Bpref"])
def test_other_measures_say_why_they_have_none(measure):
    """A measure that is no sum over papers gives a reason instead of shares."""
    reason = describe_indivisible(measure_of(measure))
    assert reason.startswith(f"{measure} shows no shares of papers: ")
    with pytest.raises(ValueError, match="shows no shares"):
        split_measure(measure_of(measure), QRELS, RUN)
