"""Long work shows that it goes on: bars on a terminal, one line each in notebooks and logs."""

import io
import re
import subprocess
import sys
import time
from contextlib import redirect_stderr
from itertools import accumulate, islice

import pandas as pd
import pytest

from pyterrier_scholarly import FunctionChat, Recorded, systems
from pyterrier_scholarly.collect import judge
from pyterrier_scholarly.encoders import SentenceTransformer
from pyterrier_scholarly.progress import LogLines

PAIRS = pd.DataFrame({"qid": "q", "query": "of", "docno": ["a", "b", "c"], "text": "An abstract."})
TOPICS = pd.DataFrame([["1", "the models"]], columns=["qid", "query"])


class Terminal(io.StringIO):
    """What is shown on a terminal."""

    def isatty(self):
        """It is one."""
        return True


def test_the_clock_goes_while_a_single_part_takes_long():
    """A model that thinks: nothing is counted, and the bar is drawn again and again."""
    terminal = Terminal()

    def thinks(messages):
        end = time.monotonic() + 60
        while terminal.getvalue().count("judge:   0%") < 3 and time.monotonic() < end:
            time.sleep(0.05)
        return "AGREE"

    with redirect_stderr(terminal):
        judge(PAIRS, thinks)
    before, _, _ = terminal.getvalue().partition("1/3")
    assert before.count("judge:   0%") >= 3


def test_a_log_has_a_line_for_the_bar_and_one_for_the_counts(capsys, tmp_path):
    """Fifty-two judgements by eight threads that store replies: two lines, and no codes."""
    texts = [f"Abstract {number}." for number in range(52)]
    pairs = pd.DataFrame({"qid": "q", "query": "of", "docno": texts, "text": texts})
    judge(pairs, Recorded(FunctionChat(lambda messages: "AGREE", "always"), tmp_path / "replies"))
    err = capsys.readouterr().err
    *signs_of_life, bar, counts = err.splitlines()  # signs on a busy machine
    assert bar.startswith("judge: 52/52 [") and counts.startswith("judge: 52 asked")
    assert len(signs_of_life) <= 3 and all("/52 [" in line for line in signs_of_life)
    assert re.findall("[\r\x1b]", err) == []


def test_long_work_has_a_line_a_minute():
    """The first lines come sooner, so that somebody who waits sees that work has begun."""
    pauses = LogLines("judge", 3, "request").pauses()
    seconds = list(islice(pauses, 70))
    assert seconds == sorted(seconds) and seconds[0] <= 5
    moments = list(accumulate(seconds))
    assert 60 <= sum(moment <= 3600 for moment in moments) <= 65


def test_a_log_has_a_line_of_unfinished_work_and_one_of_the_end(capsys):
    """A model that thinks for some seconds: work begun, then work done."""
    begun = time.monotonic()
    said = []

    def thinks(messages):
        while not said and time.monotonic() < begun + 60:
            time.sleep(0.05)
            said.extend(capsys.readouterr().err.splitlines())
        return "AGREE"

    judge(PAIRS, thinks, workers=1)
    assert re.match(r"judge: 0/3 \[00:0[2-9]<", said[0])
    ended = capsys.readouterr().err.splitlines()
    assert [line.partition(" [")[0] for line in ended[:-1]] == ["judge: 3/3"]


def test_steps_of_one_work_are_one_line(capsys, tmp_path, monkeypatch):
    """Mining has five steps; they change what the line says, and make no lines of their own."""
    pytest.importorskip("ibis")
    from pyterrier_scholarly.logs import mine_log, synthetic_log

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    synthetic_log(60, 4, 40, 400, seed=3).write(tmp_path / "log.parquet")
    capsys.readouterr()
    mine_log(tmp_path / "log.parquet", "ours", pairs=30, successors=8, relevant=3)
    *signs_of_life, line = capsys.readouterr().err.splitlines()  # signs on a busy machine
    assert line.startswith("mining: 5/5 [")
    assert len(signs_of_life) <= 3 and all("/5 [" in line for line in signs_of_life)


CELL = """
import time
import pandas as pd
from pyterrier_scholarly import systems
from pyterrier_scholarly.collect import judge

pairs = pd.DataFrame({"qid": "q", "query": "of", "docno": ["a", "b"], "text": "An abstract."})
judge(pairs, lambda messages: time.sleep(1.5) or "AGREE", workers=1);
"""


#: DuckDB shows bars of its own in notebooks
DUCKDB = """
from pyterrier_scholarly.logs.engine_choice import choose_engine

of_bars = "SELECT value FROM duckdb_settings() WHERE name = 'enable_progress_bar'"
choose_engine().connection.raw_sql(of_bars).fetchall()
"""


@pytest.mark.slow
def test_a_notebook_has_one_line_that_changes(tmp_path):
    """It is shown while the work goes on, and a saved notebook has its end; no codes."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ibis")
    cells = [nbformat.v4.new_code_cell(code) for code in (CELL, DUCKDB)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": tmp_path}}
    client = nbclient.NotebookClient(notebook, timeout=300, resources=resources)
    changes = []
    process = client.process_message

    def heard(message, *arguments):
        if message["msg_type"] == "update_display_data":
            changes.append(message["content"]["data"]["text/plain"])
        return process(message, *arguments)

    client.process_message = heard
    client.execute()
    (bar, counts) = notebook.cells[0].outputs
    assert bar["data"]["text/plain"].startswith("judge: 2/2 [")
    assert changes and changes[0].startswith("judge: ")
    (setting,) = notebook.cells[1].outputs
    assert setting["data"]["text/plain"] == "[('false',)]"
    assert counts["name"] == "stderr" and counts["text"].startswith("judge: 2 asked")
    assert re.findall("[\r\x1b]", str(notebook.cells[0].outputs)) == []


LOAD = """
import sys
from pyterrier_scholarly import SentenceTransformer
SentenceTransformer(sys.argv[1], verbose=True).encode_documents(["on ants", "on bees"])
"""


@pytest.mark.torch
@pytest.mark.slow
def test_no_bars_of_other_libraries_stand_between_ours(tiny):
    """Loading a model and encoding is said by our lines alone, in a process that does both."""
    command = [sys.executable, "-W", "ignore", "-c", LOAD, tiny("bert")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("encoding (fp32): 2/2 [")
    assert [line for line in lines[:-1] if not re.match(r"(loading|encoding).*: ", line)] == []
    assert re.findall("[\r\x1b]", done.stderr) == []


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
    assert "loss" not in said.out and "it/s" not in said.err and "\r" not in said.err


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


@pytest.mark.torch
def test_what_is_encoded_is_told_before(tiny, capsys):
    """A long encoding begins with a line: how many texts, which model, which precision."""
    texts = [f"{number} of the models" for number in range(1_000)]
    SentenceTransformer(tiny("bert"), precision="bf16", verbose=True).encode_documents(texts)
    lines = capsys.readouterr().err.splitlines()
    (first, last) = [n for n, line in enumerate(lines) if "1,000 texts" in line or "/1000" in line]
    assert lines[first].startswith("Encoding 1,000 texts with bert") and "in bf16." in lines[first]
    assert lines[last].startswith("encoding (bf16): 1000/1000")
