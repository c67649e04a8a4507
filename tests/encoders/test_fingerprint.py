"""Fingerprints: by content, equal in every process; or an error."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.util import find_spec
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer
from pyterrier_scholarly.fingerprint import Unidentified, fingerprint
from pyterrier_scholarly.transformers import CrossEncoderScore, SentenceMaxSim, TokenMaxSim

FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"]})
MANY = np.arange(2000)  # so many that their reprs leave most out
CHANGED = np.where(MANY == 1000, 0, MANY)


@dataclass
class Settings:
    """A dataclass that is none of ours."""

    value: object


@dataclass
class Fields:
    """A dataclass with a field that is not compared."""

    value: object
    log: object = field(default_factory=object, compare=False)


class Named:
    """An object with `__fingerprint__`."""

    def __init__(self, value):
        self.value, self.log = value, object()

    def __fingerprint__(self):
        """Return the settings."""
        return {"value": self.value}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 2}),
        ({"a", "b"}, {"a", "c"}),
        (MANY, CHANGED),
        (np.zeros(4), np.zeros((2, 2))),
        (np.array(["a", 1], dtype=object), np.array(["a", 2], dtype=object)),
        (pd.Series(MANY), pd.Series(CHANGED)),
        (pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"])),
        (pd.Index(MANY), pd.Index(CHANGED)),
        (pd.DataFrame({"query_vec": [MANY]}), pd.DataFrame({"query_vec": [CHANGED]})),
        (csr_array(MANY[None]), csr_array(CHANGED[None])),
        (csr_matrix(np.eye(3)), csr_matrix(2 * np.eye(3))),
        (Settings(MANY), Settings(CHANGED)),
        (TfidfVectorizer().fit(["a word"]), TfidfVectorizer().fit(["other words"])),
        (FRAME, FRAME.rename(columns={"qid": "query"})),
        ("1", 1),
        (1, 1.0),
        (True, 1),
        ({1: "a"}, {"1": "a"}),
        ({("a", 1): "b"}, {("a", 2): "b"}),
        (b"1", b"2"),
        ([1, None, float("nan")], [1, None, float("inf")]),
        (int, float),
        (Settings(Settings(1)), Settings({"value": 1})),
        (Fields(1), Fields(2)),
        (Fields(1), Settings(1)),
        (Named(1), Named(2)),
    ],
)
def test_values_are_told_apart(one, other):
    """A fingerprint depends on content and form; a copy has the same."""
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(deepcopy(one))


def test_equal_values_are_one():
    """Arrays of objects and sets have the same fingerprint in another order of memory."""
    words = [f"word {n}" for n in range(50)]
    assert fingerprint(set(words)) == fingerprint(set(reversed(words)))
    arrays = [np.array(["".join(list(word)) for word in words], dtype=object) for _ in range(2)]
    assert fingerprint(arrays[0]) == fingerprint(arrays[1])
    assert fingerprint(csr_array(np.eye(3))) == fingerprint(csr_array(np.eye(3)).tocoo())


def test_json_is_its_canonical_form():
    """Values read from a file equal those written; a text is no path, even if it names one."""
    value = {"b": [1, 2.5, None, True], "a": {"é": "\ud800"}}
    text = r'{"a":{"\u00e9":"\ud800"},"b":[1,2.5,null,true]}'
    assert fingerprint(value) == sha256(text.encode()).hexdigest()
    assert fingerprint({"path": ["."]}) == sha256(b'{"path":["."]}').hexdigest()
    assert fingerprint((1, (2,))) == fingerprint([1, [2]])


class Point(NamedTuple):
    """A named tuple, which is no plain list."""

    x: int


NUL = r"\u0000"  # as JSON has it
HASH_OF_1 = sha256(b"1").hexdigest()
NUMBERS = np.array([1, 2], dtype="<i8")
HASH_OF_NUMBERS = sha256(b"\1" + bytes(7) + b"\2" + bytes(7)).hexdigest()


@pytest.mark.parametrize(
    ("value", "description"),
    [
        ({1: "a", "1": "b"}, f'["{NUL}dict",[["1","b"],[1,"a"]]]'),
        ({"b", "a"}, f'["{NUL}set","a","b"]'),
        (b"1", f'["{NUL}bytes","{HASH_OF_1}"]'),
        (int, f'["{NUL}builtins.int"]'),
        (range(3), f'["{NUL}builtins.range","range(0, 3)"]'),
        (Settings("x"), f'["{NUL}{__name__}.Settings",{{"value":"x"}}]'),
        (Point(1), f'["{NUL}{__name__}.Point",1]'),
        (NUMBERS, f'["{NUL}array",[2],"int64","{HASH_OF_NUMBERS}"]'),
        (np.array(["a", None], dtype=object), f'["{NUL}array",[2],"object",["a",null]]'),
    ],
)
def test_what_was_kept_is_found_again(value, description):
    """A fingerprint stays the sha256 of this description, so that later versions find it."""
    assert fingerprint(value) == sha256(description.encode()).hexdigest()


def test_a_path_is_what_is_there(tmp_path):
    """A path's fingerprint changes with its files; so does a setting that names a folder."""
    file = tmp_path / "folder" / "file"
    file.parent.mkdir()
    found = []
    for text in ("1", "10"):
        file.write_text(text)
        found += [fingerprint(path) for path in (file, file.parent, Settings(file))]
        found += [fingerprint(Settings(str(file.parent)))]
        assert fingerprint(Settings(file.parent)) == found[-1]
    assert len(set(found)) == len(found)
    assert fingerprint(tmp_path / "none") != fingerprint(tmp_path / "neither")
    status = file.stat()
    files = f'[["{file}",{status.st_size},{status.st_mtime_ns}]]'
    description = f'["{NUL}path","{file.parent}",{files}]'
    assert fingerprint(file.parent) == sha256(description.encode()).hexdigest()


def test_a_dataset_is_its_id():
    """A dataset has one fingerprint as PyTerrier's and as ir_datasets' object."""
    name = "scholarly-mini/all"
    for dataset in (pt.get_dataset(f"irds:{name}"), ir_datasets.load(name)):
        assert fingerprint(Settings(dataset)) == fingerprint(Settings(name))


def test_a_folder_is_its_files(tmp_path):
    """A model trained again into the same folder has another fingerprint."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "weights").write_text("1")
    first = fingerprint(SentenceTransformer(str(tmp_path)))
    assert fingerprint(SentenceTransformer(str(tmp_path))) == first
    (tmp_path / "weights").write_text("10")
    assert fingerprint(SentenceTransformer(str(tmp_path))) != first


@pytest.mark.torch
def test_a_model_is_its_weights():
    """Two models with one repr have different fingerprints."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    def model(size):
        dense = Dense(3, size)
        return SentenceTransformer(modules=[dense], device="cpu")

    one, other = model(2), model(2)
    assert repr(one) == repr(other)
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(deepcopy(one))


class Elided:
    """The array is in its repr."""

    def __repr__(self):
        return f"Elided({MANY})"


LOOP = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "part",
    [
        lambda texts: texts,
        pt.apply.doc_score(lambda row: 1.0),
        [object()] * 20,  # so long that a setting of it is hashed
        SentenceMaxSim(lambda texts: texts),
        np.array([object()]),
        np.random.default_rng(0),  # whose address is in capitals
        Elided(),
        LOOP,
    ],
)
def test_what_does_not_say_what_it_is(part):
    """A repr with an address, or an abbreviated one, raises."""
    with pytest.raises(Unidentified):
        fingerprint(part)


COMMITS = ("a" * 40, "b" * 40)


def hub(folder, commit, name, file):
    """Write the hub's files for a name, as its library does."""
    own = folder / f"models--{name.replace('/', '--')}"
    (own / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    (own / "snapshots" / commit / file).write_text("{}")
    (own / "refs").mkdir(exist_ok=True)
    (own / "refs" / "main").write_text(commit)


def test_a_name_is_its_commit(tmp_path, monkeypatch, offline):
    """A new commit of model or adapter changes the fingerprint."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    encoder, found = SentenceTransformer("own/model", adapter="own/adapter"), []
    plain = replace(encoder, adapter=None)
    for commit in COMMITS:
        hub(tmp_path, commit, "own/model", "config.json")
        found.append(fingerprint(encoder))
        hub(tmp_path, commit, "own/adapter", "adapter_config.json")
        found.append(fingerprint(encoder))
    assert len(set(found)) == len(found)
    assert fingerprint(plain) == fingerprint(replace(plain, revision=COMMITS[1]))
    assert fingerprint(plain) != fingerprint(replace(plain, revision=COMMITS[0]))


@pytest.mark.parametrize("step", [SentenceMaxSim, CrossEncoderScore, TokenMaxSim])
def test_a_name_given_to_a_step_is_its_commit(step, tmp_path, monkeypatch, offline):
    """A step's fingerprint has its model's commit; folders count by their files."""
    found = []
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for commit in (*COMMITS, COMMITS[0]):
        hub(tmp_path, commit, "own/model", "config.json")
        found.append(fingerprint(step("own/model")))
    assert found[0] == found[2] != found[1]
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        found += [fingerprint(step(str(tmp_path / name))), fingerprint(step(tmp_path / name))]
    assert len(set(found)) == 1


def test_a_name_is_the_same_before_it_is_downloaded(tmp_path, monkeypatch):
    """Before the download, the hub gives the commit; after it, the files do."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

    class Info:
        sha = COMMITS[0]

    monkeypatch.setattr("huggingface_hub.model_info", lambda name, **options: Info)
    before = fingerprint(Contextual("own/fresh"))
    hub(tmp_path, COMMITS[0], "own/fresh", "config.json")
    assert fingerprint(Contextual("own/fresh")) == before


def test_files_of_an_adapter_count(tmp_path):
    """A changed file of the same size counts; the folder's path does not."""
    found = []
    for name, weights in (("one", "12"), ("two", "13"), ("three", "12")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "adapter_config.json").write_text("{}")
        (tmp_path / name / "pytorch_adapter.bin").write_text(weights)
        found.append(fingerprint(SentenceTransformer("", adapter=str(tmp_path / name))))
    assert found[0] == found[2] != found[1]


@pytest.mark.torch
@pytest.mark.skipif(find_spec("torch") is None, reason="no PyTorch")
def test_tensors_and_modules_are_their_content():
    """Weights count in any precision and at any address."""
    import torch

    one = torch.arange(2000)
    other = one.clone()
    other[1000] = 0
    assert fingerprint(one) == fingerprint(one.clone()) != fingerprint(other)
    assert fingerprint(one.half()) != fingerprint(one.bfloat16())
    assert fingerprint(torch.eye(3).to_sparse()) != fingerprint(2 * torch.eye(3).to_sparse())
    layer, same, different = (torch.nn.Linear(3, 3) for _ in range(3))
    same.load_state_dict(layer.state_dict())
    assert fingerprint(layer) == fingerprint(same) != fingerprint(different)
