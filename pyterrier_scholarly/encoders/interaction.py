"""Models that compare texts word by word: a vector for each token, or a score for each pair."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ._batches import SIDES, token_counts
from .answers import check_finite
from .model_encoder import ModelEncoder

SPECIAL = 3  # tokens around and between two texts


@dataclass(eq=False, repr=False)
class MultiVector(ModelEncoder):
    """A `sentence_transformers.MultiVectorEncoder`, or its name: ColBERT's and PyLate's models.

    Prompts, lengths, query expansion and the words that do not count are the model's own.

    Args:
        model: the model, or a folder, or a name on the Hugging Face hub.
        memory: bytes of vectors that are kept for later calls; by default none, for they take much:
            of 200 tokens in 128 dimensions, 100 KB.
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        name, precision, device, max_length, revision, batch_tokens, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_size: int = field(default=32, compare=False)
    memory: int = field(default=0, compare=False, kw_only=True)

    KIND = "MultiVectorEncoder"

    def encode_query_tokens(self, texts):
        """Arrays (t, d) by the model's query side, expansion tokens included."""
        return self._tokens(texts, "query")

    def encode_document_tokens(self, texts):
        """Arrays (t, d) by the model's document side."""
        return self._tokens(texts, "document")

    def _tokens(self, texts, side):
        found = self.arrays(texts, side)
        return [found[text] for text in texts]

    def encode_batch(self, model, texts, side):
        """Arrays (t, d)."""
        settings = {"batch_size": len(texts), "convert_to_numpy": True, "show_progress_bar": False}
        return token_vectors(partial(getattr(model, SIDES[side]), **settings), texts)


@dataclass(eq=False, repr=False)
class CrossEncoder(ModelEncoder):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are cut at the model's length, the longer text first.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays as it is.
        activation: use the model's own activation. Without, scores are logits: a sigmoid changes
            no order, but gives the best candidates of large logits one and the same 1.0.
        max_length: tokens that a pair is cut at, special tokens counted; None for the model's own.
        name, precision, device, revision, batch_tokens, memory, cache, verbose: see `ModelEncoder`;
            not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when scoring) see `ModelEncoder`.
    """

    activation: bool = field(default=False, kw_only=True)

    KIND, INT8, UNIT = "CrossEncoder", False, "pair"

    def score(self, pairs):
        """Scores (n,) of n pairs of texts; those of a model with several classes are (n, c)."""
        found = self.arrays(pairs, "pairs")
        scores = np.concatenate([found[pair] for pair in pairs])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def encode_batch(self, model, pairs, side):
        """Arrays (1, c) of numbers for c classes."""
        from torch.nn import Identity

        activation = None if self.activation else Identity()
        more = {"show_progress_bar": False, "activation_fn": activation}
        scores = np.array(model.predict(pairs, batch_size=len(pairs), **more), dtype=np.float32)
        return [row.copy() for row in scores.reshape(len(pairs), 1, -1)]

    def lengths(self, model, pairs, side):
        """The tokens of each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        counts = token_counts(model, texts)
        if counts is None:
            return None
        of, most = dict(zip(texts, counts)), getattr(model, "max_seq_length", None) or np.inf
        return [min(of[one] + of[other] + SPECIAL, most) for one, other in pairs]

    def _label(self):
        return "scoring"


def token_vectors(encode, texts) -> list:
    """What `encode` makes of `texts`, as float32 arrays (t, d); no call for no texts.

    Raises:
        ValueError: the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []
    arrays = [np.asarray(array, dtype=np.float32) for array in encode(texts)]
    widths = {array.shape[1:] for array in arrays}
    if len(arrays) != len(texts) or len(widths) != 1 or len(*widths) != 1:
        raise ValueError(
            f"The encoder gave arrays of shapes {sorted({array.shape for array in arrays})} for "
            f"{len(texts)} texts; expected one (tokens, dimensions) array per text."
        )
    check_finite(np.array([[array.sum(dtype=np.float64)] for array in arrays]), texts)
    return arrays


def pair_scores(score, pairs) -> np.ndarray:
    """What `score` makes of `pairs`, as float64 (n,); each distinct pair is scored once.

    Raises:
        ValueError: the answer is not one number per pair, or NaN; names the pair.
    """
    number = {pair: n for n, pair in enumerate(dict.fromkeys(pairs))}
    if not number:
        return np.zeros(0)
    found = np.asarray(score(list(number)), dtype=np.float64)
    if found.shape != (len(number),):
        raise ValueError(
            f"The model gave an array of shape {found.shape} for {len(number)} pairs; expected "
            f"({len(number)},), one number per pair: is it a classifier?"
        )
    check_finite(found[:, None], number, "The model", "pairs")
    return found[[number[pair] for pair in pairs]]
