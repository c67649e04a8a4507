"""What unjudged papers may hide, after each stage: against loops over papers and their grades."""

from itertools import product
from math import log2

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, P, nDCG

from pyterrier_scholarly import NDCG, BM25Retriever, FacetQuery, rHSA, stages

QRELS = pd.DataFrame(
    [
        ("q1", "a", 2),
        ("q1", "b", 1),
        ("q1", "c", 0),
        ("q1", "z", 1),
        ("q2", "d", 1),
        ("q2", "e", 0),
        ("q3", "f", 1),  # no stage returns anything for q3
    ],
    columns=["qid", "docno", "label"],
)
TOPICS = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["one", "two", "three"]})
#: documents by descending score; u1, u2 and u3 are unjudged
RANKED = {"q1": ["c", "u1", "a", "u2", "b"], "q2": ["u3", "d", "e"]}
GRADE = {(row.qid, row.docno): row.label for row in QRELS.itertuples()}


@pytest.fixture(scope="module")
def retrieve():
    """A transformer from topics to RANKED."""
    rows = [
        (qid, docno, 10.0 - position, position)
        for qid, docnos in RANKED.items()
        for position, docno in enumerate(docnos)
    ]
    results = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
    return pt.apply.generic(lambda frame: frame[["qid", "query"]].merge(results, on="qid"))


def list_judged(docnos_by_qid):
    """Each ranking without its unjudged documents."""
    return {
        qid: [docno for docno in docnos if (qid, docno) in GRADE]
        for qid, docnos in docnos_by_qid.items()
    }


def keep_judged(retrieve):
    """A retriever that returns judged papers alone."""

    def retrieve_judged(frame):
        found = retrieve(frame)
        return found[[pair in GRADE for pair in zip(found["qid"], found["docno"])]]

    return pt.apply.generic(retrieve_judged)


def measure_run(measure, docnos_by_qid):
    """A measure's average over all judged queries, by ir_measures."""
    rows = [
        (qid, docno, float(-position))
        for qid, docnos in docnos_by_qid.items()
        for position, docno in enumerate(docnos)
    ]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    qrels = pt.model.to_ir_measures(QRELS)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def compute_ndcg(ranked_grades, all_grades, cutoff):
    """The definition: linear gains over the logarithm of ranks, divided by the best order's."""
    best_grades = sorted(all_grades, reverse=True)
    dcg = sum(grade / log2(rank + 2) for rank, grade in enumerate(ranked_grades[:cutoff]))
    best_dcg = sum(grade / log2(rank + 2) for rank, grade in enumerate(best_grades[:cutoff]))
    return dcg / best_dcg if best_dcg else 0.0


def bound_by_all_choices(docnos_by_qid, cutoff):
    """The means of the lowest and highest nDCG over all grades that unjudged papers may have."""
    lowest_sum, highest_sum = 0.0, 0.0
    for qid in TOPICS["qid"]:
        docnos = docnos_by_qid.get(qid, [])
        unjudged = [docno for docno in docnos if (qid, docno) not in GRADE]
        judged_grades = [grade for (judged_qid, _), grade in GRADE.items() if judged_qid == qid]
        values = []
        for choice in product([0, 1, 2], repeat=len(unjudged)):
            chosen_grades = dict(zip(unjudged, choice))
            ranked_grades = [GRADE.get((qid, docno), chosen_grades.get(docno)) for docno in docnos]
            values.append(compute_ndcg(ranked_grades, [*judged_grades, *choice], cutoff))
        lowest_sum += min(values)
        highest_sum += max(values)
    return lowest_sum / len(TOPICS), highest_sum / len(TOPICS)


@pytest.mark.parametrize("cutoff", [2, 10])
def test_bounds_are_those_of_all_grades(retrieve, cutoff):
    """No grades of unjudged papers give a mean beyond the bounds, and some give these."""
    result = stages(retrieve % 3, TOPICS, QRELS, [nDCG @ cutoff])
    rankings = [RANKED, {qid: docnos[:3] for qid, docnos in RANKED.items()}]
    assert result.unjudged["stage"].tolist() == [1, 2]
    for ranking, effect in zip(rankings, result.unjudged.itertuples()):
        expected = bound_by_all_choices(ranking, cutoff)
        assert (effect.lowest, effect.highest) == pytest.approx(expected)
        assert effect.lowest <= effect.value < effect.highest


@pytest.mark.parametrize("measure", [nDCG @ 2, AP, P @ 2, RR], ids=repr)
def test_condensed_values_are_those_without_unjudged_papers(retrieve, measure):
    """After each stage, the unjudged papers are taken out, and the rest is measured."""
    result = stages(retrieve % 3, TOPICS, QRELS, [measure])
    rankings = [RANKED, {qid: docnos[:3] for qid, docnos in RANKED.items()}]
    values = [measure_run(measure, ranking) for ranking in rankings]
    condensed = [measure_run(measure, list_judged(ranking)) for ranking in rankings]
    assert result.unjudged["value"].tolist() == pytest.approx(values)
    assert result.unjudged["condensed"].tolist() == pytest.approx(condensed)
    assert values != condensed


def test_judged_shares_are_up_to_the_cutoff(retrieve):
    """A loop over the first documents; a query without results has no share."""
    result = stages(retrieve, TOPICS, QRELS, [P @ 2, AP])
    shares = {}
    for measure, cutoff in {"P@2": 2, "AP": 10}.items():
        counts = [len(docnos[:cutoff]) for docnos in RANKED.values()]
        judged_counts = [
            len([docno for docno in docnos[:cutoff] if (qid, docno) in GRADE])
            for qid, docnos in RANKED.items()
        ]
        shares[measure] = sum(n / count for n, count in zip(judged_counts, counts)) / len(counts)
    found = result.unjudged.set_index("measure")["judged_share"]
    assert found.to_dict() == pytest.approx(shares)


def test_bounds_need_ndcg_and_condensed_lists_need_negatives(retrieve):
    """Where a figure says nothing it is NaN, not a number that looks sure."""
    relevant = QRELS[QRELS["label"] > 0]
    result = stages(retrieve, TOPICS, relevant, [AP, nDCG @ 10])
    effects = result.unjudged.set_index("measure")
    assert effects["condensed"].isna().all()
    assert effects["lowest"].isna().to_dict() == {"AP": True, "nDCG@10": False}


@pytest.mark.parametrize("measure", [NDCG % 20, rHSA(bins=5)], ids=repr)
def test_measures_of_benchmarks_average_their_way(measure):
    """Where all papers are judged, nothing is hidden: each figure is the measure's own average."""
    dataset = pt.get_dataset("irds:scholarly-mini/method")
    qrels = dataset.get_qrels()
    judged_pairs = set(zip(qrels["qid"], qrels["docno"]))

    def keep(frame):
        return frame[[pair in judged_pairs for pair in zip(frame["qid"], frame["docno"])]]

    retrieve = BM25Retriever("scholarly-mini") >> pt.apply.generic(keep)
    pipeline = FacetQuery("scholarly-mini/method") >> retrieve
    topics = dataset.get_topics("query")
    effect = stages(pipeline, topics, qrels, [measure]).unjudged.iloc[-1]
    average = ir_measures.calc_aggregate(
        [measure], pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(pipeline(topics))
    )[measure]
    assert effect["judged_share"] == 1
    assert [effect["value"], effect["condensed"]] == pytest.approx([average, average], nan_ok=True)


def test_the_page_has_them_on_request(retrieve, tmp_path):
    """The table is there if it was asked for; where all are judged, a sentence says so."""
    heading = "What unjudged papers may hide"
    result = stages(retrieve, TOPICS, QRELS, [nDCG @ 10])
    effect = result.unjudged.iloc[0]
    assert heading not in result.to_html(tmp_path / "short.html").read_text(encoding="utf-8")
    page = result.to_html(tmp_path / "long.html", unjudged=True).read_text(encoding="utf-8")
    section = page[page.index(heading) : page.index('id="h-queries"')]
    for column in ("judged_share", "value", "condensed", "lowest", "highest"):
        assert f">{effect[column]:.3f}<" in section

    judged = stages(keep_judged(retrieve), TOPICS, QRELS, [P @ 1])
    page = judged.to_html(tmp_path / "judged.html", unjudged=True).read_text(encoding="utf-8")
    assert "Every paper that a stage ranked is judged" in page
