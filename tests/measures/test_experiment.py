"""Our measures in every mode of pt.Experiment, and in the ir_measures command."""

import warnings

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from scipy.stats import ttest_rel

from pyterrier_scholarly.measures import NDCG, PLastRel

from .conftest import command, results

QIDS = ["q1", "q2", "q3", "q4", "q5"]
#: relevance of documents a, b, c ... by query; q5 has no relevant document
LABELS = {"q1": "3210", "q2": "0123", "q3": "3020100", "q4": "1000000001", "q5": "000"}
#: rankings; q4 has no results in either system
GOOD = {"q1": "abcd", "q2": "dcba", "q3": "acebdfg", "q5": "abc"}
POOR = {"q1": "dacb", "q2": "abdc", "q3": "gfabcde", "q5": "cba"}
METRICS = ["NDCG%50", "NDCG(discount='csfcube')@2", "PLastRel(rel=1)", "map", NDCG % 20]
NAMES = ["NDCG%50", "NDCG(discount='csfcube')@2", "PLastRel(rel=1)", "map", "NDCG%20"]


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


@pytest.fixture
def files(qrels, tmp_path):
    """Qrels and a run as TREC files."""
    paths = [str(tmp_path / name) for name in ("judged.qrels", "poor.run")]
    judged = zip(qrels["qid"], qrels["docno"], qrels["label"])
    with open(paths[0], "w") as file:
        file.writelines(f"{qid} 0 {docno} {label}\n" for qid, docno, label in judged)
    pt.io.write_results(results(POOR), paths[1])
    return paths


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
