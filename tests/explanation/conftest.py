"""The embedded collection's home, and an explanation with all that HTML can trip over."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.explanation import explain
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import SentenceMaxSim, SentenceTransport

HOSTILE = [
    "</script><script>document.title = 'broken'</script> a & b",
    "if x < y & y > z, then \"x\" < 'z' <img src='https://example.com/a.png' onerror='oops()'>",
    "A plain result.",
]
DOCUMENT_LABELS = ["background", "method", "result"]
SCORERS = {"max-sim": SentenceMaxSim, "transport": SentenceTransport}


def turned(texts):
    """Vectors in the plane, by length of the text."""
    angles = np.array([len(text) for text in texts]) / 40
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.fixture
def mini(tmp_path, monkeypatch):
    """The id of the embedded collection's queries, with a home of its own."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    return "scholarly-mini/all"


@pytest.fixture(params=SCORERS)
def hostile(request):
    """A query of two sentences in a paper of three, against three, with markup everywhere."""
    row = {
        "qid": '"q"&<1>',
        "docno": "<d>",
        "query_paper": Paper("", "<s>Query</s>", HOSTILE, ["method", "method", "result"]),
        "query_sentence_ids": [[0, 1]],
        "facet": "method",
        "paper": Paper("<d>", "<u>Document</u>", ["Short.", *HOSTILE[:2]], DOCUMENT_LABELS),
    }
    scorer = SCORERS[request.param](turned)
    return explain(scorer, pd.DataFrame(row), "<d>")
