"""Integers of eight bits: close to the exact embeddings, on suitable models."""

import sys

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

TEXTS = ["the model", "results of learning, with data", "we", "a method for 7 models (x)"]


def cosines(one, other):
    """Return the cosines of rows."""
    return (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet"])
def test_int8_is_near(tiny, kind):
    """Int8 gives cosines above .95 on the architectures of the papers' encoders."""
    exact, rough = (SentenceTransformer(tiny(kind), precision=p) for p in ("fp32", "int8"))
    one, two = exact.encode_documents(TEXTS), rough.encode_documents(TEXTS)
    assert (rough.precision_used, two.dtype) == ("int8", np.float32)
    assert not np.array_equal(one, two)
    assert cosines(one, two).min() > 0.95


def test_in_context(letters):
    """Parts of passages are close too, and the user's model stays in fp32."""
    passages = [("a b", "c d e"), ("f", "g h i j k", "l m")]
    exact, rough = Contextual(letters), Contextual(letters, precision="int8")
    before = letters.encode(["a b c"])
    one, two = (np.concatenate(e.encode_passages(passages)) for e in (exact, rough))
    assert rough.precision_used == "int8"
    assert 0.95 < cosines(one, two).min() < 1 - 1e-7
    assert np.array_equal(letters.encode(["a b c"]), before)


def test_on_several_cores(letters):
    """Twenty batches in threads give the same arrays as one after the other."""
    texts = [" ".join("abcdefghijklmnopqrstuvwxyz"[n:]) for n in range(20)]
    before = torch.get_num_threads()
    made = []
    for cores in (1, 4):
        torch.set_num_threads(cores)
        encoder = SentenceTransformer(letters, precision="int8", batch_tokens=1, memory=0)
        made.append(encoder.encode_documents(texts))
    torch.set_num_threads(before)
    assert np.allclose(*made, atol=1e-5)


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime"])
def test_what_is_missing(letters, monkeypatch, missing):
    """A missing package raises with the extra's name."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r'pip install "pyterrier-scholarly\[int8\]"'):
        SentenceTransformer(letters, precision="int8").encode_documents(["a"])


def test_a_model_that_does_not_bear_it(letters):
    """A model with one huge weight fails the trial."""
    with torch.no_grad():
        for layer in letters[0].auto_model.encoder.layer:
            layer.intermediate.dense.bias[0] = 1e6
            layer.output.dense.weight[:, 0] = 0
    with pytest.raises(ValueError, match="BertModel is not suited to int8"):
        Contextual(letters, precision="int8").encode_passages([("a",)])


def test_a_model_that_cannot_be_exported(letters):
    """A function that ONNX lacks raises with the remedy."""

    class Bessel(torch.nn.Module):
        def forward(self, given):
            return torch.special.bessel_j0(given)

    letters[0].auto_model.encoder.layer[0].intermediate.intermediate_act_fn = Bessel()
    with pytest.raises(ValueError, match=r"(?s)BertModel cannot be exported.*fp32 or bf16"):
        Contextual(letters, precision="int8").encode_passages([("a",)])


def test_other_devices(letters):
    """Int8 raises on other devices than the processor."""
    with pytest.raises(ValueError, match="int8 is for processors: choose bf16 on meta"):
        Contextual(letters, precision="int8", device="meta").encode_passages([("a",)])


def test_a_model_without_a_transformer(tmp_path):
    """Static embeddings raise, because they have no products to round."""
    from sentence_transformers import SentenceTransformer as Model
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models

    words = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    Model(modules=[StaticEmbedding(words, embedding_dim=4)], device="cpu").save(str(tmp_path))
    assert Model(str(tmp_path)).encode(["a"]).shape == (1, 4)
    with pytest.raises(ValueError, match=r"needs a transformer.*StaticEmbedding: choose fp32"):
        SentenceTransformer(str(tmp_path), precision="int8").encode_documents(["a"])
