"""Long work shows that it goes on: bars on a terminal, a line for each in logs."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stderr

import pandas as pd
import pytest

from pyterrier_scholarly import FunctionChat, Recorded, systems
from pyterrier_scholarly.collect import judge
from pyterrier_scholarly.progress import progress

PAIRS = pd.DataFrame({"qid": "q", "query": "of", "docno": ["a", "b", "c"], "text": "An abstract."})
TOPICS = pd.DataFrame([["1", "the models"]], columns=["qid", "query"])


class Terminal(io.StringIO):
    """What is shown on a terminal."""

    def isatty(self):
        """It is one."""
        return True


def test_a_log_has_a_line_for_the_bar_and_one_for_the_counts(capsys, tmp_path):
    """Fifty-two judgements by eight threads that store replies: two lines, and no codes."""
    texts = [f"Abstract {number}." for number in range(52)]
    pairs = pd.DataFrame({"qid": "q", "query": "of", "docno": texts, "text": texts})
    judge(pairs, Recorded(FunctionChat(lambda messages: "AGREE", "always"), tmp_path / "replies"))
    err = capsys.readouterr().err
    *_, bar, counts = err.splitlines()  # a bar begins with a carriage return
    assert bar.startswith("judge: 52/52 [") and counts.startswith("judge: 52 asked")
    assert err.count("\n") == 2 and "\x1b" not in err


def test_steps_of_one_work_are_one_line(capsys, tmp_path, monkeypatch):
    """Mining has five steps; they change what the line says, and make no lines of their own."""
    pytest.importorskip("ibis")
    from pyterrier_scholarly.logs import mine_log, synthetic_log

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    synthetic_log(60, 4, 40, 400, seed=3).write(tmp_path / "log.parquet")
    capsys.readouterr()
    mine_log(tmp_path / "log.parquet", "ours", pairs=30, successors=8, relevant=3)
    err = capsys.readouterr().err
    (mining, _) = err.split("\n")  # bars of the steps are removed when these end
    assert mining.splitlines()[-1].startswith("mining: 5/5 [")


def test_a_bar_within_a_bar_prints_no_codes_in_a_notebook(monkeypatch, capsys):
    """Both are on one line, where the inner one without a total is overwritten."""
    monkeypatch.setattr("pyterrier_scholarly.progress._is_notebook", lambda: True)
    with progress("judge", total=1, unit="request") as bar:
        with progress("loading a model"):
            pass
        bar.update()
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "\x1b" not in err
    *_, cleared, last = err.rstrip("\n").rsplit("\r", 2)
    assert "loading" in err and "loading" not in cleared and last.startswith("judge: 100%")


LOAD = """
import sys
from pyterrier_scholarly import SentenceTransformer
SentenceTransformer(sys.argv[1], verbose=True).encode(["on ants", "on bees"], "document")
"""


@pytest.mark.torch
@pytest.mark.slow
def test_no_bars_of_other_libraries_stand_between_ours(tiny):
    """Loading a model and encoding is said by our lines alone, in a process that does both."""
    command = [sys.executable, "-W", "ignore", "-c", LOAD, tiny("bert")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("encoding: 2/2 [")
    assert [line for line in lines if not re.match(r"((loading|encoding) ?.*)?\s*$", line)] == []


@pytest.mark.torch
def test_a_training_is_one_bar(tiny, tmp_path, capsys):
    """Its steps are counted by our bar, with the last loss, and by no other."""
    pytest.importorskip("datasets")
    from pyterrier_scholarly.training import CitationTriplets, TrainingSettings, train_encoder

    texts = {paper: f"the models of {paper}" for paper in "abcdefgh"}
    triplets = CitationTriplets({"a": "bc", "b": "cd", "c": "de"}, list(texts))
    settings = TrainingSettings(batch_size=2, accumulate=1, log_every=2)
    train_encoder(tiny("bert"), triplets, texts, tmp_path / "m", settings, steps=4)
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if "UserWarning" not in line]
    assert re.match(r"training \(loss [\d.]+\): 4/4 \[", lines[-1])
    assert "loss" not in said.out and "it/s" not in said.err


def test_nothing_to_do_shows_nothing(capsys):
    """A bar of no parts is none."""
    judge(PAIRS[:0], lambda messages: "AGREE")
    assert "0/0" not in capsys.readouterr().err


@pytest.mark.torch
@pytest.mark.parametrize("verbose", [True, False])
def test_named_systems_show_progress_unless_told_not_to(verbose, made_litsearch, tiny):
    """A dense retriever and BM25 show bars on a terminal; with verbose=False they are silent."""
    made_litsearch(30)
    named = systems("litsearch", models={"e5_large_v2": tiny("bert")}, verbose=verbose)
    for key, bar in {"bm25": "retrieving", "e5_large_v2": "searching"}.items():
        with redirect_stderr(Terminal()) as terminal:
            named[key](TOPICS)
        assert (bar in terminal.getvalue()) == verbose, terminal.getvalue()
