"""What unjudged documents may hide: bounds against every choice of grades."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.evaluation import bound_ndcg, condense, unjudged_effects
from pyterrier_scholarly.evaluation.measure_names import measure_of

MEASURES = [
    *("nDCG@3", "nDCG", "NDCG%50", "NDCG(discount='csfcube')@4", "LitSearchNDCG@3"),
    *("DorisNDCGexp%50", "DorisNDCG%60", "NDCG(discount='log2',gain='exp2-1')@3"),
]


def draw_case(seed):
    """A ranking with ties, some of its documents judged, perhaps some that it lacks.

    One judged document has the highest grade, which an unjudged one may have, too.
    """
    random = np.random.default_rng(seed)
    highest_grade = int(random.integers(1, 4))
    count = int(random.integers(2, 7))
    doc_ids = [f"d{number}" for number in range(count + 2)]
    scores = random.integers(0, 5, count).astype(float)
    run = pd.DataFrame({"qid": "q", "docno": doc_ids[:count], "score": scores})
    judged = [doc_id for doc_id in doc_ids if random.random() < 0.5] or doc_ids[:1]
    grades = random.integers(0, highest_grade + 1, len(judged))
    grades[0] = highest_grade
    qrels = pd.DataFrame({"qid": "q", "docno": judged, "label": grades})
    return run, qrels, highest_grade


def measure_all_choices(measure, run, qrels, highest_grade):
    """The measure's own values for all grades of unjudged results, each choice as a query."""
    unjudged = [docno for docno in run["docno"] if docno not in set(qrels["docno"])]
    runs, judgements = [], []
    for number, grades in enumerate(
        itertools.product(range(highest_grade + 1), repeat=len(unjudged))
    ):
        added = pd.DataFrame({"qid": "q", "docno": unjudged, "label": list(grades)})
        judgements.append(pd.concat([qrels, added]).assign(query_id=str(number)))
        runs.append(run.assign(query_id=str(number)))
    renamed = {"docno": "doc_id", "label": "relevance"}
    all_qrels = pd.concat(judgements).rename(columns=renamed).astype({"relevance": int})
    metrics = ir_measures.iter_calc([measure], all_qrels, pd.concat(runs).rename(columns=renamed))
    return [metric.value for metric in metrics]


@pytest.mark.parametrize("name", MEASURES)
def test_bounds_are_those_of_all_choices_of_grades(name):
    """No choice of grades gives a value beyond the bounds, and some choices reach them."""
    compared = 0
    for seed in range(25):
        run, qrels, highest_grade = draw_case(seed)
        values = measure_all_choices(measure_of(name), run, qrels, highest_grade)
        if len(values) > 300:
            continue
        (bounds,) = bound_ndcg(run, qrels, name).itertuples()
        # trec_eval's values are rounded by ir_measures' provider to no less than this
        assert bounds.lowest == pytest.approx(min(values), abs=1e-6), seed
        assert bounds.highest == pytest.approx(max(values), abs=1e-6), seed
        compared += 1
    assert compared > 10


def ranked(doc_ids, qid="q"):
    """A ranking in this order."""
    return pd.DataFrame(
        {"qid": qid, "docno": list(doc_ids), "score": range(len(doc_ids), 0, -1)}
    ).astype({"score": float})


def test_shares_and_condensed_lists():
    """Of u, r, v, n two are judged; without u and v the relevant one is first."""
    run = ranked("urvn")
    qrels = pd.DataFrame({"qid": ["q", "q", "other"], "docno": ["r", "n", "r"], "label": [1, 0, 1]})
    assert condense(run, qrels)[["docno", "rank"]].to_numpy().tolist() == [["r", 0], ["n", 1]]
    effects = unjudged_effects(run, qrels, ["P@1", "RR", "nDCG@2"]).set_index(["qid", "measure"])
    assert effects.loc[("q", "RR"), ["value", "condensed", "judged_share"]].tolist() == [
        0.5,
        1,
        0.5,
    ]
    assert effects.loc[("q", "P@1"), ["value", "condensed", "judged_share"]].tolist() == [0, 1, 0]
    assert bound_ndcg(run, qrels, "nDCG@2")["highest"][0] == 1  # u is as relevant as r
    nothing = effects.loc[("other", "RR")]
    assert (nothing["value"], nothing["condensed"]) == (0, 0)
    assert np.isnan(nothing["judged_share"])


def test_one_measure_is_no_list_of_letters():
    """A single text is one measure; no measure is an error."""
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["r"], "label": [2]})
    assert unjudged_effects(ranked("ur"), qrels, "P@1")["measure"].tolist() == ["P@1"]
    with pytest.raises(ValueError, match=r"measures=\[\]: expected one measure or more"):
        unjudged_effects(ranked("ur"), qrels, [])


def test_without_judged_irrelevant_documents_there_is_no_condensed_list():
    """It would hold relevant documents alone, and so be perfect for every system."""
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["r"], "label": [1]})
    effects = unjudged_effects(ranked("ur"), qrels, ["RR"])
    assert effects["condensed"].isna().all()


def test_what_has_no_bounds():
    """An error names the value and what to pass."""
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["r"], "label": [2]})
    said = "measure='P@5': expected a form of nDCG, such as 'nDCG@10'"
    with pytest.raises(ValueError, match=said):
        bound_ndcg(ranked("ur"), qrels, "P@5")
    for setting in ({"judged_only": True}, {"gains": {1: 5}}):  # of other measures
        with pytest.raises(ValueError, match="known here for nDCG alone, without gains="):
            bound_ndcg(ranked("ur"), qrels, ir_measures.nDCG(**setting) @ 10)
    plain_bounds = bound_ndcg(ranked("ur"), qrels, "nDCG@10")
    bounds = bound_ndcg(ranked("ur"), qrels, ir_measures.nDCG(judged_only=False) @ 10)
    assert bounds.equals(plain_bounds)
    with pytest.raises(ValueError, match="qrels has no judgement"):
        bound_ndcg(ranked("ur"), qrels.iloc[:0])
