"""Packed weights: the same products, in models that we load ourselves."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer, WholeText, _packed
from pyterrier_scholarly.encoders._packed import pack

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(
        not torch.backends.mkldnn.is_available(), reason="PyTorch came without oneDNN"
    ),
]

PASSAGES = [("a b", "c d e", "f"), ("g",)]
WIDTH = 16


@pytest.fixture
def module():
    """Layers with and without bias, one of a class that does more, in single precision."""

    class Doubled(torch.nn.Linear):
        def forward(self, given):
            return 2 * super().forward(given)

    torch.manual_seed(0)
    kinds = (torch.nn.Linear(WIDTH, 3 * WIDTH), Doubled(3 * WIDTH, WIDTH))
    return torch.nn.Sequential(*kinds, torch.nn.Linear(WIDTH, 1, bias=False)).eval()


def packed(module):
    """Which layers use packed weights."""
    return [name for name, layer in module.named_children() if "forward" in vars(layer)]


def test_products_are_the_same(module):
    """Of matrices, stacks of them and none at all; heirs of linear layers compute as they did."""
    shapes = [(5, WIDTH), (2, 7, WIDTH), (0, WIDTH)]
    given = [torch.randn(shape) for shape in shapes]
    with torch.inference_mode():
        expected = [module(one) for one in given]
        pack(module)
        assert packed(module) == ["0", "2"]
        for one, other in zip(given, expected, strict=True):
            torch.testing.assert_close(module(one), other)


def test_what_is_left_alone(module, monkeypatch):
    """Half precision, models too large for a second layout, PyTorch without the operators."""
    with monkeypatch.context() as patch:
        patch.setattr(_packed, "LARGEST", WIDTH)
        pack(module)
        assert not packed(module)
    with monkeypatch.context() as patch:
        patch.setattr(_packed, "OPERATORS", ("_of_another_version",))
        pack(module)
        assert not packed(module)
    pack(module.to(torch.bfloat16))
    assert not packed(module)


def contextual(encoder):
    """Vectors of passages, and the module that made them."""
    return np.vstack(encoder.encode_passages(PASSAGES)), encoder._loaded()[0]


def isolated(encoder):
    """Vectors of texts, and the module that made them."""
    return encoder.encode_documents(["a b c", "d"]), encoder._loaded()[0]


def whole(encoder):
    """Vectors of texts, and the module that made them."""
    return encoder.encode_documents(["a b c", "d"]), encoder._model()


WAYS = {Contextual: contextual, SentenceTransformer: isolated, WholeText: whole}


@pytest.mark.parametrize("kind", WAYS)
def test_ours_is_packed_and_the_users_is_not(kind, letters, letters_folder):
    """A model given as an object stays as it is, and both give the same vectors."""
    (found, ours), (expected, _) = (WAYS[kind](kind(model)) for model in (letters_folder, letters))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert [1 for layer in ours.modules() if "forward" in vars(layer)]
    assert not [1 for layer in letters.modules() if "forward" in vars(layer)]
