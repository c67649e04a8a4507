"""Encoders of tokens: one vector per token of a text, for late interaction."""

from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from ._batches import SIDES
from ._identity import plain
from .model_encoder import ModelEncoder

SHOWN = 80  # characters of a text that an error shows


@runtime_checkable
class TokenEncoder(Protocol):
    """Anything with these two methods, such as `MultiVector`.

    A text's array has a row for each token that counts, and none for padding: so padding cannot
    win a match, whatever its vectors are.
    """

    def encode_query_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n queries; t may differ between them."""

    def encode_document_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n documents, same d."""


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


def as_token_encoder(source, batch_size=32, verbose=False) -> TokenEncoder:
    """The encoder of tokens for what a user passes.

    Args:
        source: a MultiVectorEncoder or its name, or a `TokenEncoder`, which comes back as it is.
        batch_size, verbose: of a `MultiVector`.

    Raises:
        ValueError: nothing here knows what to do with `source`.
    """
    source = plain(source)
    if isinstance(source, TokenEncoder):
        return source
    kinds = {kind.__name__ for kind in type(source).__mro__}  # without importing PyTorch
    if isinstance(source, str) or "MultiVectorEncoder" in kinds:
        return MultiVector(source, batch_size=batch_size, verbose=verbose)
    raise ValueError(
        f"{source!r} gives no vectors of tokens: give a sentence_transformers.MultiVectorEncoder "
        "or its name, or an object with encode_query_tokens and encode_document_tokens."
    )


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
    for text, array in zip(texts, arrays):
        if not np.isfinite(array).all():
            raise ValueError(
                f"The encoder gave NaN or infinity, first for {text!r:.{SHOWN}}: is the model "
                "broken, or its precision too low?"
            )
    return arrays
