"""Models that compare texts word by word: an embedding for each token, or a score for each pair."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Count, Natural, check_arguments
from ._batches import SIDES, Model, token_counts
from .encoder_calls import check_finite, name_of, read_arrays, read_numbers
from .model_encoder import ModelEncoder

SPECIAL = 3  # tokens around and between two texts

Pair: TypeAlias = tuple[str, str]


@dataclass(eq=False, repr=False)
class MultiVector(ModelEncoder):
    """A `sentence_transformers.MultiVectorEncoder`, or its name: ColBERT's and PyLate's models.

    Prompts, lengths, query expansion and ignored words are the model's own.

    Args:
        model: the model, or a folder, or a name on the Hugging Face hub.
        memory: bytes of embeddings kept for later calls; default: none, because they are large:
            100 KB for 200 tokens in 128 dimensions.
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        name, precision, device, max_length, revision, batch_tokens, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_size: Count = field(default=32, compare=False)
    memory: Natural = field(default=0, compare=False, kw_only=True)

    KIND = "MultiVectorEncoder"

    def encode_query_tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return arrays (t, d) by the model's query side, with expansion tokens."""
        return self.arrays(texts, "query")

    def encode_document_tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return arrays (t, d) by the model's document side."""
        return self.arrays(texts, "document")

    def encode_batch(self, model: Model, texts: list[str], side: str) -> list[np.ndarray]:
        """Encode a batch as arrays (t, d)."""
        settings = {"batch_size": len(texts), "convert_to_numpy": True, "show_progress_bar": False}
        return token_vectors(partial(getattr(model, SIDES[side]), **settings), texts)


@dataclass(eq=False, repr=False)
class CrossEncoder(ModelEncoder):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are truncated at the model's length, the longer text first.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays unchanged.
        activation: use the model's own activation. Otherwise scores are logits. A sigmoid keeps the
            order, but rounds the best candidates' large logits to the same 1.0.
        max_length: tokens at which a pair is truncated, with special tokens; default: the model's.
        name, precision, device, revision, batch_tokens, memory, cache, verbose: see `ModelEncoder`;
            not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when scoring) see `ModelEncoder`.
    """

    activation: bool = field(default=False, kw_only=True)

    KIND, INT8, UNIT = "CrossEncoder", False, "pair"

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Score n pairs of texts as (n,); a model with c classes gives (n, c)."""
        scores = np.concatenate(self.arrays(pairs, "pairs"))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def encode_batch(self, model: Model, pairs: list[Pair], side: str) -> list[np.ndarray]:
        """Score a batch as arrays (1, c) for c classes."""
        from torch.nn import Identity

        scores = model.predict(
            pairs,
            batch_size=len(pairs),
            show_progress_bar=False,
            activation_fn=None if self.activation else Identity(),
        )
        return [row.copy() for row in np.array(scores, np.float32).reshape(len(pairs), 1, -1)]

    def lengths(self, model: Model, pairs: list[Pair], side: str) -> list[int] | None:
        """Return the tokens of each pair, or None if they cannot be counted."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        counts = token_counts(model, texts)
        if counts is None:
            return None
        of, limit = dict(zip(texts, counts)), getattr(model, "max_seq_length", None) or sys.maxsize
        return [min(of[one] + of[other] + SPECIAL, limit) for one, other in pairs]

    def _label(self) -> str:
        return "scoring"


@check_arguments
def token_vectors(
    encode: Callable[[list[str]], Iterable[ArrayLike]], texts: list[str]
) -> list[np.ndarray]:
    """Encode `texts` by `encode`, as float32 arrays (t, d); no texts give [] without a call.

    ValueError if the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []
    arrays = read_arrays(encode(texts), encode, "(tokens, dimensions)")
    widths = {array.shape[1:] for array in arrays}
    if len(arrays) != len(texts) or len(widths) != 1 or len(*widths) != 1:
        shapes = sorted({array.shape for array in arrays})
        raise ValueError(
            f"The encoder {name_of(encode)} returned arrays of shapes {shapes} for {len(texts)} "
            "texts; expected one (tokens, dimensions) array per text."
        )
    check_finite(np.array([[array.sum(dtype=np.float64)] for array in arrays]), texts)
    return arrays


@check_arguments
def pair_scores(score: Callable[[list[Pair]], ArrayLike], pairs: Sequence[Pair]) -> np.ndarray:
    """Score `pairs` by `score`, as float64 (n,); each distinct pair is scored once.

    ValueError if the answer is not one number per pair, or NaN; names the pair.
    """
    number = {pair: n for n, pair in enumerate(dict.fromkeys(pairs))}
    if not number:
        return np.zeros(0)
    expected = f"({len(number)},), one number per pair"
    scores = read_numbers(score(list(number)), score, expected, np.float64)
    if scores.shape != (len(number),):
        raise ValueError(
            f"The model returned an array of shape {scores.shape} for {len(number)} pairs; "
            f"expected {expected}. Is it a classifier?"
        )
    check_finite(scores[:, None], number, "The model", "pairs")
    return scores[[number[pair] for pair in pairs]]
