"""What our encoders need of the models behind them, of any class: protocols without code.

From outside to inside: a `TextModel` (or a model of tokens, of pairs, with two sides) is what a
user passes. A `LoadedModel` is one that we have loaded, a sequence of modules. Its first module is
a `NetworkModule`; the `Network` in it computes. A model may lack what its encoder never calls.

Conventions: n texts, d dimensions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import torch

Loaded = TypeVar("Loaded", bound="LoadedModel")


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


class LoadedModel(Protocol):
    """A model of any class of sentence-transformers: a sequence of modules of PyTorch."""

    device: "torch.device"
    max_seq_length: int | None
    tokenizer: "Tokenizer"

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


class NetworkModule(Protocol):
    """The first module of a model of sentence-transformers, around a `Network`."""

    auto_model: "Network"
    modality_config: Mapping[str, Mapping[str, Any]]
    module_output_name: str

    def get_embedding_dimension(self) -> int:
        """Return d."""


class Network(Protocol):
    """A model of transformers, which computes a state for each token."""

    config: "NetworkConfig"
    device: "torch.device"
    forward: Callable[..., Any]

    def __call__(
        self, *, input_ids: "torch.Tensor", attention_mask: "torch.Tensor"
    ) -> "NetworkOutput":
        """Compute the states of tokens; both arguments are (texts, tokens) integers."""

    def named_modules(self) -> Iterable[tuple[str, Any]]:
        """Return all layers, `torch.nn.Module`s of any kind, with their names."""

    def set_attn_implementation(self, name: str) -> None:
        """Choose the function that computes attention."""


class NetworkConfig(Protocol):
    """The configuration of a model of transformers."""

    hidden_size: int
    vocab_size: int
    is_causal: bool


class NetworkOutput(Protocol):
    """The result of a model of transformers."""

    last_hidden_state: "torch.Tensor"  # (texts, tokens, d)
