"""The join of a run with its judgements: order, repeats, types of columns, bad input."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG

from pyterrier_scholarly.measures import NDCG


def qrels_of(*rows):
    """Judgements of (query, document, relevance)."""
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def run_of(*rows):
    """A run of (query, document, score)."""
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


QRELS = qrels_of(("q1", "a", 1), ("q1", "b", 2), ("q2", "a", 3))
RUN = run_of(("q2", "a", 0.5), ("q1", "x", 0.9), ("q1", "a", 0.7), ("q1", "b", 0.8))


#: the share of each relevant document is its relevance, divided by its rank
BY_RANK, JUDGED = NDCG(discount="reciprocal"), NDCG(discount="reciprocal", judged_only=True)


def values(measure, qrels, run):
    """Pairs of query and value, as the measure gives them."""
    return [(found.query_id, found.value) for found in measure.runtime_impl(qrels, run)]


def ranks(ids, run, measure=JUDGED):
    """The rank of each judged document: one divided by its value, if no other is relevant."""
    found = []
    for one in ids:
        qrels = qrels_of(*(("q", other, int(other == one)) for other in ids))
        found.append(round(1 / measure.calc_aggregate(qrels, run)))
    return found


def test_rows_stand_in_order_of_query_and_rank():
    """x, b and a are ranked so in q1, where b and a would be best; q2 has its one document."""
    expected = (2 / 2 + 1 / 3) / (2 / 1 + 1 / 2)
    assert values(BY_RANK, QRELS, RUN) == [("q1", pytest.approx(expected)), ("q2", 1.0)]


def test_unjudged_documents_leave_no_gap():
    """Ranks are given after unjudged documents are taken out."""
    assert values(JUDGED, QRELS, RUN) == [("q1", 1.0), ("q2", 1.0)]


def test_the_order_of_the_input_plays_no_part():
    """Every order of the rows gives the same values, ties included."""
    qrels = qrels_of(*(("q", f"d{n}", n % 4) for n in range(30)))
    run = run_of(*(("q", f"d{n}", n // 5) for n in range(30)))
    seen = set()
    for seed in range(20):
        shuffled = qrels.sample(frac=1, random_state=seed), run.sample(frac=1, random_state=seed)
        seen.add((NDCG % 20).calc_aggregate(*shuffled))
    assert len(seen) == 1


def test_ties_are_broken_by_document_id_descending():
    """Among equal scores the greater id, by code points, comes first: é, then b, a, 9, 10, B."""
    ids = ["é", "b", "a", "B", "9", "10"]
    assert ids == sorted(ids, reverse=True)
    for given in (ids, ids[::-1]):
        assert ranks(ids, run_of(*(("q", d, 1.0) for d in given))) == [1, 2, 3, 4, 5, 6]


def test_infinite_scores_tie_too():
    """Two scores of -inf are equal, so ids decide, whichever row comes first."""
    run = run_of(("q", "a", -np.inf), ("q", "b", -np.inf))
    assert ranks("ba", run) == ranks("ba", run[::-1]) == [1, 2]


@pytest.mark.parametrize(("measure", "expected"), [(JUDGED, [1, 2]), (BY_RANK, [2, 3])])
def test_a_repeated_document_counts_once_at_its_best_position(measure, expected):
    """The second sight of a document takes no rank, judged or not."""
    run = run_of(*(("q", d, s) for d, s in [("x", 1), ("a", 5), ("x", 6), ("a", 4), ("b", 3)]))
    assert ranks("ab", run, measure) == expected


def test_of_two_judgements_of_a_pair_the_last_counts():
    """As in ir_measures, and the pool counts the document once."""
    qrels = qrels_of(("q", "a", 0), ("q", "b", 1), ("q", "a", 2))
    run = run_of(("q", "b", 2), ("q", "a", 1))
    assert values(JUDGED, qrels, run) == [("q", pytest.approx((1 / 1 + 2 / 2) / (2 / 1 + 1 / 2)))]
    usual = NDCG(discount="log2")
    assert usual.calc_aggregate(qrels, run) == pytest.approx(nDCG.calc_aggregate(qrels, run))


@pytest.mark.parametrize("ids", [object, "str", "string", "category"])
@pytest.mark.parametrize("scores", ["float64", "float32", "int64", "Float64", "Int64", object])
def test_any_type_of_column_will_do(ids, scores):
    """Ids as objects, strings or categories, scores as any number: the same values."""
    text = {"query_id": ids, "doc_id": ids}
    run = RUN.assign(score=[5, 9, 7, 8]).astype({**text, "score": scores})
    for qrels in (QRELS.astype(text), QRELS, QRELS.astype({"relevance": float})):
        for measure in (BY_RANK, JUDGED):
            assert values(measure, qrels, run) == values(measure, QRELS, RUN)


def test_the_frames_are_left_as_they_were():
    """Measuring changes neither frame."""
    qrels, run = QRELS.copy(deep=True), RUN.copy(deep=True)
    values(BY_RANK, qrels, run)
    pd.testing.assert_frame_equal(qrels, QRELS)
    pd.testing.assert_frame_equal(run, RUN)


def test_zero_rows_are_ordinary():
    """No results: every query of the qrels, nothing ranked. No qrels: no query."""
    assert values(BY_RANK, QRELS, RUN.iloc[:0]) == [("q1", 0), ("q2", 0)]
    assert values(BY_RANK, QRELS.iloc[:0], RUN) == []
    assert values(NDCG % 20, QRELS.iloc[:0], RUN.iloc[:0]) == []


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (
            QRELS,
            RUN.assign(score=np.nan),
            "4 rows.*document 'x' for query 'q1'.*give them a number",
        ),
        (QRELS, RUN.assign(score="high"), "column score: expected numbers.*high"),
        (QRELS.assign(relevance=[1, 1.5, 0]), RUN, "relevance 1.5 of document 'b' for query 'q1'"),
        (QRELS.assign(relevance=[1, np.nan, 0]), RUN, "relevance nan.*expected a whole number"),
        (QRELS.assign(relevance=[1, np.inf, 0]), RUN, "relevance inf.*expected a whole number"),
    ],
)
def test_bad_input_is_a_clear_error(qrels, run, message):
    """What is wrong, where, and what was expected."""
    with pytest.raises(ValueError, match=message):
        (NDCG % 20).calc_aggregate(qrels, run)


def test_a_missing_score_of_an_unjudged_query_is_no_matter():
    """Queries that are not evaluated are not looked at."""
    run = pd.concat([RUN, run_of(("q3", "a", np.nan))])
    assert values(JUDGED, QRELS, run) == values(JUDGED, QRELS, RUN)


@pytest.mark.parametrize(
    ("foreign", "remedy"),
    [({"doc_id": "other"}, "of another collection"), ({"query_id": 7}, r"astype.*'query_id': str")],
)
def test_a_run_without_a_judged_id_is_warned_about(foreign, remedy):
    """All values are 0: the run is of another collection, or its ids were read as numbers."""
    with pytest.warns(UserWarning, match=f"None of the run's .*{remedy}"):
        assert values(BY_RANK, QRELS, RUN.assign(**foreign)) == [("q1", 0), ("q2", 0)]
