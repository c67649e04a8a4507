"""rHSA of runs: which pairs, which distances, and that the average is the slope of all pairs."""

import copy
import pickle
from typing import get_args

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.measures import rHSA
from pyterrier_scholarly.protocols import KRSTOVSKI_2016
from pyterrier_scholarly.stats import fits, histogram_slope
from pyterrier_scholarly.stats.slope import XError

QUERIES = ["q1", "q2", "q3", "q4"]


@pytest.fixture
def qrels():
    """Four queries with 30 relevant, 10 partly relevant and 60 other documents each."""
    rows = [(q, f"d{d}", 2 if d < 30 else int(d < 40)) for q in QUERIES for d in range(100)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


@pytest.fixture
def run(qrels):
    """Scores about 1 for a relevant document and about 0 for another, in ranges of their own."""
    random = np.random.default_rng(0)
    score = random.normal(qrels["relevance"] > 0, 0.7) * (1 + 0.2 * np.arange(4).repeat(100))
    return qrels[["query_id", "doc_id"]].assign(score=score)


def distances(qrels, run, rel=1, low=None, high=None):
    """Similar and random distances by definition."""
    low = run["score"].min() if low is None else low
    high = run["score"].max() if high is None else high
    away = (high - run["score"]) / (high - low)
    return away[qrels["relevance"] >= rel].to_numpy(), away[qrels["relevance"] < rel].to_numpy()


def test_the_average_is_the_slope_of_all_pairs(qrels, run):
    """Relevant against other judged documents, in the range of all queries."""
    assert rHSA.calc_aggregate(qrels, run) == histogram_slope(*distances(qrels, run)).value
    assert ir_measures.calc_aggregate([rHSA], qrels, run)[rHSA] == rHSA.calc_aggregate(qrels, run)


def test_a_query_has_the_slope_of_its_own_range(qrels, run):
    """By the binomial fit; and the mean of these slopes is another number."""
    values = {m.query_id: m.value for m in rHSA.iter_calc(qrels, run)}
    for query in QUERIES:
        own = qrels["query_id"] == query
        slope = histogram_slope(*distances(qrels[own], run[own]), fit="binomial")
        assert values[query] == slope.value > 0
    assert np.mean([float(v) for v in values.values()]) != rHSA.calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("params", "options"),
    [
        (dict(bins=30), dict(bins=30)),
        (dict(fit="binomial"), dict(fit="binomial")),
        (
            dict(fit="observed", x_error="none", bins=20),
            dict(fit="observed", x_error="none", bins=20),
        ),
        (KRSTOVSKI_2016.line, dict(fit="observed", x_error="spread")),
    ],
)
def test_parameters_are_those_of_the_function(qrels, run, params, options):
    """Bins, fit and errors in x."""
    assert (
        rHSA(**params).calc_aggregate(qrels, run)
        == histogram_slope(*distances(qrels, run), **options).value
    )


def test_pairs_are_those_of_the_run(qrels, run):
    """A run without documents that are queries, as the paper ranks them, has no pairs with these.

    Three documents have the ids of queries, and are judged for all of them.
    """
    ids = {"d0": "q1", "d5": "q2", "d99": "q3"}
    qrels, run = qrels.replace({"doc_id": ids}), run.replace({"doc_id": ids})
    kept = ~run["doc_id"].isin(KRSTOVSKI_2016.ranking(QUERIES)["without"])
    assert (~kept).sum() == 3 * 4
    expected = histogram_slope(*distances(qrels[kept], run[kept]), **KRSTOVSKI_2016.line)
    setting = rHSA(**KRSTOVSKI_2016.scores)
    assert setting.calc_aggregate(qrels, run[kept]) == pytest.approx(expected.value, rel=1e-9)
    assert setting.calc_aggregate(qrels, run) != pytest.approx(expected.value, rel=1e-6)


@pytest.mark.parametrize("ends", [{}, {"low": -10.0, "high": 10.0}])
def test_divided_scores_have_the_same_slope(qrels, run, ends):
    """The line is mirrored, so its size stays; the measure's value is that size."""
    divided = rHSA(normalise="divided", **ends).calc_aggregate(qrels, run)
    assert divided == pytest.approx(rHSA(**ends).calc_aggregate(qrels, run), rel=1e-6)


def test_which_relevance_is_similar(qrels, run):
    """rel=2 counts the partly relevant documents among the random pairs."""
    assert (
        rHSA(rel=2).calc_aggregate(qrels, run)
        == histogram_slope(*distances(qrels, run, rel=2)).value
    )


def test_a_missing_kind_of_pairs_is_warned_of(qrels, run):
    """Questions with relevant judgements alone, as LitSearch's, have no random pairs."""
    relevant = qrels[qrels["relevance"] > 0]
    with pytest.warns(UserWarning, match="no random pairs and its value is 0. With judged_only=Fa"):
        assert rHSA.calc_aggregate(relevant, run) == 0
    assert rHSA(judged_only=False).calc_aggregate(relevant, run) > 0
    with pytest.warns(UserWarning, match="no document in the run has relevance 3 or more"):
        assert rHSA(rel=3).calc_aggregate(qrels, run) == 0


def test_a_given_range(qrels, run):
    """The slope is that of (high - s) / (high - low)."""
    measure = rHSA(low=-10, high=10)
    expected = histogram_slope(*distances(qrels, run, low=-10, high=10))
    assert measure.calc_aggregate(qrels, run) == pytest.approx(expected.value)


def test_one_outlying_score_multiplies_the_slope(qrels, run):
    """It doubles the range, and the slope with it; a given range leaves it out."""
    run["score"] /= np.ptp(run["score"])
    stretched = run.copy()
    stretched.loc[99, "score"] = run["score"].max() + 1
    twice = rHSA(bins=20).calc_aggregate(qrels, stretched)
    assert twice / rHSA(bins=10).calc_aggregate(qrels, run) == pytest.approx(2, rel=0.1)
    low, high = run["score"].min(), run["score"].max()
    within = rHSA(low=low, high=high)
    with pytest.warns(UserWarning, match="0 similar and 1 random pairs are outside"):
        assert within.calc_aggregate(qrels, stretched) == pytest.approx(
            histogram_slope(*distances(qrels.drop(99), run.drop(99), low=low, high=high)).value
        )


def test_distances_instead_of_scores(qrels, run):
    """Small where alike, from 0 to 1 or in the range given."""
    similar, random = distances(qrels, run)
    near = run.assign(score=(run["score"].max() - run["score"]) / np.ptp(run["score"]))
    value = histogram_slope(similar, random).value
    assert rHSA(distances=True).calc_aggregate(qrels, near) == pytest.approx(value)
    twice = near.assign(score=2 * near["score"] + 1)
    measure = rHSA(distances=True, low=1, high=3)
    assert measure.calc_aggregate(qrels, twice) == pytest.approx(value)


def test_unjudged_documents_are_random_pairs_if_told(qrels, run):
    """Without their judgement, documents leave the pairs, or stay as random ones."""
    judged = qrels[(qrels["relevance"] > 0) | (qrels.index % 2 == 0)]
    inside = run.loc[judged.index]
    assert rHSA.calc_aggregate(judged, run) == histogram_slope(*distances(judged, inside)).value
    everything = rHSA(judged_only=False)
    assert everything.calc_aggregate(judged, run) == rHSA.calc_aggregate(qrels, run)


def test_queries_without_results_have_no_pairs(qrels, run):
    """They are 0 by themselves and add nothing to the average; others' results count no more."""
    some = run[run["query_id"] != "q2"]
    values = {m.query_id: m.value for m in rHSA.iter_calc(qrels, some)}
    assert values["q2"] == 0
    both = qrels[qrels["query_id"] != "q2"]
    assert rHSA.calc_aggregate(qrels, some) == rHSA.calc_aggregate(both, some)
    assert rHSA.calc_aggregate(both, run) == rHSA.calc_aggregate(both, some)
    assert rHSA.calc_aggregate(qrels, run[:0]) == 0


def test_constant_scores_are_0(qrels, run):
    """As are those that part relevant and other documents altogether: no line, no slope."""
    assert rHSA.calc_aggregate(qrels, run.assign(score=3.0)) == 0
    assert rHSA.calc_aggregate(qrels, run.assign(score=qrels["relevance"] > 0)) == 0


def test_scores_that_are_no_numbers_are_told(qrels, run):
    """NaN always; infinite ones where they would be the range."""
    run.loc[7, "score"] = np.nan
    with pytest.raises(ValueError, match=r"1 rows of the run have no score .* 'd7' for query 'q1'"):
        rHSA.calc_aggregate(qrels, run)
    run.loc[7, "score"] = -np.inf
    with pytest.raises(ValueError, match=r"1 scores are infinite.*low=0"):
        rHSA.calc_aggregate(qrels, run)
    with pytest.warns(UserWarning, match="outside"):
        assert rHSA(low=-5, high=5).calc_aggregate(qrels, run) > 0


@pytest.mark.parametrize("params", [{}, {"low": -9, "high": 9}], ids=str)
def test_values_travel(qrels, run, params):
    """Pickled or copied, values and their sums are averaged as before."""
    measure = rHSA(**params)
    values = [m.value for m in measure.iter_calc(qrels, run)]
    total = sum(values[1:], values[0])
    for again in (pickle.loads(pickle.dumps(values)), copy.deepcopy(values)):
        assert again == values and sum(again) / 4 == total / 4
    assert pickle.loads(pickle.dumps(total)) / 4 == total / 4 == measure.calc_aggregate(qrels, run)
    assert 0.0 + values[0] + 0.0 + values[1] != 0 and type(float(values[0])) is float


def test_plain_floats_among_the_values_add_no_pairs(qrels, run):
    """A host's default of 0 for a query changes nothing, wherever it stands."""
    values = [m.value for m in rHSA.iter_calc(qrels, run)]
    assert (0.0 + sum([0.0, *values, 0.0])) / 6 == sum(values) / 4


WRITTEN = {
    "rHSA": rHSA,
    "rHSA(bins=30)": rHSA(bins=30),
    "rHSA(low=0,high=1)": rHSA(low=0.0, high=1.0),
    "rHSA(low=-1.5, high=2, rel=2)": rHSA(low=-1.5, high=2, rel=2),
    "rHSA(distances=True,judged_only=False)": rHSA(distances=True, judged_only=False),
    "rHSA(fit='binomial',query_fit='observed',x_error='none')": rHSA(
        fit="binomial", query_fit="observed", x_error="none"
    ),
}


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize(
    "parse",
    [ir_measures.parse_measure, lambda text: ir_measures.parse_trec_measure(text)[0]],
    ids=["parse_measure", "parse_trec_measure"],
)
def test_strings_name_it_in_both_parsers(parse, text):
    """And every measure is parsed from its repr."""
    assert parse(text) == WRITTEN[text] and parse(repr(WRITTEN[text])) == WRITTEN[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rHSA(bins=2)", "bins=2, expected a whole number from 3"),
        ("rHSA(bins=30.0)", "bins=30.0"),
        ("rHSA(low=0)", "low=0.0, high=None: expected two finite numbers low < high, or neither"),
        ("rHSA(low=1,high=0)", "low=1.0, high=0.0"),
        ("rHSA(low=True,high=2)", "low=True, expected a float"),
        ("rHSA(fit='york')", "fit='york', expected one of 'expected', 'binomial', 'observed'"),
        ("rHSA@20", "Unknown parameter 'cutoff' of rHSA"),
        ("rHSA%20", "rHSA takes no %"),
    ],
)
def test_wrong_parameters_are_told(text, message):
    """With what was expected."""
    with pytest.raises(ValueError, match=message):
        ir_measures.parse_measure(text)


def test_choices_are_those_of_the_kernel():
    """The measure names them itself, so that loading it loads no numpy."""
    choices = [rHSA.SUPPORTED_PARAMS[name].choices for name in ("fit", "query_fit", "x_error")]
    assert choices == [tuple(fits.FITS), tuple(fits.FITS), get_args(XError)]
