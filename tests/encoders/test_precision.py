"""Precision, and what a model says of itself."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual
from pyterrier_scholarly.encoders._transformer import positions, resolved

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PASSAGE = ("a b", "c d e")


def test_bf16_is_near_and_leaves_the_model_alone(letters):
    """Less than a hundredth off, in float32 arrays; the user's model keeps its own precision."""
    exact, rough = Contextual(letters), Contextual(letters, precision="bf16")
    (one,), (two,) = exact.encode_passages([PASSAGE]), rough.encode_passages([PASSAGE])
    assert two.dtype == np.float32
    assert not np.array_equal(one, two)
    cosines = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    assert cosines.min() > 0.99
    assert next(letters[0].auto_model.parameters()).dtype == torch.float32
    assert (exact.precision_used, rough.precision_used) == ("fp32", "bf16")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [({"avx512_bf16": True}, "bf16"), ({"amx_bf16": False, "avx2": True}, "fp32"), ({}, "fp32")],
)
def test_auto_asks_the_processor(monkeypatch, flags, expected):
    """Bf16 where it is computed natively: emulated it would be slower than fp32."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: flags, raising=False)
    assert resolved("auto", torch.device("cpu")) == expected


def test_an_unknown_precision():
    """The known ones are listed."""
    with pytest.raises(ValueError, match="'int3': choose one of fp32, bf16, int8, auto"):
        resolved("int3", torch.device("cpu"))


def test_positions_of_other_architectures():
    """RoBERTa's first two positions are padding's; T5 has none, so its tokenizer says."""
    from transformers import RobertaConfig, RobertaModel, T5Config, T5EncoderModel

    class Tokenizer:
        model_max_length = 77

    size = {"vocab_size": 9, "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 8}
    roberta = RobertaModel(RobertaConfig(**size, intermediate_size=8, max_position_embeddings=34))
    assert positions(roberta, Tokenizer) == 32
    small = {"vocab_size": 9, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    t5 = T5EncoderModel(T5Config(**small))
    assert positions(t5, Tokenizer) == 77
    Tokenizer.model_max_length = 10**30
    assert positions(t5, Tokenizer) == 512
