"""What an encoder is: any object with one method, which our steps call.

There is a protocol for each kind of work: texts (`Encoder`), passages (`PassageEncoder`), tokens
(`TokenEncoder`), and pairs of texts (`PairScorer`). The smallest encoder of texts is a function, or
a class with one method::

    class Length:
        def encode(self, texts: list[str], side: str) -> np.ndarray:
            return np.array([[len(text), 1.0] for text in texts])

To encode by a model of sentence-transformers, subclass `TextEncoder` and write `encode_texts`.

Conventions: n texts, d dimensions, t tokens. A side is "query" or "document". A passage is a tuple
of k texts; its array is (1 + k, d): the whole in row 0, then its texts.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ..paper import Paper, Passage

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pair: TypeAlias = tuple[str, str]
#: one row per text (n, d), dense or sparse
Embeddings: TypeAlias = "np.ndarray | csr_array"
#: how a model reads a text; a model without sides reads all texts alike
Side: TypeAlias = Literal["query", "document"]


class Encoder(Protocol):
    """Any object with this method, such as `SentenceTransformer` and `LSA`.

    Callers check what it returns (`vectors`), and never pass zero texts. An array may have any
    float type, and may be a scipy sparse array.
    """

    def encode(self, texts: list[str], side: Side) -> Embeddings:
        """Return the embeddings (n, d) of n texts; d is the same for both sides."""


@runtime_checkable
class PassageEncoder(Protocol):
    """Any object with this method, such as `Contextual`.

    If it also has a method ``encode_papers(papers, context)``, `sentence_vectors` calls that one:
    see `PaperEncoder`.
    """

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return a (1 + k, d) float32 array for each passage of k texts; callers only read it."""


@runtime_checkable
class PaperEncoder(PassageEncoder, Protocol):
    """An encoder of passages that also knows contexts, so that it can keep arrays by paper."""

    def encode_papers(self, papers: Sequence[Paper], context: str) -> Sequence[np.ndarray]:
        """Return an (s, d) array for each paper of s sentences, one or more; not scaled."""


@runtime_checkable
class TokenEncoder(Protocol):
    """Any object with this method, such as `MultiVector`.

    A text's array has one row for each token that counts, and no row for padding. So padding cannot
    win a match, whatever its embedding.
    """

    def encode_tokens(self, texts: list[str], side: Side) -> list[np.ndarray]:
        """Return a (t, d) array for each of n texts; t may differ between them."""


class PairScorer(Protocol):
    """Any object that scores n pairs of texts as n numbers, such as `encoders.CrossEncoder`."""

    score: Callable[[list[Pair]], Any]


class TextModel(Protocol):
    """A model with a method `encode` for texts, such as those of sentence-transformers."""

    encode: Callable[..., Any]


class TwoSidedModel(Protocol):
    """A `pyterrier_dr.BiEncoder`."""

    encode_queries: Callable[..., Any]
    encode_docs: Callable[..., Any]


class PairModel(Protocol):
    """A `sentence_transformers.CrossEncoder`."""

    predict: Callable[..., Any]


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
