"""NDCG%k: derivations by hand, and agreement with its definition written a second time."""

import warnings
from fractions import Fraction
from itertools import product
from math import floor, log2
from random import Random

import ir_measures
import pandas as pd
import pytest

from pyterrier_scholarly.measures import NDCG

DISCOUNTS, GAINS = ("csfcube", "log2", "reciprocal"), ("linear", "exp2", "exp2-1")
POOLS = ("judged", "ranked")


def frames(judged, ranked):
    """Frames of ``{query: {document: relevance}}`` and ``[(query, document, score)]``."""
    qrels = [(q, d, rel) for q, rels in judged.items() for d, rel in rels.items()]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(ranked, columns=["query_id", "doc_id", "score"]),
    )


def evaluate(measure, judged, ranked):
    """Values by query, through ir_measures."""
    return {m.query_id: m.value for m in measure.iter_calc(*frames(judged, ranked))}


def in_order(documents, query="q"):
    """A run that ranks the documents as they stand."""
    return [(query, document, -place) for place, document in enumerate(documents)]


@pytest.mark.parametrize("gain", ["exp2", "exp2-1"])
def test_any_grade_has_a_gain(gain):
    """Grades 2000 and 1999 are as 2 and 1: a power of two cancels; the less one is nothing there.

    For 2**rel: (1/2 + 1 / log2 3) / (1 + 1/2 / log2 3).
    """
    measure = NDCG(discount="log2", gain=gain)(cutoff=20)
    value = evaluate(measure, {"q": {"a": 2000, "b": 1999, "c": 0}}, in_order("bac"))["q"]
    assert value == pytest.approx((1 / 2 + 1 / log2(3)) / (1 + 1 / 2 / log2(3)), rel=1e-12)
    assert evaluate(measure, {"q": {"a": 2000}}, in_order("a")) == {"q": 1}
    assert evaluate(measure, {"q": {"a": 2**53, "b": 3}}, in_order("ba"))["q"] == pytest.approx(
        1 / log2(3)
    )


@pytest.mark.parametrize("relevance", [1e300, -1e300, 2**53 + 2])
def test_a_grade_that_is_no_exact_number_is_refused(relevance):
    """A float has not all whole numbers beyond 2**53; the error names the judgement."""
    with pytest.raises(
        ValueError, match=r"document 'a' for query 'q': expected a whole .* 2\*\*53"
    ):
        evaluate(NDCG % 20, {"q": {"a": float(relevance)}}, in_order("a"))


# The definition, a second time: no arrays, one query after the other, exact cut-off.


def plain_ndcg(judged, scores, *, percent, cutoff, pool, discount, gain, judged_only):
    """NDCG of one query from ``{document: relevance}`` and ``[(document, score)]``."""
    best = {}
    for document, score in scores:
        best[document] = max(score, best.get(document, score))
    order = sorted(best, key=lambda document: (best[document], document), reverse=True)
    both = [document for document in order if document in judged]
    if judged_only:
        order = both
    if percent is not None:
        cutoff = floor(Fraction(percent, 100) * len(judged if pool == "judged" else both))
    elif cutoff is None:
        cutoff = len(order) + len(judged)

    def gained(document):
        if document not in judged:
            return 0
        relevance = max(judged[document], 0)
        return {"linear": relevance, "exp2": 2**relevance, "exp2-1": 2**relevance - 1}[gain]

    def discounted(rank):
        if discount == "reciprocal":
            return 1 / rank
        if discount == "log2":
            return 1 / log2(rank + 1)
        return 1.0 if rank <= 2 else 1 / log2(rank)

    def dcg(gains):
        return sum(g * discounted(rank) for rank, g in enumerate(gains, start=1))

    best = sorted((gained(document) for document in judged), reverse=True)
    ideal = dcg(best if discount == "reciprocal" else best[:cutoff])
    return dcg([gained(document) for document in order[:cutoff]]) / ideal if ideal else 0.0


def random_case(random):
    """Judgements and a run of one query, truncated, shuffled, tied, with strangers and repeats."""
    alphabet = ["a", "B", "é", "10", "9", "~", "\U0001f600", "z"]
    names = ["".join(pair) for pair in product(alphabet, repeat=3)]
    random.shuffle(names)
    pool, strangers = random.randint(1, 100), random.choice([0, 0, 5, 30])
    judged = {d: random.choice([-1, 0, 0, 0, 1, 1, 2, 3]) for d in names[:pool]}
    run = names[: pool + strangers]
    random.shuffle(run)
    run = run[: random.choice([0, 1, len(run) // 2, len(run), len(run)])]
    run += random.sample(run, min(len(run), random.choice([0, 0, 3])))
    grid = random.choice([1, 4, 10**6])  # few values: many ties
    return judged, [(document, random.randint(0, grid) / grid) for document in run]


@pytest.mark.parametrize("settings", list(product(DISCOUNTS, GAINS, POOLS, (True, False))))
def test_agrees_with_the_definition_on_random_runs(settings):
    """Ours is the definition: 36 settings times 21 random cases, a batch of queries at a time."""
    discount, gain, pool, judged_only = settings
    random = Random(repr(settings))
    judged, scores = {}, {}
    for number in range(21):
        judged[f"q{number}"], scores[f"q{number}"] = random_case(random)
    rows = [(q, d, s) for q, ranked in scores.items() for d, s in ranked]
    rows += [("not judged", "d", 1.0)]
    random.shuffle(rows)
    measure = NDCG(discount=discount, gain=gain, pool=pool, judged_only=judged_only)
    for percent, cutoff in (
        (random.randint(1, 100), None),
        (None, random.randint(1, 40)),
        (None,) * 2,
    ):
        at = {"percent": percent, "cutoff": cutoff}
        got = evaluate(measure(**{k: v for k, v in at.items() if v}), judged, rows)
        expected = {
            q: plain_ndcg(
                judged[q],
                scores[q],
                **at,
                pool=pool,
                discount=discount,
                gain=gain,
                judged_only=judged_only,
            )
            for q in judged
        }
        assert got == pytest.approx(expected, abs=1e-12)


def test_random_cases_are_of_all_kinds():
    """The random cases hold what they promise: ties, strangers, repeats, cuts, empty runs."""
    seen = {"tied": 0, "stranger": 0, "repeated": 0, "truncated": 0, "empty": 0, "one judged": 0}
    random = Random(0)
    for _ in range(500):
        judged, scores = random_case(random)
        documents = [document for document, _ in scores]
        seen["tied"] += len({score for _, score in scores}) < len(set(documents))
        seen["stranger"] += not judged.keys() >= set(documents)
        seen["repeated"] += len(set(documents)) < len(documents)
        seen["truncated"] += not judged.keys() <= set(documents)
        seen["empty"] += not documents
        seen["one judged"] += len(judged) == 1
    assert min(seen.values()) > 0, seen


def test_the_discount_of_csfcube():
    """No discount at ranks 1 and 2, then 1/log2(rank); the cut-off is 80 % of five documents."""
    judged = {"q": {"a": 3, "b": 0, "c": 2, "d": 1, "e": 0}}
    value = evaluate(NDCG % 80, judged, in_order("bcade"))["q"]
    assert value == pytest.approx((0 + 2 + 3 / log2(3) + 1 / 2) / (3 + 2 + 1 / log2(3) + 0 / 2))


def test_the_usual_discount_and_exponential_gains():
    """1/log2(rank + 1), gains 2**rel: a judged relevance of 0 gains 1, an unjudged document 0."""
    judged = {"q": {"a": 2, "b": 0, "c": 1}}
    run = in_order("xbac")
    exp2 = NDCG(discount="log2", gain="exp2", judged_only=False)
    ideal = 4 + 2 / log2(3) + 1 / 2
    assert evaluate(exp2, judged, run)["q"] == pytest.approx(
        (0 + 1 / log2(3) + 4 / 2 + 2 / log2(5)) / ideal
    )
    assert evaluate(exp2(judged_only=True), judged, run)["q"] == pytest.approx(
        (1 + 4 / log2(3) + 2 / 2) / ideal
    )
    assert evaluate(exp2(gain="exp2-1"), judged, run)["q"] == pytest.approx(
        (3 / 2 + 1 / log2(5)) / (3 + 1 / log2(3))
    )


def test_the_discount_of_litsearch():
    """1/rank of each relevant document found, over 1 + 1/2 + 1/3 for three, though two are shown.

    Unjudged documents keep their ranks unless they are to be taken out, which the repr then says;
    the usual formulation has a short name.
    """
    judged, run = {"q": dict.fromkeys("abc", 1)}, in_order("xaybc")
    measure = NDCG(discount="reciprocal")
    ideal = 1 + 1 / 2 + 1 / 3
    assert evaluate(measure @ 2, judged, run)["q"] == pytest.approx(1 / 2 / ideal)
    assert evaluate(measure, judged, run)["q"] == pytest.approx((1 / 2 + 1 / 4 + 1 / 5) / ideal)
    alone = measure(judged_only=True)
    assert evaluate(alone @ 2, judged, run)["q"] == pytest.approx((1 + 1 / 2) / ideal)
    assert repr(measure(judged_only=False) @ 10) == "LitSearchNDCG@10"
    for written in (repr(measure @ 10), repr(alone % 20), repr(alone)):
        assert repr(ir_measures.parse_measure(written)) == written
    assert "judged_only=True" in repr(alone)


def test_the_usual_formulation_is_that_of_ir_measures():
    """With discount log2 and unjudged documents kept, ours at a rank is ir_measures' nDCG."""
    random = Random(4)
    judged, rows = {}, []
    for number in range(50):
        rels, scores = random_case(random)
        judged[f"q{number}"] = {d: max(rel, 0) for d, rel in rels.items()}
        rows += [(f"q{number}", d, s) for d, s in dict(scores).items()]
    for ours, theirs in (
        (NDCG(discount="log2", judged_only=False) @ 20, ir_measures.nDCG @ 20),
        (NDCG(discount="log2", judged_only=True) @ 5, ir_measures.nDCG(judged_only=True) @ 5),
        (NDCG(discount="log2", judged_only=False), ir_measures.nDCG),
    ):
        assert evaluate(ours, judged, rows) == pytest.approx(
            evaluate(theirs, judged, rows), abs=1e-9
        )


@pytest.mark.parametrize("settings", list(product(DISCOUNTS[:2], GAINS, POOLS)))
def test_a_perfect_ranking_scores_exactly_one(settings):
    """The ideal ranking scores 1, at every cut-off that reaches a document."""
    discount, gain, pool = settings
    judged = {"q": {f"d{number:02}": 3 - number // 9 for number in range(36)}}
    measure = NDCG(discount=discount, gain=gain, pool=pool)
    for percent in (3, 20, 50, 99, 100):
        assert evaluate(measure % percent, judged, in_order(judged["q"])) == {"q": 1.0}
    assert evaluate(measure @ 7, judged, in_order(judged["q"])) == {"q": 1.0}


def test_the_cut_off_is_exact():
    """29 % of 100 documents are 29, where int(0.29 * 100) is 28."""
    judged = {"q": {f"d{number:03}": int(number == 28) for number in range(100)}}
    run = in_order(judged["q"])
    assert int(0.29 * 100) == 28
    assert evaluate(NDCG % 29, judged, run)["q"] == pytest.approx(1 / log2(29))
    assert evaluate(NDCG % 28, judged, run)["q"] == 0


def test_a_cut_off_of_zero_gives_zero_and_warns():
    """20 % of four documents are none of them; of five they are one, so that query is no cause."""
    judged = {"q": dict.fromkeys("abcd", 1), "r": dict.fromkeys("abcde", 1)}
    run = in_order("abcd") + in_order("abcde", "r")
    with pytest.warns(UserWarning, match="NDCG%20: for 1 of 2 queries 20 percent of .* nDCG@10"):
        assert evaluate(NDCG % 20, judged, run) == {"q": 0.0, "r": 1.0}


def test_a_query_without_results_is_no_small_pool():
    """Its share of nothing is told by no warning: the run is the cause, not the pool."""
    judged = {"q": dict.fromkeys("abcde", 1), "r": dict.fromkeys("abcde", 1)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = evaluate(NDCG(pool="ranked") % 20, judged, in_order("abcde"))
    assert values == {"q": 1.0, "r": 0.0}


def test_the_pool_decides_the_cut_off():
    """Half of ten judged documents are five ranks; half of the four that are ranked are two."""
    judged = {"q": {d: int(d in "cde") for d in "abcdefghij"}}
    run = in_order("acde")
    ideal = 1 + 1
    assert evaluate(NDCG(pool="ranked") % 50, judged, run)["q"] == pytest.approx((0 + 1) / ideal)
    assert evaluate(NDCG % 50, judged, run)["q"] == pytest.approx(
        (0 + 1 + 1 / log2(3) + 1 / 2) / (ideal + 1 / log2(3))
    )


def test_leaving_documents_out_gains_nothing():
    """With the judged pool, dropping the tail of a run never raises its value."""
    random = Random(11)
    judged = {"q": {f"d{number}": random.choice([0, 0, 1, 2]) for number in range(60)}}
    order = list(judged["q"])
    values = [evaluate(NDCG % 20, judged, in_order(order[:n]))["q"] for n in range(1, 61)]
    assert values == sorted(values)


def test_queries_without_results_score_zero_and_unjudged_queries_are_ignored():
    """The values are those of the queries in the qrels, as with ir_measures' nDCG."""
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = [("q1", "a", 1.0), ("q3", "a", 1.0)]
    expected = {"q1": 1.0, "q2": 0.0}
    assert evaluate(NDCG % 100, judged, run) == expected == evaluate(ir_measures.nDCG, judged, run)
    assert evaluate(NDCG % 100, judged, []) == {"q1": 0.0, "q2": 0.0}


def test_no_relevant_document_gives_zero():
    """An ideal of 0 (no relevance, or a negative one, above 0) gives 0, not NaN."""
    judged = {"q1": {"a": 0, "b": 0}, "q2": {"a": -1, "b": 0}}
    run = in_order("ab", "q1") + in_order("ab", "q2")
    assert evaluate(NDCG % 100, judged, run) == {"q1": 0.0, "q2": 0.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"percent": 0}, "percent=0, expected a whole number from 1 to 100"),
        ({"percent": 101}, "percent=101, expected a whole number from 1 to 100"),
        ({"percent": 2.5}, "percent=2.5, expected a whole number from 1 to 100"),
        ({"percent": True}, "percent=True, expected a whole number"),
        ({"cutoff": 0}, "cutoff=0, expected a whole number from 1"),
        ({"percent": 20, "cutoff": 20}, "percent and cutoff exclude each other"),
        ({"discount": "ln"}, "discount='ln', expected one of 'csfcube', 'log2', 'reciprocal'"),
        ({"gain": "exp"}, "gain='exp', expected one of 'linear', 'exp2', 'exp2-1'"),
        ({"pool": "all"}, "pool='all', expected one of 'judged', 'ranked'"),
        ({"judged_only": 1}, "judged_only=1, expected a bool"),
        ({"dcg": "log2"}, "Unknown parameter 'dcg'.*Instead of dcg='log2' write discount='log2'"),
        ({"gains": {0: 1}}, "Unknown parameter 'gains'.*gain='linear'"),
    ],
)
def test_parameters_are_checked_when_given(params, message):
    """A wrong parameter is a ValueError at once, with the value and what is expected."""
    with pytest.raises(ValueError, match=message):
        NDCG(**params)
