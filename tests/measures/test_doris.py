"""DORIS-MAE's measures: their definition a second time, the queries that count, `iteration`."""

from math import isnan
from random import Random

import ir_measures
import pandas as pd
import pytest

from pyterrier_scholarly.measures import DorisAP, DorisR, DorisRprec, DorisRR

BINARY = ["DorisR@5", "DorisR@20", "DorisRprec", "DorisAP"]


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
        (QRELS.assign(iteration="Q0"), "got column iteration: expected numbers.*Q0"),
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


def test_a_missing_column_is_told_apart():
    """Called on a frame without the column, as ir_measures never does, it says so."""
    with pytest.raises(ValueError, match="got no such column"):
        list(DorisAP.runtime_impl(QRELS.drop(columns="iteration"), RUN))


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
