"""Results made of frames show themselves on a screen, however long and wide the frames are."""

import importlib
from typing import get_type_hints

import pandas as pd
import pytest

from pyterrier_scholarly.collect import judge

LONG_TEXT = "It is on ants, and on what they carry. " * 20


def records_of_frames():
    """The exported named tuples that hold frames only."""
    for package in ("collect", "evaluation"):
        module = importlib.import_module(f"pyterrier_scholarly.{package}")
        for name in module.__all__:
            cls = getattr(module, name)
            if hasattr(cls, "_fields") and set(get_type_hints(cls).values()) == {pd.DataFrame}:
                yield pytest.param(cls, id=name)


@pytest.mark.parametrize("cls", [*records_of_frames()])
def test_large_frames_fit_a_screen(cls):
    """A thousand rows of forty long columns take a few short lines for each frame."""
    frame = pd.DataFrame({f"column_{n}": [LONG_TEXT] * 1000 for n in range(40)})
    lines = repr(cls(*[frame] * len(cls._fields))).splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 100
    for field in cls._fields:
        assert any(line.startswith(f"{field}: 1,000 rows") for line in lines)


def test_judgements_show_their_first_rows():
    """The number of judgements, their columns, the first grades; and that nothing is unclear."""
    pairs = pd.DataFrame({"qid": "a1", "query": "On ants.", "docno": ["x", "y"], "text": "Ants."})
    shown = repr(judge(pairs, lambda messages: "All of it. CONCUR", verbose=False))
    assert "frame: 2 rows of qid, docno, label, verdict" in shown
    first_row = shown.splitlines()[3].split()
    assert first_row[:4] == ["a1", "x", "2", "CONCUR"]
    assert "unclear: 0 rows" in shown
