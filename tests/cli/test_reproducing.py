"""`pyterrier-scholarly reproduce`."""

import json
import shutil
from argparse import ArgumentParser
from inspect import signature

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import reproduce, write_ranked_pools
from pyterrier_scholarly.cli import main, reproduce_command
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.evaluation import from_all

MINI = "scholarly-mini"


def command(*arguments):
    """Run the command."""
    return main(["reproduce", *map(str, arguments)])


@pytest.mark.slow
def test_it_makes_the_table(tmp_path, capsys):
    """The command prints and writes the table that `reproduce` returns."""
    html, latex, csv = (tmp_path / f"table.{end}" for end in ("html", "tex", "csv"))
    files = ["--html", html, "--latex", latex, "--csv", csv]
    assert command(MINI, "--systems", "fabs_tfidf", "fabs_bm25", *files) == 0
    table = reproduce(MINI, ["fabs_tfidf", "fabs_bm25"])
    assert capsys.readouterr().out == f"{table}\n"
    assert latex.read_text() == table.to_latex()
    assert html.read_text() == table.to_html(tmp_path / "own.html").read_text()
    assert pd.read_csv(csv)["value"].tolist() == pytest.approx(table.figures["value"].tolist())


def test_every_argument_has_an_option():
    """What `reproduce` takes, the command takes, but for what only Python can express."""
    parser = ArgumentParser()
    reproduce_command.add_arguments(parser)
    taken = dict(signature(reproduce).parameters)
    for in_python_alone in ("options", "verbose"):
        del taken[in_python_alone]
    typed = vars(parser.parse_args([MINI]))
    assert taken.keys() <= typed.keys()
    numbers = {name: taken[name].default for name in ("resamples", "seed")}
    assert {name: typed[name] for name in numbers} == numbers


def test_tests_are_those_of_the_call(tmp_path, capsys):
    """Several baselines, a correction and groups of queries are passed on as they are typed."""
    keys = ["fabs_tfidf", "fabs_bm25"]
    csv, tests = tmp_path / "table.csv", tmp_path / "tests.csv"
    words = ["--systems", *keys, "--measures", "NDCG%20", "--by", "facet", "--baseline", *keys]
    words += ["--correction", "holm", "--resamples", "20", "--seed", "7"]
    assert command(f"{MINI}/all", *words, "--csv", csv, "--tests", tests) == 0
    settings = {"by": "facet", "baseline": keys, "correction": "holm", "resamples": 20, "seed": 7}
    table = reproduce(f"{MINI}/all", keys, measures=["NDCG%20"], verbose=False, **settings)
    assert capsys.readouterr().out == f"{table}\n"

    figures = pd.read_csv(csv)
    assert figures["subset"].unique().tolist() == ["background", "method", "result", "all"]
    assert figures["low"].tolist() == pytest.approx(table.figures["low"].tolist())
    written = pd.read_csv(tests)
    assert written["baseline"].unique().tolist() == keys
    assert written["p"].tolist() == pytest.approx(table.wins["p"].tolist())
    # the first test against the second is the second's against the first, with the other sign
    assert written["difference"].sum() == pytest.approx(0)


@pytest.mark.slow
def test_runs_are_saved_and_told(tmp_path, capsys):
    """Lines on stderr say what runs; with `--save-dir` the second call reuses the run."""
    once = [MINI, "--systems", "fabs_tfidf", "--save-dir", tmp_path]
    outputs = []
    for told in ("fabs_tfidf: ranking for 16 queries", f"fabs_tfidf: read from {tmp_path}"):
        assert command(*once) == 0
        printed = capsys.readouterr()
        outputs.append(printed.out)
        assert "systems: 1, papers: 48" in printed.err
        assert told in printed.err
    assert outputs[0] == outputs[1]


@pytest.mark.torch
def test_vectors_are_kept(tiny, tmp_path, monkeypatch, offline):
    """With `--cache` the second call encodes nothing and makes the same table."""
    once = [MINI, "--systems", "in_context", "--cache", tmp_path / "kept"]
    copy = shutil.copytree(tiny("bert"), tmp_path / "copy")  # of which nothing is in memory
    tables = []
    for name, model in {"first.csv": tiny("bert"), "second.csv": copy}.items():
        assert command(*once, "--encoder", model, "--csv", tmp_path / name) == 0
        tables.append((tmp_path / name).read_bytes())
        monkeypatch.setattr("transformers.BertModel.forward", lambda *_, **__: pytest.fail("asked"))
    assert tables[0] == tables[1]
    assert any(path.is_file() for path in (tmp_path / "kept").rglob("*"))


def test_results_in_files(tmp_path, capsys):
    """A TREC run and JSON are rows, with equal figures for the same ranking."""
    pool = pt.get_dataset("irds:scholarly-mini/method").get_results()
    pool = pool.sort_values(["qid", "docno"]).assign(score=-1.0 * pool["docno"].astype(int))
    pool = pt.model.add_ranks(pool, single_query=False).sort_values(["qid", "rank"])
    pt.io.write_results(pool, str(tmp_path / "run.res"))
    ranked = {qid: list(rows["docno"]) for qid, rows in pool.groupby("qid")}
    (tmp_path / "run.json").write_text(json.dumps(ranked))
    runs = ["--run", f"trec={tmp_path}/run.res", "--run", f"json={tmp_path}/run.json"]
    csv = tmp_path / "table.csv"
    assert command(f"{MINI}/method", *runs, "--csv", csv) == 0
    figures = pd.read_csv(csv).pivot(index="name", columns="measure", values="value")
    assert figures.loc["trec"].tolist() == figures.loc["json"].tolist()
    assert figures.notna().all().all()


@pytest.mark.torch
def test_models_of_ones_own_are_rows(tiny, tmp_path, capsys):
    """A model's kind is found, or stands before it; several models are rows at once."""
    models = [f"ours={tiny('bert')}", f"theirs=sentence-encoder:{tiny('bert')}"]
    models = [word for model in models for word in ("--model", model)]
    csv = tmp_path / "table.csv"
    assert command(f"{MINI}/method", *models, "--cache", tmp_path / "kept", "--csv", csv) == 0
    values = pd.read_csv(csv).pivot(index="name", columns="measure", values="value")
    assert set(values.index) == {"ours", "ours_sentences", "theirs_sentences"}
    assert values.loc["ours_sentences"].tolist() == values.loc["theirs_sentences"].tolist()
    capsys.readouterr()
    assert command(MINI, "--model", "ours=no-such-kind:x") == 2
    assert "of the kind 'no-such-kind'" in capsys.readouterr().err


def test_a_collection_of_ones_own(tmp_path, monkeypatch, capsys):
    """Its table has the measures that are asked for; without systems, what there is is listed."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    docs = [{"doc_id": word, "title": "", "text": word} for word in ("tree", "graph", "proof")]
    queries = [{"query_id": "q", "query": "tree"}]
    qrels = [{"query_id": "q", "doc_id": "tree", "relevance": 1}]
    about = {"description": "D", "licence": "CC0"}
    write_collection("mine", docs, queries=queries, qrels=qrels, **about)
    csv = tmp_path / "table.csv"
    measures = ["--measures", "nDCG@10", "NDCG(discount='log2')@2"]
    assert command("made/mine", "--systems", "bm25", *measures, "--csv", csv) == 0
    assert pd.read_csv(csv)[["measure", "value"]].to_numpy().tolist() == [
        ["nDCG@10", 1.0],
        ["NDCG(discount='log2')@2", 1.0],
    ]
    capsys.readouterr()
    assert command("made/mine") == 0
    said = capsys.readouterr().out
    assert said.startswith("table: nDCG@10, AP, R@100")
    assert "bm25" in said


def test_facets_in_files_of_their_names(tmp_path, capsys):
    """CSFCube's three files, whose queries are papers, are one row of all facets."""
    run = pt.get_dataset("irds:scholarly-mini/all").get_results()
    for facet, part in from_all(run).items():
        write_ranked_pools(part, tmp_path / f"{facet}.json")
    runs = [f"--run=ours={tmp_path}/{facet}.json" for facet in ("background", "method", "result")]
    assert command(MINI, *runs, "--csv", tmp_path / "table.csv") == 0
    figures = pd.read_csv(tmp_path / "table.csv")
    assert (len(figures), set(figures["name"])) == (4 * 6, {"ours"})
    assert (figures["answered"] == figures["queries"]).all()


def test_without_systems_it_lists_what_there_is(capsys):
    """Without systems the command lists the tables and all keys."""
    assert command(MINI) == 0
    said = capsys.readouterr().out
    labels = "R-Precision, P@20, R@20, NDCG%20, NDCG%100, MAP"
    assert said.startswith(f"table: {labels} of background, method, result, all\n")
    assert "fabs_tfidf" in said
    assert "six_parts" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--systems", "fabs_tfdif"], "Did you mean 'fabs_tfidf'"),
        (["--systems", "fabs_tfidf", "--measures", "nDGC@5"], "Did you mean 'nDCG'"),
        (["--systems", "no_such"], "Unknown system 'no_such'"),
        (["--systems", "fabs_tfidf", "--table", "3"], "one without a number"),
        (["--systems", "fabs_tfidf", "--baseline", "x"], "Unknown baseline 'x'"),
        (["--systems", "fabs_tfidf", "--baseline", "fabs_tfidf", "y"], "Unknown baseline 'y'"),
        (["--systems", "fabs_tfidf", "--correction", "holmes"], "Did you mean 'holm'"),
        (["--systems", "fabs_tfidf", "--by", "facets"], "Did you mean 'facet'"),
        (["--systems", "fabs_tfidf", "--by", "facet", "--table", "3"], "--table '3', --by 'facet'"),
        (["--systems", "fabs_tfidf", "--seed", "-1"], "a whole number from 0"),
        (["--systems", "fabs_tfidf", "--tests", "/no/such/folder/t.csv"], "/no/such/folder"),
        (["--run", "x"], "expected NAME=FILE"),
        (["--run", "x=no-such-file.res"], "no-such-file.res"),
        (["--systems", "fabs_tfidf", "--html", "/no/such/folder/t.html"], "/no/such/folder"),
    ],
)
def test_errors_are_sentences(capsys, arguments, said):
    """An error is one line on stderr, with exit code 2."""
    assert command(MINI, *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("pyterrier-scholarly reproduce:") == 1


def test_results_in_several_files_are_one_row(tmp_path, capsys):
    """Files of one name form one run; they must have different queries."""
    pool = pt.get_dataset("irds:scholarly-mini/method").get_results()
    pool = pt.model.add_ranks(pool, single_query=False)
    first = pool["qid"] == pool["qid"].iloc[0]
    parts = {"a": pool[first], "b": pool[~first], "whole": pool}
    for name, part in parts.items():
        pt.io.write_results(part, str(tmp_path / f"{name}.res"))
    file, csv = f"{tmp_path}/{{}}.res".format, tmp_path / "table.csv"
    runs = ["--run", f"X={file('a')}", "--run", f"X={file('b')}", "--run", f"Y={file('whole')}"]
    assert command(f"{MINI}/method", *runs, "--csv", csv) == 0
    figures = pd.read_csv(csv).pivot(index="name", columns="measure", values="value")
    assert figures.loc["X"].tolist() == figures.loc["Y"].tolist()
    capsys.readouterr()
    assert command(MINI, *runs[:2], "--run", f"X={file('whole')}") == 2
    error = capsys.readouterr().err
    assert "whole.res has results for " in error
    assert "and so has" in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--run", "X={}/empty.res"], "empty.res has no results"),
        (["--run", "X={}/empty.json"], "empty.json has no results"),
        (["--run", "X={}/no.res"], "No such file"),
        (["--run", "X={}/folder"], "is a folder. Pass a model of your own as --model"),
        (["--run", "={}/empty.res"], "expected NAME=FILE"),
        (["--run", "X"], "expected NAME=FILE"),
        (["--run", "fabs_tfidf={}/run.json", "--systems", "fabs_tfidf"], "Choose another"),
        (["--systems", "fabs_tfidf", "--html", "{}/folder"], "is a folder. Pass the name"),
        (["--systems", "fabs_tfidf", "--csv", "{}/no/t.csv"], "is missing"),
        (["--systems", "fabs_tfidf", "--model", "a=b", "--model", "a=c"], "duplicate name"),
    ],
)
def test_what_cannot_be_read_or_written(tmp_path, capsys, arguments, said):
    """An unreadable or unwritable file raises before any run."""
    (tmp_path / "folder").mkdir()
    for name in ("empty.res", "empty.json"):
        (tmp_path / name).touch()
    (tmp_path / "run.json").write_text('{"1": ["2"]}')
    assert command(MINI, *(one.format(tmp_path) for one in arguments)) == 2
    assert said in capsys.readouterr().err
