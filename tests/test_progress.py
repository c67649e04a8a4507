"""Long work shows that it goes on: bars on a terminal, lines elsewhere, nothing if not verbose."""

import io
import time
from contextlib import redirect_stderr

import pandas as pd
import pytest

from pyterrier_scholarly import systems
from pyterrier_scholarly.collect import judge
from pyterrier_scholarly.encoders import SentenceTransformer

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


def test_elsewhere_a_step_is_a_line(capsys):
    """In a log there are no carriage returns, and one line of a step that was quick."""
    judge(PAIRS, lambda messages: "AGREE")
    err = capsys.readouterr().err
    assert "\r" not in err
    assert len([line for line in err.splitlines() if line.startswith("judge: 3/3 [")]) == 1


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
