"""Keys of systems, which other processes must compute alike."""

import os
import subprocess
import sys

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, Pool, systems
from pyterrier_scholarly.tables.saved_runs import make_run_key

FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"]})


def mini(**options):
    """The named systems of the embedded collection."""
    return systems("scholarly-mini/all", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", ["fabs_tfidf", "one_encoding", "six_parts", "sentence_maxsim", "specter"]
)
def test_a_system_is_the_same_in_another_process(key):
    """Another process computes the same key, even if operators' reprs show only an address."""
    code = (
        "from pyterrier_scholarly import systems; "
        "from pyterrier_scholarly.tables.saved_runs import make_run_key; "
        f"print(make_run_key(systems('scholarly-mini/all')[{key!r}], 'data').decode())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert there.stdout.strip() == make_run_key(mini()[key], "data").decode(), there.stderr


def test_equal_settings_are_one_system_and_others_are_not():
    """A different setting, operator, candidate or dataset gives a different key."""
    lsa = {"encoder": LSA("scholarly-mini")}
    different = [
        mini()["fabs_tfidf"],
        mini()["fabs_bm25"],
        mini()["one_encoding"],
        mini(**lsa)["one_encoding"],
        mini(**lsa)["one_encoding"] % 5,
        0.5 * mini(**lsa)["one_encoding"],
        Pool(FRAME) >> mini(candidates=Pool(FRAME))["fabs_tfidf"],
        pt.Transformer.from_df(FRAME),
        pt.Transformer.from_df(FRAME.assign(docno="b")),
    ]
    found = [make_run_key(system, "data") for system in different]
    assert len(set(found)) == len(found)
    assert make_run_key(mini(**lsa)["one_encoding"], "data") == found[3]
    assert (
        make_run_key(Pool(FRAME.copy()) >> mini(candidates=Pool(FRAME))["fabs_tfidf"], "data")
        == found[6]
    )
    assert make_run_key(different[0], "other data") != found[0]
