"""What an encoder is: protocols for texts, passages and tokens, and for the models behind them.

The smallest encoder of texts is a function, or a class with one method::

    class Length:
        symmetric = True

        def encode_documents(self, texts: list[str]) -> np.ndarray:
            return np.array([[len(text), 1.0] for text in texts])

        encode_queries = encode_documents

To encode by a model of sentence-transformers, subclass `TextEncoder` and write its method `asked`.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

Passage: TypeAlias = tuple[str, ...]


@runtime_checkable
class Encoder(Protocol):
    """Any object with these two methods, which may be one and the same.

    Callers check what they return (`vectors`), and never pass zero texts. An array may have any
    float type, and may be a scipy sparse array. If an attribute `symmetric` is true, both methods
    compute the same, and a text that is both query and document is encoded once.
    """

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return the embeddings (n, d) of n texts on the query side."""

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        """Return the embeddings (n, d) of n texts on the document side, same d."""


@runtime_checkable
class PassageEncoder(Protocol):
    """Any object with this method, such as `Contextual`."""

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return a (1 + k, d) float32 array for each passage of k texts; callers only read it."""


@runtime_checkable
class TokenEncoder(Protocol):
    """Any object with these two methods, such as `MultiVector`.

    A text's array has one row for each token that counts, and no row for padding. So padding cannot
    win a match, whatever its embedding.
    """

    def encode_query_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """Return a (t, d) array for each of n queries; t may differ between them."""

    def encode_document_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """Return a (t, d) array for each of n documents, same d."""


class TextModel(Protocol):
    """A model of sentence-transformers: `SentenceTransformer`, `SparseEncoder` and alike."""

    encode: Callable[..., Any]


class TwoSidedModel(Protocol):
    """A `pyterrier_dr.BiEncoder`."""

    encode_queries: Callable[..., Any]
    encode_docs: Callable[..., Any]


#: what `as_encoder`, `as_passage_encoder` and `as_token_encoder` make an encoder of: an encoder, a
#: model, its name or folder, or a function from a list of n texts to an (n, d) array
EncoderLike: TypeAlias = (
    str
    | Encoder
    | PassageEncoder
    | TokenEncoder
    | TextModel
    | TwoSidedModel
    | Callable[[list[str]], Any]
)
