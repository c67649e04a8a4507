"""DORIS-MAE's measures: by hand, by their definition a second time, and errors of `iteration`."""

from math import isnan
from random import Random

import ir_measures
import pandas as pd
import pytest

from pyterrier_scholarly.measures import DorisAP, DorisR, DorisRprec, DorisRR

BINARY = ["DorisR@5", "DorisR@20", "DorisRprec", "DorisAP"]

# By hand.

#: with |Q| = 2, a, c and e are relevant
AP_TOTALS = {"q": {"a": 2, "b": 1, "c": 4, "d": 0, "e": 3}}


def test_the_mean_of_the_precisions_at_the_relevant_ranks(values_of):
    """Totals of 2 and more stand at ranks 2, 3 and 5: precisions 1/2, 2/3, 3/5."""
    expected = (1 / 2 + 2 / 3 + 3 / 5) / 3
    assert values_of("DorisAP", AP_TOTALS, {"q": 2}, {"q": "bacde"}) == {"q": expected}


def test_an_abstract_that_is_not_ranked_has_precision_0(values_of):
    """Of a, c, e the first two stand at ranks 1 and 2, and e nowhere."""
    assert values_of("DorisAP", AP_TOTALS, {"q": 2}, {"q": "acb"}) == {"q": (1 + 1) / 3}


def test_a_perfect_ranking_scores_1(values_of):
    """Relevant abstracts first, in any order among themselves."""
    assert values_of("DorisAP", AP_TOTALS, {"q": 2}, {"q": "eacdb"}) == {"q": 1.0}


#: |Q| = 4, so a, c and e are relevant
RECALL_TOTALS = {"q": {"a": 4, "b": 3, "c": 8, "d": 0, "e": 5}}
RECALL_ASPECTS = {"q": 4}


def test_recall_is_the_share_of_abstracts_with_a_total_of_at_least_q(values_of):
    """Of a, c, e the ranking b c d e a has c among the first two, c and e among the first four."""
    run = {"q": "bcdea"}
    assert values_of("DorisR@2", RECALL_TOTALS, RECALL_ASPECTS, run) == {"q": 1 / 3}
    assert values_of("DorisR@4", RECALL_TOTALS, RECALL_ASPECTS, run) == {"q": 2 / 3}
    assert values_of("DorisR", RECALL_TOTALS, RECALL_ASPECTS, run) == {"q": 3 / 3}


def test_r_precision_looks_at_as_many_as_are_relevant(values_of):
    """Three are relevant, so the first three of b c d e a count: c alone."""
    assert values_of("DorisRprec", RECALL_TOTALS, RECALL_ASPECTS, {"q": "bcdea"}) == {"q": 1 / 3}
    assert values_of("DorisRprec", RECALL_TOTALS, RECALL_ASPECTS, {"q": "ace"}) == {"q": 1.0}


def test_the_threshold_is_each_querys_own(values_of):
    """The same totals with |Q| = 5 and 8: two and one relevant."""
    totals = {"q5": RECALL_TOTALS["q"], "q8": RECALL_TOTALS["q"]}
    run = {"q5": "ca", "q8": "ca"}
    found = values_of("DorisR@2", totals, {"q5": 5, "q8": 8}, run)
    assert found == {"q5": 1 / 2, "q8": 1 / 1}


def test_an_unjudged_abstract_takes_a_rank_only_when_told(values_of):
    """One that is not of the pool is taken out, unless judged_only is false."""
    run = {"q": "xcb"}
    assert values_of("DorisR@1", RECALL_TOTALS, RECALL_ASPECTS, run) == {"q": 1 / 3}
    assert values_of("DorisR(judged_only=False)@1", RECALL_TOTALS, RECALL_ASPECTS, run) == {
        "q": 0.0
    }


RR_TOTALS = {"q": {"a": 3, "b": 5, "c": 1, "d": 5}}


def test_the_first_of_those_that_tie_at_the_highest_total(values_of):
    """Two tie at 5, b and d; in c a d b the first of them stands at rank 3."""
    assert values_of("DorisRR@10", RR_TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 1 / 3}


def test_beyond_the_cut_off_there_is_nothing(values_of):
    """At rank 3 it is within the first three, and not within the first two."""
    assert values_of("DorisRR@2", RR_TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 0.0}
    assert values_of("DorisRR@3", RR_TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 1 / 3}


def test_no_abstract_need_be_relevant(values_of):
    """With |Q| = 9 none of the totals makes an abstract relevant; the best is the best still."""
    assert values_of("DorisRR@10", RR_TOTALS, {"q": 9}, {"q": "db"}) == {"q": 1.0}


def test_abstracts_that_never_count_as_relevant_stay(values_of):
    """The five long abstracts are part of this measure's gold ranking."""
    assert values_of("DorisRR@10", RR_TOTALS, {"q": 4}, {"q": "cadb"}, never="d") == {"q": 1 / 3}


def test_it_needs_no_iteration():
    """Qrels of three columns will do."""
    pairs = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"]})
    qrels, run = pairs.assign(relevance=[1, 2]), pairs.assign(score=[2, 1])
    assert DorisRR.calc_aggregate(qrels, run) == 1 / 2


# The definition, a second time: no arrays, one query after the other.


def plain(pool, aspects, never, ranking):
    """All measures of one query from ``{document: total}`` and documents, best first."""
    ranking = [document for document in ranking if document in pool]
    relevant = {d for d, total in pool.items() if total / aspects >= 1 and d not in never}
    best = {d for d, total in pool.items() if total == max(pool.values())}
    first = [rank for rank, d in enumerate(ranking[:10], start=1) if d in best]
    found = dict.fromkeys(BINARY, None) | {"DorisRR@10": 1 / first[0] if first else 0.0}
    if relevant:
        for name, limit in (("DorisR@5", 5), ("DorisR@20", 20), ("DorisRprec", len(relevant))):
            found[name] = len(relevant & set(ranking[:limit])) / len(relevant)
        precisions = [
            len(relevant & set(ranking[:rank])) / rank
            for rank, document in enumerate(ranking, start=1)
            if document in relevant
        ]
        found["DorisAP"] = sum(precisions) / len(relevant)
    return found


@pytest.mark.parametrize("name", [*BINARY, "DorisRR@10"])
def test_agrees_with_the_definition_on_random_pools(values_of, name):
    """Ours is the definition, on 300 random queries at once: whole, cut and empty rankings."""
    random, totals, aspects, rankings = Random(name), {}, {}, {}
    never = {f"d{number}" for number in range(0, 90, 7)}
    for number in range(300):
        query, size = f"q{number}", random.randint(1, 90)
        aspects[query] = random.randint(1, 12)
        totals[query] = {f"d{n}": random.randint(0, aspects[query] + 1) for n in range(size)}
        order = [*totals[query], "x", "y"]
        random.shuffle(order)
        rankings[query] = order[: random.choice([0, 3, 30, len(order), len(order)])]
    found = values_of(name, totals, aspects, rankings, never)
    expected = {q: plain(totals[q], aspects[q], never, rankings[q])[name] for q in totals}
    assert {q: None if isnan(v) else v for q, v in found.items()} == pytest.approx(expected)
    left_out = sum(value is None for value in expected.values())
    assert (0 < left_out < 100) == (name in BINARY)


@pytest.mark.parametrize("name", BINARY)
def test_a_query_without_a_relevant_abstract_is_left_out(values_of, name):
    """NaN for the query; one that has relevant abstracts and no results is 0."""
    totals = {q: {"a": 1, "b": 2} for q in ("none", "some", "unanswered")}
    aspects = {"none": 3, "some": 2, "unanswered": 2}
    found = values_of(name, totals, aspects, {"none": "ab", "some": "b"})
    assert isnan(found.pop("none"))
    assert found == {"some": 1.0, "unanswered": 0.0}


@pytest.mark.parametrize("name", BINARY)
def test_a_minus_sign_takes_an_abstract_from_the_relevant(values_of, name):
    """Two have totals of |Q| and more; with -|Q| for a, b is the only relevant one."""
    totals, run = {"q": {"a": 9, "b": 2, "c": 0}}, {"q": "bca"}
    assert values_of(name, totals, {"q": 2}, run, never="a") == {"q": 1.0}
    assert isnan(values_of(name, totals, {"q": 2}, run, never="ab")["q"])


@pytest.mark.parametrize("dtype", [object, "str", "string", "category", "int64", "Float64"])
def test_any_type_of_iteration_will_do(dtype):
    """As text (what files and ir_datasets give) or as numbers."""
    qrels = pd.DataFrame(
        [("q", "a", 4, 4), ("q", "b", 9, -4), ("q", "c", 5, 4)],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    text = qrels["iteration"].astype(str)
    numbered = dtype in ("int64", "Float64")
    qrels["iteration"] = qrels["iteration"].astype(dtype) if numbered else text.astype(dtype)
    before = qrels.copy()
    run = pd.DataFrame([("q", "b", 2), ("q", "a", 1)], columns=["query_id", "doc_id", "score"])
    assert DorisR.calc_aggregate(qrels, run) == 1 / 2
    pd.testing.assert_frame_equal(qrels, before)


QRELS = pd.DataFrame(
    [("q", "a", 4, "4"), ("q", "b", 1, "4")],
    columns=["query_id", "doc_id", "relevance", "iteration"],
)
RUN = pd.DataFrame([("q", "a", 1.0)], columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize(
    ("qrels", "got"),
    [
        (QRELS.assign(iteration=["4", "0"]), "got 0"),
        (QRELS.assign(iteration="Q0"), "got Q0"),
        (QRELS.assign(iteration=[4, 1.5]), "got 1.5"),
        (QRELS.assign(iteration=[4, None]), "got nan"),
        (QRELS.drop(columns="iteration"), "got 0"),  # which ir_measures puts there
        ({"q": {"a": 4}}, "got 0"),
    ],
)
@pytest.mark.parametrize("measure", [DorisR @ 5, DorisRprec, DorisAP])
def test_other_qrels_are_refused(measure, qrels, got):
    """The error without |Q| has the wrong value, the right datasets, and how to keep |Q|."""
    with pytest.raises(ValueError, match=f"{got}.*doris-mae/dev.*read_trec_qrels") as error:
        measure.calc_aggregate(qrels, RUN)
    assert str(error.value).startswith(str(measure))


def test_relevance_is_checked_as_ever():
    """A total that is no whole number is named."""
    with pytest.raises(ValueError, match=r"relevance 1\.5 of document 'b'"):
        DorisAP.calc_aggregate(QRELS.assign(relevance=[4, 1.5]), RUN)


def test_zero_rows_are_ordinary():
    """No qrels: no value; no results: 0."""
    assert list(DorisAP.runtime_impl(QRELS.iloc[:0], RUN)) == []
    assert DorisAP.calc_aggregate(QRELS, RUN.iloc[:0]) == 0.0


@pytest.mark.parametrize("text", [*BINARY, "DorisRR@10", "DorisR", "DorisAP(judged_only=False)"])
def test_their_strings_parse(text):
    """Their repr is what one writes, and parses to the same measure."""
    assert repr(ir_measures.parse_measure(text)) == text


@pytest.mark.parametrize("measure", [DorisR, DorisRprec, DorisAP, DorisRR])
def test_a_wrong_parameter_is_refused_at_once(measure):
    """A value out of range, and a parameter that they do not have."""
    with pytest.raises(ValueError, match=r"expected|Unknown parameter 'cutoff'"):
        measure @ 0
    with pytest.raises(ValueError, match="Unknown parameter 'rel' of Doris"):
        measure(rel=2)
