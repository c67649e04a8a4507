"""Isolated sentences: batches by tokens give what the model itself gives."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer, VectorCache

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
    assert np.allclose(encoder.encode_queries(TEXTS), queries, atol=1e-5)
    assert np.allclose(encoder.encode_documents(TEXTS), documents, atol=1e-5)
    assert encoder.symmetric == np.allclose(queries, documents, atol=1e-6)


def test_each_distinct_text_is_encoded_once(own_folder, passes):
    """A text is encoded once, in a call, on both sides and over calls."""
    encoder = SentenceTransformer(own_folder, 7)
    first = encoder.encode_documents(["a", "b", "a"])
    again = encoder.encode_queries(["b", "a"])
    assert sum(passes) == 2
    assert np.array_equal(first, again[[1, 0, 1]])


def test_a_trained_model_gives_new_vectors(letters):
    """New weights give new arrays."""
    encoder = SentenceTransformer(letters, precision="bf16")
    before = encoder.encode_documents(["a"])
    with torch.no_grad():
        letters[0].auto_model.embeddings.word_embeddings.weight.mul_(-1)
    assert not np.allclose(encoder.encode_documents(["a"]), before, atol=0.1)


def test_bf16_is_near_and_leaves_the_model_alone(letters):
    """Bf16 gives cosines above .99 in float32; the user's model stays unchanged."""
    exact, rough = letters.encode(TEXTS), SentenceTransformer(letters, precision="bf16")
    found = rough.encode_documents(TEXTS)
    assert found.dtype == np.float32
    assert not np.array_equal(found, exact)
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(exact, axis=1)
    assert ((found * exact).sum(axis=1) / lengths).min() > 0.99
    assert np.array_equal(letters.encode(TEXTS), exact)
    assert (rough.precision_used, SentenceTransformer(letters).precision_used) == ("bf16", "fp32")


def test_a_model_in_half_precision_stays_so(letters):
    """An object keeps its own precision, which `precision_used` shows."""
    half = letters.bfloat16()
    encoder = SentenceTransformer(half)
    assert encoder.precision_used == "bf16"
    assert np.allclose(encoder.encode_documents(TEXTS), half.encode(TEXTS), atol=0.05)


def test_progress_has_a_total_and_the_precision(letters, capsys):
    """Progress counts the distinct texts."""
    SentenceTransformer(letters, verbose=True).encode_documents(["a", "b c", "a"])
    shown = capsys.readouterr().err
    assert "encoding (fp32)" in shown
    assert "2/2" in shown


def test_one_word_nothing_and_twenty_thousand(letters):
    """Every text has a row; long ones are truncated where the model does it."""
    long = " ".join(LETTERS[n % 26] for n in range(20_000))
    found = SentenceTransformer(letters).encode_documents(["a", "", long])
    assert np.allclose(found, letters.encode(["a", "", long]), atol=1e-5)
    assert np.isfinite(found).all()


def test_a_broken_model_is_named_and_nothing_of_it_kept(letters, tmp_path):
    """A broken model raises, and nothing of it is kept."""
    encoder = SentenceTransformer(letters, cache=tmp_path, name="letters")
    weight = letters[0].auto_model.embeddings.word_embeddings.weight
    right = weight[5].clone().detach()  # a
    with torch.no_grad():
        weight[5] = float("nan")
    with pytest.raises(ValueError, match="NaN or infinity for 1 of 1 texts, first for 'b a'"):
        encoder.encode_documents(["b a"])
    with torch.no_grad():
        weight[5] = right
    assert np.allclose(encoder.encode_documents(["b a"]), letters.encode(["b a"]), atol=1e-5)


def test_a_model_that_is_not_there(offline):
    """An unknown name raises with the remedy without network."""
    with pytest.raises(OSError, match=r"(?s)'no/such-model' cannot.*hf download no/such-model"):
        SentenceTransformer("no/such-model").encode_documents(["a"])


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_backends_that_are_not_installed(letters_folder, backend, monkeypatch):
    """A missing package raises with what to install."""
    monkeypatch.setitem(sys.modules, "optimum", None)
    with pytest.raises(ImportError, match=rf"pip install \"sentence-transformers\[{backend}\]"):
        SentenceTransformer(letters_folder, backend=backend).encode_documents(["a"])


def test_settings_that_do_not_go_together(letters, letters_folder):
    """Wrong combinations of backend, model and precision raise with the choices."""
    with pytest.raises(ValueError, match="'jax': choose one of torch, onnx, openvino"):
        SentenceTransformer(letters_folder, backend="jax").encode_documents(["a"])
    with pytest.raises(ValueError, match="give the model's name"):
        SentenceTransformer(letters, backend="onnx").encode_documents(["a"])
    with pytest.raises(ValueError, match="precision='bf16' is for PyTorch"):
        SentenceTransformer("m", backend="onnx", precision="bf16").encode_documents(["a"])
    with pytest.raises(ValueError, match="'int3': choose one of fp32, bf16, fp16, int8, auto"):
        SentenceTransformer(letters, precision="int3").encode_documents(["a"])


def test_settings():
    """Encoders are equal by what changes arrays; the repr can be pasted back."""
    one = SentenceTransformer("m", precision="auto", batch_tokens=9, cache=True, verbose=True)
    assert one == SentenceTransformer("m", precision="auto")
    assert one != SentenceTransformer("m")
    assert eval(repr(one)) == one


PROGRAM = """
import sys
from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

folder, cache = sys.argv[1:]
print(Contextual(folder, cache=cache).encode_passages([("a", "b c")])[0][1:].sum())
print("torch" in sys.modules)
print(SentenceTransformer(folder, cache=cache).encode_documents(["a", "b c"]).sum())
"""


@pytest.mark.slow
def test_the_next_process_encodes_nothing(letters_folder, tmp_path):
    """Another process reads the same arrays; cached sentences load no PyTorch."""
    cache = VectorCache(tmp_path)
    passages = Contextual(letters_folder, cache=cache).encode_passages([("a", "b c")])
    texts = SentenceTransformer(letters_folder, cache=cache).encode_documents(["a", "b c"])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", PROGRAM, letters_folder, str(tmp_path)]
    said = subprocess.check_output(command, env=environment, text=True).splitlines()
    assert said == [str(passages[0][1:].sum()), "False", str(texts.sum())]
