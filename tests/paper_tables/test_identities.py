"""What tells systems apart, over processes too."""

import os
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, Pool, systems
from pyterrier_scholarly.encoders import WholeText
from pyterrier_scholarly.paper_tables.identities import Unidentified, described, fingerprint

FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"]})


def mini(**options):
    """The named systems of the embedded collection."""
    return systems("scholarly-mini/all", **options)


@pytest.mark.parametrize(
    "key", ["fabs_tfidf", "one_encoding", "six_parts", "sentence_maxsim", "specter"]
)
def test_a_system_is_the_same_in_another_process(key):
    """Also where operators show no more than their address in their repr."""
    code = (
        "from pyterrier_scholarly import systems; "
        "from pyterrier_scholarly.paper_tables.identities import fingerprint; "
        f"print(fingerprint(systems('scholarly-mini/all')[{key!r}], 'data'))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert there.stdout.strip() == fingerprint(mini()[key], "data"), there.stderr


def test_equal_settings_are_one_system_and_others_are_not():
    """Any setting, operator or candidate counts, and so do the data."""
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
    found = [fingerprint(system, "data") for system in different]
    assert len(set(found)) == len(found)
    assert fingerprint(mini(**lsa)["one_encoding"], "data") == found[3]
    assert (
        fingerprint(Pool(FRAME.copy()) >> mini(candidates=Pool(FRAME))["fabs_tfidf"], "data")
        == found[6]
    )
    assert fingerprint(different[0], "other data") != found[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 2}),
        (np.zeros(2000), np.ones(2000)),  # whose reprs leave most out
        (np.zeros(4), np.zeros((2, 2))),
        (FRAME, FRAME.rename(columns={"qid": "query"})),
        ("1", 1),
    ],
)
def test_values_are_told_apart(one, other):
    """By content and form; a copy is the same."""
    assert described(one) != described(other)
    assert described(one) == described(deepcopy(one))


def test_a_folder_is_its_files(tmp_path):
    """A model that is trained again into the same folder is another."""
    (tmp_path / "weights").write_text("1")
    first = described(WholeText(str(tmp_path)))
    assert described(WholeText(str(tmp_path))) == first
    (tmp_path / "weights").write_text("10")
    assert described(WholeText(str(tmp_path))) != first


@pytest.mark.torch
def test_a_model_is_its_weights():
    """Two models of one architecture have one repr."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    def model(size):
        dense = Dense(3, size)
        return SentenceTransformer(modules=[dense], device="cpu")

    one, other = model(2), model(2)
    assert repr(one) == repr(other)
    assert described(one) != described(other)
    assert described(one) == described(deepcopy(one))


@pytest.mark.parametrize("part", [lambda texts: texts, pt.apply.doc_score(lambda row: 1.0)])
def test_what_does_not_say_what_it_is(part):
    """A function has nothing but an address, so that it is not taken for another."""
    with pytest.raises(Unidentified):
        described(part)
