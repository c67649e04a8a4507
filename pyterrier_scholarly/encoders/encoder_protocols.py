"""What an encoder is: protocols for texts, passages and tokens, and for the models behind them.

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

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from ..text.contexts import Paper

if TYPE_CHECKING:
    import torch
    from scipy.sparse import csr_array

Passage: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]
#: one row per text (n, d), dense or sparse
Embeddings: TypeAlias = "np.ndarray | csr_array"
#: how a model reads a text; a model without sides reads all texts as documents
Side: TypeAlias = Literal["query", "document"]

CacheKey = TypeVar("CacheKey", bound="str | tuple[str, ...]")
Loaded = TypeVar("Loaded", bound="LoadedModel")


# Encoders: what our steps call.


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


# Models: what our encoders call. A user's own model may lack all but the methods.


class TextModel(Protocol):
    """A model of sentence-transformers: `SentenceTransformer`, `SparseEncoder` and alike.

    A model with sides has `encode_query` and `encode_document`, too.
    """

    @property
    def encode(self) -> Callable[..., Any]:
        """The method that encodes texts."""


class TwoSidedModel(Protocol):
    """A `pyterrier_dr.BiEncoder`."""

    encode_queries: Callable[..., Any]
    encode_docs: Callable[..., Any]


class TokenModel(Protocol):
    """A `sentence_transformers.MultiVectorEncoder`."""

    encode_query: Callable[..., Any]
    encode_document: Callable[..., Any]


class PairModel(Protocol):
    """A `sentence_transformers.CrossEncoder`."""

    predict: Callable[..., Any]


class PairScorer(Protocol):
    """Any object that scores n pairs of texts as n numbers, such as `encoders.CrossEncoder`."""

    score: Callable[[list[Pair]], Any]


class Tokenizer(Protocol):
    """A tokenizer of transformers."""

    is_fast: bool
    model_max_length: int
    pad_token: str | None
    pad_token_id: int | None
    eos_token: str | None

    def __call__(self, texts: list[str], **settings: object) -> Mapping[str, Any]:
        """Return ``input_ids`` and what `settings` ask for, each a list with an item per text."""

    def num_special_tokens_to_add(self) -> int:
        """Return the number of special tokens in a text."""


class NetworkConfig(Protocol):
    """The configuration of a model of transformers."""

    hidden_size: int
    vocab_size: int
    is_causal: bool


class NetworkOutput(Protocol):
    """The result of a model of transformers."""

    last_hidden_state: "torch.Tensor"  # (texts, tokens, d)


class Network(Protocol):
    """A model of transformers, which computes a state for each token."""

    config: NetworkConfig
    device: "torch.device"
    forward: Callable[..., Any]

    def __call__(
        self, *, input_ids: "torch.Tensor", attention_mask: "torch.Tensor"
    ) -> NetworkOutput:
        """Compute the states of tokens; both arguments are (texts, tokens) integers."""

    def named_modules(self) -> Iterable[tuple[str, Any]]:
        """Return all layers, `torch.nn.Module`s of any kind, with their names."""

    def set_attn_implementation(self, name: str) -> None:
        """Choose the function that computes attention."""


class NetworkModule(Protocol):
    """The first module of a model of sentence-transformers, around a `Network`."""

    auto_model: Network
    modality_config: Mapping[str, Mapping[str, Any]]
    module_output_name: str

    def get_embedding_dimension(self) -> int:
        """Return d."""


class LoadedModel(Protocol):
    """A model of any class of sentence-transformers: a sequence of modules of PyTorch."""

    device: "torch.device"
    max_seq_length: int | None
    tokenizer: Tokenizer

    def __getitem__(self, number: int) -> Any:
        """Return a module."""

    def __iter__(self) -> "Iterator[Any]":
        """Iterate over the modules, in the order of computation."""

    def eval(self: Loaded) -> Loaded:
        """Switch to evaluation, without dropout."""

    def float(self: Loaded) -> Loaded:
        """Convert all weights to single precision."""

    def to(self: Loaded, device: str) -> Loaded:
        """Move all weights to a device."""

    def modules(self) -> Iterable[Any]:
        """Return all layers, `torch.nn.Module`s of any kind."""


# Caches, and arguments.


class ArrayCache(Hashable, Protocol):
    """What keeps arrays on disk: a `VectorCache`, or another object with its two methods."""

    def get_many(
        self, settings: Mapping[str, object], keys: Iterable[CacheKey]
    ) -> dict[CacheKey, np.ndarray]:
        """Return the arrays of those `keys` that were put under equal settings."""

    def put_many(
        self, settings: Mapping[str, object], arrays: Mapping[CacheKey, np.ndarray]
    ) -> None:
        """Keep arrays by key."""


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
