"""Texts by a model of sentence-transformers: batches by tokens give what the model itself gives."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyterrier_scholarly.encoders import (
    Contextual,
    SentenceTransformer,
    VectorCache,
    as_encoder,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TEXTS = [
    "a b c",
    "",
    "d",
    "a b c",
    " ".join(LETTERS),
    "日本語",
    "привет",
    "e f",
    "👩‍🔬 a",
    "\u200b",
]
TEXTS += [" ".join(LETTERS[n : n + n % 7 + 1]) for n in range(8)]


def built(letters, pooling="mean", dense=False, normalize=False, **settings):
    """The letters' transformer with other modules behind it."""
    from sentence_transformers import SentenceTransformer as Model
    from sentence_transformers import models

    modules = [letters[0], models.Pooling(16, pooling)]
    if dense:
        torch.manual_seed(1)
        modules.append(models.Dense(16, 5))
    if normalize:
        modules.append(models.Normalize())
    return Model(modules=modules, device="cpu", **settings)


def test_a_folder_may_be_a_path(letters_folder):
    """It is the model of the folder's name, also for steps."""
    encoder = SentenceTransformer(Path(letters_folder))
    assert encoder == SentenceTransformer(letters_folder)
    assert as_encoder(Path(letters_folder)) == encoder
    assert encoder.encode(["a b"], "query").shape == (1, 16)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pooling": "cls"},
        {"pooling": "max", "dense": True},
        {"normalize": True},
        {"dense": True, "normalize": True, "truncate_dim": 3},
        {"prompts": {"query": "q q ", "document": ""}},
        {"prompts": {"query": "q ", "document": "d d d "}},
    ],
    ids=str,
)
@pytest.mark.parametrize("batch_tokens", [30, 2_048])
def test_vectors_are_the_models_own(letters, settings, batch_tokens):
    """Arrays equal the model's own, with its modules, prompts and truncation."""
    model = built(letters, **settings)
    model.max_seq_length = 16  # the alphabet is cut
    encoder = SentenceTransformer(model, batch_tokens=batch_tokens, memory=0)
    queries, documents = model.encode_query(TEXTS), model.encode_document(TEXTS)
    assert np.allclose(encoder.encode(TEXTS, "query"), queries, atol=1e-5)
    assert np.allclose(encoder.encode(TEXTS, "document"), documents, atol=1e-5)


def test_each_distinct_text_is_encoded_once(own_folder, passes):
    """A text is encoded once for each side, in a call and over calls."""
    encoder = SentenceTransformer(own_folder)
    first = encoder.encode(["a", "b", "a"], "document")
    again = encoder.encode(["b", "a"], "document")
    assert sum(passes) == 2
    assert np.array_equal(first, again[[1, 0, 1]])
    encoder.encode(["a"], "query")
    assert sum(passes) == 3


def test_a_trained_model_gives_new_vectors(letters):
    """New weights give new arrays."""
    encoder = SentenceTransformer(letters, precision="bf16")
    before = encoder.encode(["a"], "document")
    with torch.no_grad():
        letters[0].auto_model.embeddings.word_embeddings.weight.mul_(-1)
    assert not np.allclose(encoder.encode(["a"], "document"), before, atol=0.1)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_is_near_and_leaves_the_model_alone(precision, letters):
    """Half precision gives cosines above .99 in float32; the user's model stays unchanged."""
    exact, rough = letters.encode(TEXTS), SentenceTransformer(letters, precision=precision)
    found = rough.encode(TEXTS, "document")
    assert found.dtype == np.float32
    assert not np.array_equal(found, exact)
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(exact, axis=1)
    assert ((found * exact).sum(axis=1) / lengths).min() > 0.99
    assert np.array_equal(letters.encode(TEXTS), exact)
    assert (rough.precision_used, SentenceTransformer(letters).precision_used) == (
        precision,
        "fp32",
    )


def test_a_model_in_half_precision_stays_so(letters):
    """An object keeps its own precision, which `precision_used` shows."""
    half = letters.bfloat16()
    encoder = SentenceTransformer(half)
    assert encoder.precision_used == "bf16"
    assert np.allclose(encoder.encode(TEXTS, "document"), half.encode(TEXTS), atol=0.05)


def test_progress_has_a_total(letters, capsys):
    """Progress counts the distinct texts."""
    SentenceTransformer(letters, verbose=True).encode(["a", "b c", "a"], "document")
    assert "2/2" in capsys.readouterr().err


def test_one_word_nothing_and_twenty_thousand(letters):
    """Every text has a row; long ones are truncated where the model does it."""
    long = " ".join(LETTERS[n % 26] for n in range(20_000))
    found = SentenceTransformer(letters).encode(["a", "", long], "document")
    assert np.allclose(found, letters.encode(["a", "", long]), atol=1e-5)
    assert np.isfinite(found).all()


def test_a_broken_model_is_named_and_nothing_of_it_kept(letters, tmp_path):
    """A broken model raises, and nothing of it is kept."""
    encoder = SentenceTransformer(letters, cache=tmp_path, name="letters")
    weight = letters[0].auto_model.embeddings.word_embeddings.weight
    right = weight[5].clone().detach()  # a
    with torch.no_grad():
        weight[5] = float("nan")
    with pytest.raises(ValueError, match=r"NaN or infinity .* first for 'b a'"):
        encoder.encode(["b a"], "document")
    with torch.no_grad():
        weight[5] = right
    assert np.allclose(encoder.encode(["b a"], "document"), letters.encode(["b a"]), atol=1e-5)


def test_batches_are_cut_by_tokens(letters):
    """Batches count prompts: two texts of 22 tokens, eight short ones."""
    shapes = []
    letters[0].register_forward_pre_hook(
        lambda _, given: shapes.append(tuple(given[0]["input_ids"].shape))
    )
    long = [" ".join("abcdefghijklmnopqrs"[n:] + "a" * n) for n in range(4)]
    short = list("abcdefgh")
    encoder = SentenceTransformer(letters, document_prompt="z ", batch_tokens=48)
    found = encoder.encode(short + long, "document")
    assert shapes == [(2, 22)] * 2 + [(8, 4)]
    encoder = SentenceTransformer(letters, document_prompt="z ", batch_tokens=1)
    assert np.allclose(found, encoder.encode(short + long, "document"), atol=1e-5)


def test_a_model_may_have_any_methods():
    """An object with a method `preprocess` need not be one of sentence-transformers."""

    class Own:
        def preprocess(self, texts):
            return [text.lower() for text in texts]

        def encode(self, texts, **settings):
            return np.array([[len(text), 1.0] for text in self.preprocess(texts)])

    assert SentenceTransformer(Own()).encode(["ab"], "query").tolist() == [[2, 1]]


def test_long_texts_are_cut(letters_folder):
    """Texts are truncated at `max_length` tokens, with special ones."""
    encoder = SentenceTransformer(letters_folder, max_length=5)
    long, short = encoder.encode(["a b c d e f", "a b c"], "query")
    assert np.allclose(long, short, atol=1e-6)


def test_a_model_that_is_not_there(offline):
    """An unknown name raises with the remedy without network."""
    with pytest.raises(OSError, match=r"(?s)'no/such-model' cannot.*hf download no/such-model"):
        SentenceTransformer("no/such-model").encode(["a"], "document")


def test_settings_that_do_not_go_together(letters, letters_folder):
    """Wrong combinations of backend, model and precision raise with the choices."""
    with pytest.raises(ValueError, match="'jax': expected one of 'torch', 'onnx', 'openvino'"):
        SentenceTransformer(letters_folder, backend="jax").encode(["a"], "document")
    with pytest.raises(ValueError, match="backend='onnx' is for a model's name"):
        SentenceTransformer(letters, backend="onnx").encode(["a"], "document")
    with pytest.raises(ValueError, match=r"backend='onnx' is for .* precision='fp32'"):
        SentenceTransformer("m", backend="onnx", precision="bf16").encode(["a"], "document")
    with pytest.raises(ValueError, match="'int3': expected one of 'fp32', 'bf16', 'fp16', 'auto'"):
        SentenceTransformer(letters, precision="int3").encode(["a"], "document")


def test_code_of_a_model_does_not_run_unless_asked(tiny, tmp_path, monkeypatch):
    """A folder with Python code raises in every encoder of names; no code runs."""
    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    ran = tmp_path / "ran"
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.C", "AutoModel": "own.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\nraise RuntimeError('ran')")
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    with pytest.raises((ValueError, OSError), match=r"trust_remote_code|model_type|own"):
        SentenceTransformer(str(folder)).encode(["a"], "document")
    with pytest.raises((ValueError, OSError), match=r"trust_remote_code|model_type|own"):
        Contextual(str(folder)).encode_passages([("a",)])
    assert not ran.exists()
    with pytest.raises(RuntimeError, match="ran"):
        SentenceTransformer(str(folder), trust_remote_code=True).encode(["a"], "document")
    assert ran.exists()


def test_settings():
    """Encoders are equal by what changes arrays; the repr can be pasted back."""
    one = SentenceTransformer("m", precision="auto", batch_tokens=9, cache=True, verbose=True)
    assert one == SentenceTransformer("m", precision="auto")
    assert one != SentenceTransformer("m")
    assert SentenceTransformer("m", pooling="cls") != SentenceTransformer("m")
    assert eval(repr(one)) == one


PROGRAM = """
import sys
from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

folder, cache = sys.argv[1:]
print(Contextual(folder, cache=cache).encode_passages([("a", "b c")])[0][1:].sum())
print("torch" in sys.modules)
print(SentenceTransformer(folder, cache=cache).encode(["a", "b c"], "document").sum())
"""


@pytest.mark.slow
def test_the_next_process_encodes_nothing(letters_folder, tmp_path):
    """Another process reads the same arrays; cached sentences load no PyTorch."""
    cache = VectorCache(tmp_path)
    passages = Contextual(letters_folder, cache=cache).encode_passages([("a", "b c")])
    texts = SentenceTransformer(letters_folder, cache=cache).encode(["a", "b c"], "document")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", PROGRAM, letters_folder, str(tmp_path)]
    said = subprocess.check_output(command, env=environment, text=True).splitlines()
    assert said == [str(passages[0][1:].sum()), "False", str(texts.sum())]
