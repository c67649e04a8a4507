"""A whole collection made from 20 papers with a scripted server: killed, replayed, exported."""

import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from threading import Event

import pandas as pd
import pytest

from pyterrier_scholarly.collect import REVIEW

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "examples" / "make_collection.py"
VERDICTS = ("All of it: CONCUR", "In part: AGREE", "DISPUTE", "It is DISAGREE", "I disagree.")
MAIN = """
import ir_datasets, ir_datasets_ext
ir_datasets.main_cli()
"""


class Model:
    """The server's answers; after `until` of them the others wait, as if the model were slow."""

    def __init__(self, server):
        self.server, self.until, self.reached = server, None, Event()
        self.answered = 0
        server.answer = self.answer

    def answer(self, body):
        """A question for each citation; a verdict that follows from the request alone."""
        if self.until is not None and self.answered >= self.until:
            self.reached.set()
            self.server.held.wait(120)
        self.answered += 1
        (message,) = body["messages"]
        content = message["content"]
        if content.startswith("You are a reference librarian"):
            place = zlib.crc32(json.dumps(body, sort_keys=True).encode()) % len(VERDICTS)
            return 200, self.server.completion(VERDICTS[place])
        shown = content.rpartition("TEXT: ")[2].partition("PAPER TITLES")[0]
        return 200, self.server.completion(
            "\n".join(
                f"QUESTION: Which work number {number} in {len(shown)} letters?\nANSWER: {key}"
                for number, key in enumerate(re.findall(r"\{(cite_\d+)\}", shown))
            )
        )


@pytest.fixture
def model(chat_server):
    """`Model` behind the running server."""
    return Model(chat_server)


@pytest.fixture
def start(tmp_path, chat_server):
    """A function that starts the script, or other code, in a home of its own."""

    def started(*arguments, home="home"):
        environment = {
            **os.environ,
            "IR_DATASETS_HOME": str(tmp_path / home),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "ignore",
        }
        command = [sys.executable, *map(str, arguments)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    return started


def files(folder):
    """All files of a folder, by name."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def fill_in(path):
    """What people do: all questions pass but one."""
    table = pd.read_csv(path, skiprows=len(REVIEW.top))
    quality = [0] + [2] * (len(table) - 1)
    table.assign(quality=quality, specificity=1).to_csv(path, index=False)
    return len(table)


@pytest.mark.slow
def test_a_whole_collection(start, model, chat_server, tmp_path):
    """Questions, filter, review, pools, judgements by two judges, agreement, a folder.

    Killed once among the questions and once among the judgements, it goes on where it was, without
    asking again what was answered; a fresh shell exports the result; replayed without the server it
    has the same bytes.
    """
    folder = tmp_path / "work"
    command = [SCRIPT, folder, "--model", "m", "--base-url", chat_server.url]

    def kill_after(answers):
        model.until, model.answered = answers, 0
        model.reached.clear()
        chat_server.held.clear()
        process = start(*command)
        assert model.reached.wait(120), process.communicate()
        process.kill()
        process.wait()
        model.until = None
        chat_server.held.set()

    kill_after(2)
    assert not (folder / "review.csv").exists()
    _, errors = (stopped := start(*command)).communicate(timeout=300)
    assert stopped.returncode == 1 and "fill it in" in errors
    asked = fill_in(folder / "review.csv")
    assert asked == 13  # citations
    kill_after(9)
    assert not (tmp_path / "home" / "made" / "twenty").exists()
    before = len(chat_server.requests)
    output, errors = (done := start(*command)).communicate(timeout=300)
    assert done.returncode == 0, errors
    assert "made/twenty is in" in output and "annotators" in output
    answered = len(chat_server.requests) - before
    lines = [line for line in errors.splitlines() if re.match("judge: .* replayed", line)]
    replayed = [int(re.search(r"(\d+) replayed", line)[1]) for line in lines]
    pairs = sum(int(re.search(r"(\d+) asked", line)[1]) for line in lines) + sum(replayed)
    assert len(lines) == 2 and answered == pairs - sum(replayed)
    assert replayed[0] >= 1  # those that were kept when it was killed

    made = tmp_path / "home" / "made" / "twenty"
    qrels, errors = start("-c", MAIN, "export", "made/twenty", "qrels").communicate(timeout=120)
    rows = [line.split() for line in qrels.splitlines()]
    assert rows and {row[3] for row in rows} <= {"0", "1", "2"}, errors
    queries, _ = start("-c", MAIN, "export", "made/twenty", "queries").communicate(timeout=120)
    assert len(queries.splitlines()) == asked - 1

    chat_server.stop()
    offline = start(*command, "--replay", home="elsewhere")
    _, errors = offline.communicate(timeout=300)
    assert offline.returncode == 0, errors
    assert files(tmp_path / "elsewhere" / "made" / "twenty") == files(made)
