"""rHSA in every mode of pt.Experiment: the average row is the slope of all queries' pairs."""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from scipy.stats import ttest_rel

from pyterrier_scholarly import FacetQuery, Pool, TfIdfScore, bootstrap, by_subset
from pyterrier_scholarly.measures import rHSA
from pyterrier_scholarly.stats import histogram_slope

from .conftest import command

QIDS = ["q1", "q2", "q3", "q4", "q5"]
METRICS = ["rHSA", "map", rHSA(bins=30), "rHSA(low=-5,high=9)", "NDCG%20"]
NAMES = ["rHSA", "map", "rHSA(bins=30)", "rHSA(low=-5,high=9)", "NDCG%20"]


@pytest.fixture
def qrels():
    """Forty relevant and sixty other documents for four of the queries; q5 has no judgement."""
    rows = [(q, f"d{d}", int(d < 40)) for q in QIDS[:4] for d in range(100)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@pytest.fixture
def topics():
    """Five queries."""
    return pd.DataFrame({"qid": QIDS, "query": [f"words {qid}" for qid in QIDS]})


@pytest.fixture
def runs(qrels):
    """A good and a poor run; the range differs from query to query, q3 has no results."""
    random = np.random.default_rng(0)
    found = []
    for gap in (1.5, 0.8):
        score = random.normal(gap * qrels["label"], 0.7) + 0.5 * np.arange(4).repeat(100)
        run = qrels[["qid", "docno"]].assign(score=score)
        unjudged = pd.DataFrame({"qid": ["q5"], "docno": ["d0"], "score": [99.0]})
        run = pd.concat([run[run["qid"] != "q3"], unjudged], ignore_index=True)
        found.append(pt.model.add_ranks(run))
    return found


@pytest.fixture
def slopes(qrels, runs):
    """The measure of both runs from the definition."""

    def slope(run):
        run = run[run["qid"] != "q5"]
        away = (run["score"].max() - run["score"]) / np.ptp(run["score"])
        similar = run.merge(qrels, on=["qid", "docno"])["label"].to_numpy() > 0
        return histogram_slope(away.to_numpy()[similar], away.to_numpy()[~similar]).value

    return [slope(run) for run in runs]


@pytest.fixture
def experiment(runs, topics, qrels):
    """pt.Experiment with both runs as transformers."""

    def run(metrics=METRICS, systems=None, **options):
        options.setdefault("verbose", False)
        systems = systems or [pt.Transformer.from_df(run) for run in runs]
        return pt.Experiment(systems, topics, qrels, metrics, names=["good", "poor"], **options)

    return run


def test_the_average_row(experiment, slopes):
    """The pooled slope under the measure's name, beside other measures."""
    table = experiment()
    assert set(table.columns) == {"name", *NAMES}
    assert table["rHSA"].tolist() == slopes
    assert (table["rHSA"].dtype, table["rHSA(bins=30)"].dtype) == (float, float)


MODES = [
    {"batch_size": 2},
    {"batch_size": 4},
    {"plan": "tree"},
    {"plan": "tree", "batch_size": 2},
    {"systems": True},
    {"save_mode": "overwrite"},
    {"filter_by_qrels": True},
    {"perquery": "both"},
    {"dataframe": False},
    {"baseline": 0, "correction": "bonferroni"},
    {"systems": True, "batch_size": 2},
    {"perquery": "both", "batch_size": 2, "plan": "tree"},
    {"baseline": 1, "correction": "holm", "batch_size": 3},
    {"dataframe": False, "batch_size": 2},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", MODES, ids=str)
def test_every_mode_has_the_same_averages(experiment, runs, options, tmp_path):
    """To the last bit, whether a measure sees all queries at once or a batch of them."""
    ours = [name for name in NAMES if name.startswith("rHSA")]
    expected = experiment().set_index("name")[ours]
    if "systems" in options:
        options = {**options, "systems": runs}
    if "save_mode" in options:
        options = {**options, "save_dir": str(tmp_path)}
    found = experiment(**options)
    if options.get("perquery"):
        found = found.averages
    if options.get("dataframe") is False:
        found = pd.DataFrame(found).T.rename_axis("name").reset_index()
    found = found.set_index("name")[ours].astype(float)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("options", [{}, {"batch_size": 2}, {"plan": "tree"}], ids=str)
def test_per_query_values(experiment, qrels, runs, options):
    """Each query's own slope, 0 without results; a topic without judgements is NaN."""
    with pytest.warns(UserWarning, match="not found in qrels"):
        table = experiment(["rHSA"], perquery=True, **options)
    values = table.set_index(["name", "qid"])["value"]
    run = runs[0][runs[0]["qid"] == "q2"].merge(qrels, on=["qid", "docno"])
    away = ((run["score"].max() - run["score"]) / np.ptp(run["score"])).to_numpy()
    similar = run["label"].to_numpy() > 0
    assert values["good", "q2"] == pytest.approx(
        histogram_slope(away[similar], away[~similar], fit="binomial").value
    )
    assert values["good", "q3"] == 0 and np.isnan(values["good", "q5"])
    assert table["value"].dtype == float


@pytest.mark.parametrize("options", [{}, {"batch_size": 2}], ids=str)
def test_both_tables_at_once(experiment, slopes, options):
    """Per-query values beside the averages are the same, and their mean is not the average."""
    with pytest.warns(UserWarning, match="not found in qrels"):
        alone = experiment(["rHSA"], perquery=True)
        averages, perquery = experiment(["rHSA"], perquery="both", **options)
    key = ["name", "qid", "measure"]
    pd.testing.assert_frame_equal(
        perquery.sort_values(key, ignore_index=True), alone.sort_values(key, ignore_index=True)
    )
    assert averages["rHSA"].tolist() == slopes
    means = perquery.groupby("name")["value"].mean()[["good", "poor"]]
    assert (abs(means - slopes) > 0.1).all()


def test_means_of_queries_are_warned_of(experiment):
    """Of reports that take the mean themselves; other measures pass in silence."""
    with pytest.warns(UserWarning, match="not found in qrels"):
        perquery = experiment(["rHSA", "map"], perquery=True)
    with pytest.warns(UserWarning, match="rHSA: the mean of queries' slopes is not the slope"):
        by_subset(perquery, {"two": ["q1", "q2"]})
    with pytest.warns(UserWarning, match="the mean of queries' slopes"):
        bootstrap(perquery, resamples=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bootstrap(perquery, ["AP"], resamples=2)


def test_the_string_is_a_metric_for_grid_search(runs, topics, qrels):
    """The better of two runs is found by the string."""

    class Chosen(pt.Transformer):
        number = 1

        def transform(self, topics):
            found = runs[self.number]
            return found[found["qid"].isin(topics["qid"])]

    system = Chosen()
    pt.GridSearch(system, {system: {"number": [1, 0]}}, topics, qrels, "rHSA")
    assert system.number == 0


def test_tests_compare_the_queries_slopes(experiment):
    """Wins, losses and p-values are of the per-query values, the average beside them is not."""
    with pytest.warns(UserWarning, match="not found in qrels"):
        perquery = experiment(["rHSA"], perquery=True)
    values = perquery.dropna().pivot(index="qid", columns="name", values="value")
    poor = experiment(["rHSA"], baseline=0, correction="bonferroni").iloc[1]
    assert poor["rHSA -"] == (values["poor"] < values["good"]).sum() == 3
    expected = ttest_rel(values["poor"], values["good"])[1]
    assert poor["rHSA p-value"] == pytest.approx(expected)


def test_no_judged_query_has_results(experiment, runs):
    """It is 0, not an error."""
    unjudged = runs[0][runs[0]["qid"] == "q5"]
    assert experiment(["rHSA"], systems=[unjudged] * 2)["rHSA"].tolist() == [0, 0]


def test_the_command_prints_it(qrels, runs, slopes, tmp_path):
    """ir_measures QRELS RUN rHSA, with the average of the pairs, and by query."""
    files = [str(tmp_path / name) for name in ("judged.qrels", "good.run")]
    rows = qrels[["qid", "docno", "label"]].itertuples(index=False)
    with open(files[0], "w") as file:
        file.writelines(f"{qid} 0 {docno} {label}\n" for qid, docno, label in rows)
    pt.io.write_results(runs[0], files[1])
    done = command("-q", *files, "rHSA", "rHSA(bins=30)")
    lines = done.stdout.splitlines()
    assert f"all\trHSA\t{slopes[0]:.4f}" in lines and len(lines) == 2 * 5
    frames = pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(runs[0])
    assert ir_measures.calc_aggregate([rHSA], *frames)[rHSA] == slopes[0]


@pytest.mark.parametrize(
    "collection", ["scholarly-mini/all", pytest.param("csfcube/all", marks=pytest.mark.slow)]
)
def test_systems_on_a_collection(collection, request):
    """A real system: similar papers are the nearer ones, and batches change nothing."""
    if collection.startswith("csfcube"):
        request.getfixturevalue("csfcube_home")
    dataset = pt.get_dataset(f"irds:{collection}")
    run = (Pool(dataset) >> FacetQuery(dataset) >> TfIdfScore(dataset))(dataset.get_topics("query"))
    systems, qrels = [pt.Transformer.from_df(run)], dataset.get_qrels()
    asked = dataset.get_topics("query"), qrels, ["rHSA(fit='binomial')"]
    (whole,) = pt.Experiment(systems, *asked)["rHSA(fit='binomial')"]
    (cut,) = pt.Experiment(systems, *asked, batch_size=5)["rHSA(fit='binomial')"]
    similar = run.merge(qrels, on=["qid", "docno"])["label"].to_numpy() > 0
    away = ((run["score"].max() - run["score"]) / np.ptp(run["score"])).to_numpy()
    slope = histogram_slope(away[similar], away[~similar], fit="binomial")
    assert whole == cut == pytest.approx(slope.value) and slope.sign == -1
