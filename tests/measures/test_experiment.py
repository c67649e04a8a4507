"""Our measures in every mode of pt.Experiment, and in the ir_measures command."""

import os
import subprocess
import sys
import warnings
from math import isnan

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from scipy.stats import ttest_rel

from pyterrier_scholarly.measures import NDCG, PLastRel, Value

QIDS = ["q1", "q2", "q3", "q4", "q5"]
#: relevance of documents a, b, c ... by query; q5 has no relevant document
LABELS = {"q1": "3210", "q2": "0123", "q3": "3020100", "q4": "1000000001", "q5": "000"}
#: rankings; q4 has no results in either system
GOOD = {"q1": "abcd", "q2": "dcba", "q3": "acebdfg", "q5": "abc"}
POOR = {"q1": "dacb", "q2": "abdc", "q3": "gfabcde", "q5": "cba"}
METRICS = ["NDCG%50", "NDCG(discount='csfcube')@2", "PLastRel(rel=1)", "map", NDCG % 20]
NAMES = ["NDCG%50", "NDCG(discount='csfcube')@2", "PLastRel(rel=1)", "map", "NDCG%20"]


def results(rankings):
    """A result frame of ``{query: documents, best first}``."""
    rows = [(q, d, -float(r), r) for q, docs in rankings.items() for r, d in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


@pytest.fixture
def topics():
    """Five queries."""
    return pd.DataFrame({"qid": QIDS, "query": [f"words {qid}" for qid in QIDS]})


@pytest.fixture
def qrels():
    """Their judgements."""
    rows = [(q, d, int(label)) for q in QIDS for d, label in zip("abcdefghij", LABELS[q])]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@pytest.fixture
def systems():
    """Two systems, made anew for each test."""
    return [pt.Transformer.from_df(results(run)) for run in (GOOD, POOR)]


#: By hand. NDCG%50 looks at 2, 2, 3, 5, 1 documents; for the good system it is 1 wherever the ideal
#: is not 0 and there are results. For the poor one: q1 (0 + 3) / (3 + 2), q2 (0 + 1) / (3 + 2),
#: q3, ranking gfa of relevance 0 0 3, 3 / log2(3) against 3 + 2 + 1 / log2(3).
LOG3 = 1.584962500721156
POOR_NDCG50 = [3 / 5, 1 / 5, (3 / LOG3) / (5 + 1 / LOG3), 0, 0]
GOOD_NDCG50 = [1, 1, 1, 0, 0]


def run_experiment(systems, topics, qrels, metrics=METRICS, **options):
    """pt.Experiment with the two systems named, without progress bars."""
    options.setdefault("verbose", False)
    return pt.Experiment(systems, topics, qrels, metrics, names=["good", "poor"], **options)


@pytest.fixture
def averages(systems, topics, qrels):
    """The plain experiment, which other modes must agree with."""
    return run_experiment(systems, topics, qrels)


def test_averages_are_means_over_all_queries(averages):
    """Strings and measures, beside trec_eval names; a query without results counts as 0."""
    assert set(averages.columns) == {"name", *NAMES}
    assert averages["NDCG%50"].tolist() == pytest.approx(
        [sum(GOOD_NDCG50) / 5, sum(POOR_NDCG50) / 5]
    )
    assert averages["PLastRel(rel=1)"].tolist() == pytest.approx(
        [(3 / 3 + 3 / 3 + 3 / 3) / 5, (3 / 4 + 3 / 4 + 3 / 7) / 5]
    )


def test_measures_pass_the_validation(averages, systems, topics, qrels):
    """The experiment knows which columns they need: it neither warns nor complains."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "NDCG%20: for 3 of 5 queries")  # their pools are tiny
        validated = run_experiment(systems, topics, qrels, validate="error")
    pd.testing.assert_frame_equal(validated, averages)


def test_per_query_values(systems, topics, qrels):
    """perquery=True has each query's value, 0 for the query without results."""
    table = run_experiment(systems, topics, qrels, perquery=True)
    values = table[table["measure"] == "NDCG%50"].set_index(["name", "qid"])["value"]
    assert [values["poor", qid] for qid in QIDS] == pytest.approx(POOR_NDCG50)
    assert [values["good", qid] for qid in QIDS] == pytest.approx(GOOD_NDCG50)


@pytest.mark.parametrize("options", [{"batch_size": 3}, {"plan": "tree"}, {"save": True}], ids=str)
def test_other_modes_give_the_same_averages(averages, systems, topics, qrels, options, tmp_path):
    """Batches, the tree plan and saved runs give the same table to the last bit."""
    if options == {"save": True}:
        options = {"save_dir": str(tmp_path), "save_mode": "overwrite"}
    table = run_experiment(systems, topics, qrels, **options)
    pd.testing.assert_frame_equal(table, averages, check_exact=True)


def test_data_frames_as_systems(averages, topics, qrels):
    """Results given as frames are evaluated like transformers."""
    table = run_experiment([results(GOOD), results(POOR)], topics, qrels)
    pd.testing.assert_frame_equal(table, averages, check_exact=True)


def test_both(averages, systems, topics, qrels):
    """perquery="both" has the averages and the queries."""
    both = run_experiment(systems, topics, qrels, perquery="both")
    pd.testing.assert_frame_equal(both.averages, averages, check_exact=True)
    assert len(both.perquery) == 2 * len(QIDS) * len(METRICS)


def test_saved_runs_are_reused(averages, systems, topics, qrels, tmp_path):
    """A second experiment reads the saved runs, and the tables written beside them agree."""
    for mode in ("overwrite", "reuse"):
        table = run_experiment(systems, topics, qrels, save_dir=str(tmp_path), save_mode=mode)
        pd.testing.assert_frame_equal(table, averages, check_exact=True)
    written = pd.read_csv(tmp_path / "aggregated.csv")
    pd.testing.assert_frame_equal(written, averages, check_dtype=False)
    assert set(pd.read_csv(tmp_path / "perquery.csv")["measure"]) == set(NAMES)


def test_rounding(averages, systems, topics, qrels):
    """round= by one number and by measure."""
    table = run_experiment(systems, topics, qrels, round=2)
    assert table["NDCG%50"].tolist() == [round(value, 2) for value in averages["NDCG%50"]]
    table = run_experiment(systems, topics, qrels, round={"NDCG%50": 1})
    assert table["NDCG%50"].tolist() == [round(value, 1) for value in averages["NDCG%50"]]
    assert table["map"].tolist() == averages["map"].tolist()


def test_significance_against_a_baseline(systems, topics, qrels):
    """Wins, losses and the paired t-test are over the per-query values."""
    table = run_experiment(systems, topics, qrels, baseline=0, correction="bonferroni")
    poor = table.iloc[1]
    assert (poor["NDCG%50 +"], poor["NDCG%50 -"]) == (0, 3)
    assert poor["NDCG%50 p-value"] == pytest.approx(ttest_rel(POOR_NDCG50, GOOD_NDCG50)[1])


def test_topics_without_judgements(systems, topics, qrels):
    """A topic outside the qrels is ignored in averages and NaN per query, as for any measure."""
    more = pd.concat([topics, pd.DataFrame({"qid": ["q9"], "query": ["words"]})])
    table = run_experiment(systems, more, qrels)
    assert table["NDCG%50"].tolist() == pytest.approx([sum(GOOD_NDCG50) / 5, sum(POOR_NDCG50) / 5])
    with pytest.warns(UserWarning, match="not found in qrels"):
        table = run_experiment(systems, more, qrels, perquery=True)
    unjudged = table[table["qid"] == "q9"]["value"]
    assert unjudged.isna().tolist() == [True] * 2 * len(METRICS)


class Weighted(type(PLastRel)):
    """PLastRel that leaves out queries without a relevant document, and weighs q1 three times."""

    __name__ = NAME = "Weighted"

    def compute_values(self, ranked):
        """The values, each with its weight."""
        relevant = set(ranked.ideal.query[ranked.ideal.relevance > 0].tolist())
        return [
            Value(value, weight=(3 if query == "q1" else 1) if number in relevant else 0)
            for number, (query, value) in enumerate(
                zip(ranked.queries, super().compute_values(ranked))
            )
        ]


#: q1 to q4 are 3/4, 3/4, 3/7 and 0; q1 weighs 3, q5 nothing
WEIGHTED_POOR = (3 * 3 / 4 + 3 / 4 + 3 / 7 + 0) / 6


@pytest.mark.parametrize(
    "options",
    [{}, {"batch_size": 3}, {"plan": "tree"}, {"dataframe": False}, {"perquery": "both"}],
    ids=str,
)
def test_weights_reach_the_mean_in_every_mode(systems, topics, qrels, options):
    """A measure of `Value`s is averaged by weight, and a query without weight is not counted."""
    found = run_experiment(systems, topics, qrels, [Weighted(), "map"], **options)
    found = found[0] if options.get("perquery") else found
    poor = found["poor"] if isinstance(found, dict) else found.iloc[1]
    assert poor["Weighted"] == pytest.approx(WEIGHTED_POOR)


def test_a_query_left_out_shows_as_nan(systems, topics, qrels):
    """Per query, the query that the mean leaves out is NaN in a column of plain numbers."""
    table = run_experiment(systems, topics, qrels, [Weighted()], perquery=True)
    assert table["value"].dtype == float
    assert table[table["value"].isna()]["qid"].tolist() == ["q5", "q5"]


def test_a_default_may_be_left_out_too(topics, qrels):
    """Measure.DEFAULT, for queries that a measure yields nothing for, may have weight 0."""

    class OnlyRanked(Weighted):
        __name__ = NAME = "OnlyRanked"
        DEFAULT = Value(weight=0)

        def runtime_impl(self, qrels, run):
            ranked = set(run["query_id"])
            return (m for m in super().runtime_impl(qrels, run) if m.query_id in ranked)

    table = pt.Experiment([results(POOR)], topics, qrels, [OnlyRanked()])
    assert table["OnlyRanked"].tolist() == pytest.approx([(3 * 3 / 4 + 3 / 4 + 3 / 7) / 5])
    values = OnlyRanked().calc(
        pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(results(POOR))
    )
    assert values.aggregated == pytest.approx(table["OnlyRanked"][0])
    assert {m.query_id for m in values.per_query if isnan(m.value)} == {"q4", "q5"}


@pytest.fixture
def files(qrels, tmp_path):
    """Qrels and a run as TREC files."""
    paths = [str(tmp_path / name) for name in ("judged.qrels", "poor.run")]
    judged = zip(qrels["qid"], qrels["docno"], qrels["label"])
    with open(paths[0], "w") as file:
        file.writelines(f"{qid} 0 {docno} {label}\n" for qid, docno, label in judged)
    pt.io.write_results(results(POOR), paths[1])
    return paths


def command(*arguments):
    """The ``ir_measures`` command, with our measures registered."""
    code = (
        "import runpy, pyterrier_scholarly.measures; "
        "runpy.run_module('ir_measures', run_name='__main__')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = [sys.executable, "-c", code, *arguments]
    return subprocess.run(run, env=env, capture_output=True, text=True)


def test_the_command_prints_our_measures(files):
    """ir_measures QRELS RUN 'NDCG%50' P@2 PLastRel prints a line for each."""
    done = command(*files, "NDCG%50", "P@2", "NDCG(discount='csfcube')@2 PLastRel")
    precision = [0.5, 0.5, 0, 0, 0]
    assert done.stdout.splitlines() == [
        f"NDCG%50\t{sum(POOR_NDCG50) / 5:.4f}",
        f"P@2\t{sum(precision) / 5:.4f}",
        f"NDCG(discount='csfcube')@2\t{(3 / 5 + 1 / 5) / 5:.4f}",
        f"PLastRel\t{(3 / 4 + 3 / 4 + 3 / 7) / 5:.4f}",
    ]


def test_the_command_prints_queries_and_json(files):
    """By query and as JSON lines, too."""
    done = command("-q", "-o", "jsonl", *files, "NDCG%50")
    assert len(done.stdout.splitlines()) == len(QIDS) + 1
    assert '"measure": "NDCG%50"' in done.stdout


def test_the_command_reports_a_wrong_measure(files):
    """A wrong cut-off is reported as a syntax error, not as a traceback."""
    done = command(*files, "NDCG%101", "Nothing%20")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "syntax error: NDCG%101" in done.stderr and "unknown measure: Nothing%20" in done.stderr


def test_dictionaries_and_iterators(qrels):
    """The other forms in which ir_measures takes qrels and runs."""
    frames = pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(results(POOR))
    qrels_dict, run_dict = {}, {}
    for row in frames[0].itertuples():
        qrels_dict.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    for row in frames[1].itertuples():
        run_dict.setdefault(row.query_id, {})[row.doc_id] = row.score
    pairs = [
        (qrels_dict, run_dict),
        (
            (
                ir_measures.Qrel(q, d, rel)
                for q, docs in qrels_dict.items()
                for d, rel in docs.items()
            ),
            (
                ir_measures.ScoredDoc(q, d, s)
                for q, docs in run_dict.items()
                for d, s in docs.items()
            ),
        ),
    ]
    asked = [NDCG % 50, ir_measures.AP, PLastRel]
    expected = ir_measures.calc_aggregate(asked, *frames)
    assert [ir_measures.calc_aggregate(asked, *pair) for pair in pairs] == [expected, expected]
