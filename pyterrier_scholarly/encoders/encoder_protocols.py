"""What an encoder is: any object with one or two methods, which our steps call.

There is a protocol for each kind of work: texts (`Encoder`), passages (`PassageEncoder`, and
`SentenceEncoder`, which adds to it), tokens (`TokenEncoder`), and pairs of texts (`PairScorer`).

The smallest encoder of texts is a function, or a class with one method::

    class Length:
        symmetric = True

        def encode_documents(self, texts: list[str]) -> np.ndarray:
            return np.array([[len(text), 1.0] for text in texts])

        encode_queries = encode_documents

To encode by a model of sentence-transformers, subclass `TextEncoder` and write `encode_texts`.

Conventions: n texts, d dimensions, t tokens. A passage is a tuple of k texts; its array is
(1 + k, d): the whole in row 0, then its texts.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ..text.contexts import Paper
from .model_protocols import PairModel, TextModel, TwoSidedModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Passage: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]
#: one row per text (n, d), dense or sparse
Embeddings: TypeAlias = "np.ndarray | csr_array"
#: how a model reads a text; a model without sides reads all texts as documents
Side: TypeAlias = Literal["query", "document"]


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
class SentenceEncoder(PassageEncoder, Protocol):
    """An encoder of passages that also knows contexts, so that it can keep arrays by paper.

    `sentence_vectors` calls the second method instead of the first one, if there is one.
    """

    def encode_sentences(self, papers: Sequence[Paper], context: str) -> Sequence[np.ndarray]:
        """Return an (s, d) array for each paper of s sentences, one or more; not scaled."""


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


class PairScorer(Protocol):
    """Any object that scores n pairs of texts as n numbers, such as `encoders.CrossEncoder`."""

    score: Callable[[list[Pair]], Any]


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
#: what `as_pair_scorer` makes a function of: a CrossEncoder of sentence-transformers, its name or
#: folder, an object with the method `score`, or a function from a list of n pairs to n numbers
PairScorerLike: TypeAlias = str | PairModel | PairScorer | Callable[[list[Pair]], Any]
