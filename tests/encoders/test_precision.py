"""Precision, and what a model says of itself."""

from operator import attrgetter

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer, WholeText

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
    SentenceTransformer: lambda encoder: encoder.encode_documents(["a b c", "d"]),
    WholeText: lambda encoder: encoder.encode_documents(["a b c", "d"]),
}


def refuse(*arguments):
    """Raise, as an operator does whose arguments are others in a new version of PyTorch."""
    raise RuntimeError("unknown arguments")


def multiply_otherwise(inputs, weight, *others):
    """Return another product than the layer's."""
    return 2 * inputs @ torch.ones(inputs.shape[-1], 1)


PRIVATE_PRODUCT = "_linear_pointwise"  # of PyTorch's operators for oneDNN
#: how PyTorch's private way of multiplying by packed weights may be -> what replaces its parts
PACKING = {
    "there": {},
    "without its library": {"torch.backends.mkldnn.is_available": lambda: False},
    "with other arguments": {f"torch.ops.mkldnn.{PRIVATE_PRODUCT}": refuse},
    "without its packing": {"torch.ops.mkldnn._reorder_linear_weight": refuse},
    "with another result": {f"torch.ops.mkldnn.{PRIVATE_PRODUCT}": multiply_otherwise},
}


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("packing", PACKING)
def test_a_name_gives_what_its_model_gives(
    kind, precision, packing, letters, own_folder, monkeypatch
):
    """Packed weights give the public way's arrays, and are not used where they would not."""
    for name, replacement in PACKING[packing].items():
        owner, _, attribute = name.removeprefix("torch.").rpartition(".")
        monkeypatch.setattr(attrgetter(owner)(torch), attribute, replacement)
    before = [set(vars(module)) for module in letters.modules()]
    given, named = (WAYS[kind](kind(one, precision=precision)) for one in (letters, own_folder))
    np.testing.assert_allclose(named, given, atol=1e-5)
    assert [set(vars(module)) for module in letters.modules()] == before


def test_packed_weights_are_used_where_they_agree(own_folder, monkeypatch):
    """A model loaded by name multiplies by PyTorch's private operator, which is called."""
    calls = []
    multiply = getattr(torch.ops.mkldnn, PRIVATE_PRODUCT)

    def note(*arguments):
        calls.append(1)
        return multiply(*arguments)

    monkeypatch.setattr(torch.ops.mkldnn, PRIVATE_PRODUCT, note)
    encoder = SentenceTransformer(own_folder, memory=0)
    encoder.encode_documents(["a"])
    first_calls = len(calls)
    encoder.encode_documents(["b"])
    assert len(calls) > first_calls > 0


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
    with pytest.raises(ValueError, match="'int3': choose one of fp32, bf16, fp16, int8, auto"):
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
