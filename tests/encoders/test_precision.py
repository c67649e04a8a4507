"""Precision, and what a model says of itself."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PASSAGE = ("a b", "c d e")


def test_bf16_is_near_and_leaves_the_model_alone(letters):
    """Other precisions are close, in float32 arrays; the user's model keeps its own."""
    exact, rough = Contextual(letters), Contextual(letters, precision="bf16")
    (one,), (two,) = exact.encode_passages([PASSAGE]), rough.encode_passages([PASSAGE])
    assert two.dtype == np.float32
    assert not np.array_equal(one, two)
    cosines = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    assert cosines.min() > 0.99
    assert next(letters[0].auto_model.parameters()).dtype == torch.float32
    assert (exact.precision_used, rough.precision_used) == ("fp32", "bf16")


WAYS = {
    Contextual: lambda encoder: np.vstack(encoder.encode_passages([PASSAGE, ("f",)])),
    SentenceTransformer: lambda encoder: encoder.encode(["a b c", "d"], "document"),
}


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_name_gives_what_its_model_gives(kind, precision, letters, own_folder):
    """A model loaded by name gives the arrays of the model itself, which stays unchanged."""
    before = [set(vars(module)) for module in letters.modules()]
    given, named = (WAYS[kind](kind(one, precision=precision)) for one in (letters, own_folder))
    np.testing.assert_allclose(named, given, atol=1e-5)
    assert [set(vars(module)) for module in letters.modules()] == before


@pytest.mark.parametrize(
    ("flags", "expected"),
    [({"avx512_bf16": True}, "bf16"), ({"amx_bf16": False, "avx2": True}, "fp32"), ({}, "fp32")],
)
def test_auto_asks_the_processor(letters, monkeypatch, flags, expected):
    """Auto is bf16 only if the processor computes in it."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: flags, raising=False)
    for kind in (Contextual, SentenceTransformer):
        assert kind(letters, precision="auto").precision_used == expected


def test_an_unknown_precision(letters):
    """An unknown precision raises with the known ones."""
    with pytest.raises(ValueError, match="'int3': expected one of 'fp32', 'bf16', 'fp16', 'auto'"):
        Contextual(letters, precision="int3").encode_passages([PASSAGE])


@pytest.mark.usefixtures("offline")
def test_positions_of_other_architectures(tiny):
    """RoBERTa lacks the positions up to padding's; T5 has its tokenizer's limit."""
    from sentence_transformers import SentenceTransformer as Model

    def most(model):
        """Return the most tokens of a window."""
        with pytest.raises(ValueError, match="as many as it has positions") as caught:
            Contextual(model, max_length=10**6).encode_passages([PASSAGE])
        return int(str(caught.value).split(" to ")[1].split(" tokens")[0])

    assert (most(tiny("bert")), most(tiny("roberta"))) == (514, 513)
    long = Contextual(tiny("roberta")).encode_passages([(" ".join("a" * 1000),)])
    assert np.isfinite(long[0]).all()
    t5 = Model(tiny("t5"), device="cpu")
    for length, expected in ((77, 77), (10**30, 512)):
        t5.tokenizer.model_max_length = length
        assert most(t5) == expected


def test_a_module_in_half_precision_without_a_type_of_its_own():
    """The precision of a plain module is that of its first parameter."""
    half = torch.nn.Linear(2, 2).half()
    half.encode = len
    assert SentenceTransformer(half).precision_used == "fp16"
