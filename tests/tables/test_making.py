"""`reproduce`, on the embedded collection."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, against_baseline, by_subset, fold_mean, reproduce, systems
from pyterrier_scholarly.evaluation.measure_names import measure_of

MINI = "scholarly-mini"


def test_a_table_of_named_systems_transformers_and_results(step):
    """Keys, transformers and frames are rows alike, in their order, each of them complete."""
    pool = pt.get_dataset("irds:scholarly-mini/all").get_results()
    given = {"named": "fabs_tfidf", "step": step(), "results": pool}
    table = reproduce(MINI, given)
    assert table.frame["name"].tolist() == ["named", "step", "results"]
    assert set(table.frame["source"]) == {"this run"}
    assert list(table.frame)[2:4] == ["background R-Precision", "background P@20"]
    assert table.frame.notna().all().all()
    assert table.systems["system"].tolist() == ["named"]


def test_figures_are_those_of_against_baseline(table):
    """Values, intervals and tests equal those of `against_baseline`."""
    named = systems(f"{MINI}/all")
    dataset = pt.get_dataset(f"irds:{MINI}/all")
    first, second = table.frame["name"]
    perquery = pt.Experiment(
        {first: named["fabs_tfidf"], second: named["fabs_bm25"]},
        dataset.get_topics("query"),
        dataset.get_qrels(),
        ["NDCG%20"],
        perquery=True,
    )
    expected = against_baseline(perquery, dataset, first)
    both = expected.merge(table.figures, on=["name", "measure", "subset"])
    assert len(both) == 8
    for column in ("value", "low", "high", "difference", "p", "better", "worse"):
        mine, theirs = (both[f"{column}_{side}"].astype(float) for side in "xy")
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


def test_options_are_those_of_systems():
    """An encoder is passed to the named systems, and the table names it as run."""
    encoder = LSA(MINI)
    table = reproduce(f"{MINI}/method", ["sentence_maxsim"], encoder=encoder)
    assert table.systems["model"].tolist() == [repr(encoder)]
    system = systems(f"{MINI}/method", encoder=encoder)["sentence_maxsim"]
    alone = reproduce(f"{MINI}/method", {"sentence_maxsim": system})
    pd.testing.assert_frame_equal(alone.figures, table.figures)


def test_figures_are_the_collections_own():
    """In every facet and measure, they equal those of `fold_mean` and `by_subset`."""
    table = reproduce(MINI, ["fabs_tfidf", "fabs_bm25"], resamples=2, verbose=False)
    dataset = pt.get_dataset(f"irds:{MINI}/all")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    measures = [measure_of(text) for text in table.columns["measure"].unique()]
    perquery = pt.Experiment(table.runs, topics, qrels, measures, perquery=True)
    official = pd.concat(
        [fold_mean(perquery, dataset).assign(subset="all"), by_subset(perquery, dataset)]
    ).query("split == 'test'")
    both = table.figures.merge(official, on=["name", "subset", "measure"])
    assert len(both) == len(table.figures) == 2 * 4 * 6
    assert both["value_x"].tolist() == pytest.approx(both["value_y"].tolist(), abs=1e-15)


def test_results_that_miss_a_query(step):
    """The query counts as 0, as in `pt.Experiment`; a sign, a remark and a column tell where."""
    dataset = pt.get_dataset(f"irds:{MINI}/all")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    run = step()(topics)
    missing = run["qid"].iloc[0]
    part = run[run["qid"] != missing]
    table = reproduce(MINI, {"part": part, "whole": run})

    perquery = pt.Experiment([part], topics, qrels, ["NDCG%20"], names=["x"], perquery=True)
    expected = fold_mean(perquery, dataset).query("split == 'test'")["value"].item()
    found = table.frame.set_index("name").loc["part", "all NDCG%20"]
    assert found == pytest.approx(expected, abs=1e-12)

    figures = table.figures.set_index(["name", "subset", "label"])
    unanswered = (figures["queries"] - figures["answered"]).unstack("name")
    assert set(unanswered["whole"]) == {0}
    facet = missing.rpartition("_")[2]
    with_sign = unanswered.index[unanswered["part"] == 1]
    assert {subset for subset, _ in with_sign} == {facet, "all"}
    assert any(
        remark.startswith("part: no results for 1 of 16 queries") and missing in remark
        for remark in table.remarks
    )
    assert repr(table).count("‡") == len(with_sign) + 1  # and the remark that explains it
    assert table.to_latex().count(r"^{\ddagger") == len(with_sign)
    assert table._repr_html_().count("<sup>‡</sup>") == len(with_sign)


@pytest.mark.slow
def test_columns_stand_in_the_papers_order(step):
    """Columns keep their order even if the first system, or every system, has an empty one."""
    run = step()(pt.get_dataset(f"irds:{MINI}/all").get_topics("query"))
    part = run[run["qid"] != run["qid"].iloc[0]]
    whole = reproduce(MINI, {"whole": run})
    for given in ({"part": part, "whole": run}, {"part": part}):
        table = reproduce(MINI, given)
        assert list(table.frame) == list(whole.frame)
        pd.testing.assert_frame_equal(table.columns, whole.columns)


def test_results_of_one_query_keep_their_row(step):
    """Only columns none of whose queries they answer are empty, and a remark says so."""
    run = step()(pt.get_dataset(f"irds:{MINI}/all").get_topics("query"))
    one = run[run["qid"] == run["qid"].iloc[0]]
    table = reproduce(MINI, {"step": step(), "one query": one})
    assert table.frame["name"].tolist() == ["step", "one query"]
    cells = table.frame.set_index("name").loc["one query"].drop("source")
    facet = run["qid"].iloc[0].rpartition("_")[2]
    assert {column.split()[0] for column in cells.index[cells.notna()]} == {facet, "all"}
    assert "A cell is empty where results answer none of its queries: one query." in table.remarks


def test_p_values_are_corrected_on_request(step):
    """By Holm's method over all comparisons: the smallest of m times m, the next m - 1 times."""
    systems = {"first": step("first"), "second": step("second", weight=-1.0)}
    plain = reproduce(f"{MINI}/all", systems).figures["p"]
    table = reproduce(f"{MINI}/all", systems, correction="holm")
    smallest = sorted(plain.dropna())
    assert len(smallest) > 1
    steps = [p * (len(smallest) - n) for n, p in enumerate(smallest)]
    expected = np.minimum(np.maximum.accumulate(steps), 1)
    assert sorted(table.figures["p"].dropna()) == pytest.approx(expected)
    assert any("(Holm)" in remark for remark in table.remarks)
    with pytest.raises(
        ValueError, match=r"Unknown correction 'bonferroni'.*: None, holm, benjamini-hochberg"
    ):
        reproduce(f"{MINI}/all", systems, correction="bonferroni")


@pytest.mark.slow
def test_finished_systems_are_not_run_again(step, tmp_path):
    """A second call with one more system runs only that one and repeats the first's figures."""
    first, second = step("first"), step("second", weight=-1.0)
    alone = reproduce(MINI, {"first": first}, save_dir=tmp_path / "runs")
    both = reproduce(MINI, {"first": first, "second": second}, save_dir=tmp_path / "runs")
    assert (first.times, second.times) == (1, 1)
    again = both.figures[both.figures["name"] == "first"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, alone.figures)


CONTINUED = """
import sys
sys.path.insert(0, sys.argv[1])
from stepping import ByLength
from pyterrier_scholarly import reproduce

folder = sys.argv[2]
def step(name, weight, killer=""):
    return ByLength(f"{folder}/{name}.log", weight, killer)

first, second, third = step("first", 1), step("second", 2, f"{folder}/killer"), step("third", 3)
systems = {"first": first, "second": second, "third": third}
print(reproduce("scholarly-mini", systems, save_dir=f"{folder}/runs"))
"""


@pytest.mark.slow
def test_a_killed_table_goes_on(step, tmp_path):
    """A table killed in its second system resumes there and ends with the same output."""

    def start():
        here = os.path.dirname(__file__)
        code = [sys.executable, "-c", CONTINUED, here, str(tmp_path)]
        return subprocess.run(code, capture_output=True, text=True)

    (tmp_path / "killer").touch()
    assert start().returncode == -signal.SIGKILL
    assert [step(name).times for name in ("first", "second", "third")] == [1, 0, 0]
    (tmp_path / "killer").unlink()
    done = start()
    assert done.returncode == 0, done.stderr
    assert [step(name).times for name in ("first", "second", "third")] == [1, 1, 1]
    assert start().stdout == done.stdout
    assert [step(name).times for name in ("first", "second", "third")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((MINI, []), ValueError, "systems is empty"),
        ((MINI, {" ": "fabs_tfidf"}), ValueError, "name ' ' of a system cannot be written"),
        ((MINI, {7: "fabs_tfidf"}), ValueError, "name 7 of a system cannot be written"),
        ((MINI, ["no_such"]), KeyError, "Unknown system 'no_such'. .*: fabs_tfidf, "),
        ((MINI, ["fabs_tfdif"]), KeyError, "Did you mean 'fabs_tfidf'"),
        ((MINI, ["fabs_tfidf"], 3), ValueError, "one without a number"),
        ((MINI, {"x": 7}), ValueError, "Row 'x': 7 is no system"),
        ((MINI, [pd.DataFrame()]), ValueError, "Results have no name in a list"),
        ((MINI, {"x": pd.DataFrame({"qid": ["1"]})}), ValueError, "x has no column score"),
        (({"x": "run.trec"},), ValueError, "The first argument is the dataset"),
    ],
)
def test_what_cannot_be_made(arguments, error, said):
    """An error names the valid choices."""
    with pytest.raises(error, match=said):
        reproduce(*arguments)


@pytest.mark.parametrize("option", ["tables", "measure", "encoders", "modles"])
def test_an_unknown_option_is_refused(option):
    """Even if no system reads the options of `systems`."""
    run = pt.get_dataset(f"irds:{MINI}/all").get_results()
    for given in (["fabs_tfidf"], {"run": run}):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
            reproduce(MINI, given, **{option: 3})


class Listed(dict):
    """Models that count how often they are read, once for each building of systems."""

    times = 0

    def items(self):
        """Count, and return the items."""
        self.times += 1
        return super().items()


def test_named_systems_are_built_once(step):
    """`systems` is called once for any number of keys."""
    models = Listed(sentence_maxsim=LSA(MINI))
    given = {"step": step(), "one": "fabs_tfidf", "another": "sentence_maxsim"}
    assert len(reproduce(MINI, given, models=models, resamples=10).frame) == 3
    assert models.times == 1


def test_a_baseline_that_is_not_there():
    """The error lists the systems' names."""
    with pytest.raises(ValueError, match=r"Unknown baseline 'x'\. Choose one of: fabs_tfidf"):
        reproduce(MINI, "fabs_tfidf", baseline="x")
    with pytest.raises(ValueError, match="Did you mean 'fabs_tfidf'"):
        reproduce(MINI, "fabs_tfidf", baseline="fabs-tfidf")


@pytest.mark.torch
def test_what_runs_is_told(tiny, capfd):
    """How much is ranked, and each system's begin and end; nothing if not verbose."""
    reproduce(MINI, ["fabs_tfidf", "in_context"], encoder=tiny("bert"), cache=False)
    told = [line for line in capfd.readouterr().err.splitlines() if MINI in line or ": " in line]
    assert any("systems: 2, papers: 48" in line for line in told)
    for name in ("fabs_tfidf", "in_context"):
        assert any(line.startswith(f"{name}: ranking for 16 queries") for line in told)
        assert any(line.startswith(f"{name}: done in") for line in told)
    reproduce(MINI, ["fabs_tfidf"], verbose=False)
    assert "fabs_tfidf" not in capfd.readouterr().err
