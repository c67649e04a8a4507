"""Windows of tokens, and batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer
from pyterrier_scholarly.encoders.contextual import divide_passages

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def deaf(letters):
    """The letters' model, with tokens that ignore their position and context."""
    transformer = letters[0].auto_model
    with torch.no_grad():
        transformer.embeddings.position_embeddings.weight.zero_()
        for layer in transformer.encoder.layer:
            layer.attention.output.dense.weight.zero_()
    return letters


@pytest.mark.parametrize("limit", [4, 5, 9, 16, 32])
@pytest.mark.parametrize("length", [1, 2, 14, 15, 30, 31, 61, 200])
def test_no_token_is_lost_or_counted_twice(deaf, limit, length):
    """A window has at most `limit` tokens; each token counts once in the mean."""
    longest = []
    deaf[0].auto_model.register_forward_pre_hook(
        lambda _, given, named: longest.append(named["input_ids"].shape[1]), with_kwargs=True
    )
    text = ["abcdefghijklmnopqrstuvwxyz"[n % 26] for n in range(length)]
    (found,) = Contextual(deaf, max_length=limit).encode_passages([("t", " ".join(text))])
    assert max(longest) <= limit
    with torch.inference_mode():
        tokens = deaf.tokenizer(f"t {' '.join(text)}", return_tensors="pt")["input_ids"][0]
        own = deaf[0].auto_model(input_ids=tokens[:, None]).last_hidden_state[:, 0].numpy()
    assert len(own) == length + 3
    expected = [own.mean(0), own[1], own[2:-1].mean(0)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_every_text_has_its_tokens_in_order(letters):
    """A full paper's hundreds of texts are in many windows; each of their tokens counts once."""
    windows = divide_passages([("a b",) * 300], letters.tokenizer, limit=32)
    rows = [window.rows[np.nonzero(window.row_has_token[1:].T)[1] + 1] for window in windows]
    assert np.concatenate(rows).tolist() == np.repeat(range(1, 301), 2).tolist()


class Letters:
    """A user's model whose texts state their numbers of tokens; it logs its batches."""

    def __init__(self):
        self.batches = []

    def tokenizer(self, texts, **_):
        """Encode as transformers' tokenizers do."""
        return {"input_ids": [[0] * int(text.split()[1]) for text in texts]}

    def encode(self, texts, batch_size=32, show_progress_bar=None):
        """Vectors (n, 1): the texts' numbers."""
        self.batches.append([int(text.split()[1]) for text in texts])
        return np.array([[int(text.split()[0])] for text in texts])


@given(some.lists(some.integers(1, 50), min_size=1, max_size=40), some.integers(1, 120))
@settings(max_examples=100, deadline=None)
def test_batches_keep_to_the_budget(lengths, budget):
    """Each text is in one batch; padded, a batch stays in the budget unless it has one text."""
    model = Letters()
    encoder = SentenceTransformer(model, batch_tokens=budget, memory=0)
    found = encoder.encode([f"{n} {length}" for n, length in enumerate(lengths)], "document")
    assert found[:, 0].tolist() == list(range(len(lengths)))
    assert sorted(one for batch in model.batches for one in batch) == sorted(lengths)
    costs = [(len(batch), len(batch) * max(batch)) for batch in model.batches]
    assert [cost for size, cost in costs if size > 1 and cost > budget] == []
