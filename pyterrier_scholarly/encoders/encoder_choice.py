"""Find the encoder for an argument: what `encoder=` accepts, beside encoders.

For example::

    as_encoder("sentence-transformers/all-MiniLM-L6-v2")  # a SentenceTransformer
    as_encoder(lambda texts: np.ones((len(texts), 1)))  # a Function
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from inspect import signature
from itertools import chain
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from more_itertools import chunked
from numpy.typing import ArrayLike

from ..arguments import Count, Name
from ..paper import Paper, Passage
from ..settings import BySettings
from ..similarity.vectors import to_dense
from .cache import KeyArrays, RememberingEncoder
from .contextual import Contextual
from .encoder_protocols import (
    Encoder,
    EncoderLike,
    Pair,
    PassageEncoder,
    Side,
    TokenEncoder,
    read_array,
    vectors,
)
from .model_encoder import ModelEncoder
from .models import CrossEncoder, MultiVector, SentenceTransformer, SparseEncoder

MODEL_NAMES = (str, os.PathLike)  # types of a name or a folder
#: settings of `SentenceTransformer` that `Contextual` lacks: if one is set, no context is read
SETTINGS_WITHOUT_CONTEXT = (
    "query_prompt",
    "document_prompt",
    "pooling",
    "prompt_pooled",
    "bidirectional",
    "adapter",
    "backend",
)
#: encoders that were made for arguments and are still used
_shared_encoders: WeakSet[Any] = WeakSet()
OwnEncoder = TypeVar("OwnEncoder", bound=ModelEncoder[Any])


def is_lsa(encoder: EncoderLike | None) -> bool:
    """Return whether an argument is the word "lsa", which stands for `LSA` of the papers beside it.

    Whoever takes an encoder and papers makes that `LSA`: `systems` of the dataset, `Papers` and
    `search_papers` of the user's own. A folder of this name is passed as ``"./lsa"``.
    """
    return isinstance(encoder, str) and encoder == "lsa"


def as_encoder(source: EncoderLike, batch_size: int = 32, verbose: bool = False) -> Encoder:
    """Return the encoder for an argument; ValueError for anything but these.

    Args:
        source: a sentence-transformers model (also a SparseEncoder), its name or folder; a
            pyterrier_dr bi-encoder; a function from a list of n texts to an (n, d) array; or an
            `Encoder`, which is returned unchanged.
        batch_size: texts per call of a function or a bi-encoder.
        verbose: show progress.
    """
    model: Any = source  # of any kind until its kind is known
    if _is_encoder(model):
        return model

    if type(model).__name__ == "SparseEncoder":  # sentence-transformers'
        return SparseEncoder(model, verbose=verbose)
    if _is_model(model):
        return _share(SentenceTransformer(model, verbose=verbose))
    if hasattr(model, "encode_queries") and hasattr(model, "encode_docs"):
        return BiEncoder(model, batch_size, verbose=verbose)
    if callable(model):  # last, because nearly all models are callable
        return Function(model, batch_size, verbose=verbose)

    raise ValueError(
        f"{model!r} is no encoder. Pass a sentence-transformers model or its name, a pyterrier_dr "
        "bi-encoder, a function from a list of texts to an array, or an object with the method "
        "encode(texts, side)."
    )


def _is_encoder(model: Any) -> bool:
    """Return whether a model is an `Encoder`: the methods `encode` of libraries have no side."""
    encode = getattr(model, "encode", None)
    return callable(encode) and "side" in signature(encode).parameters


def _is_model(model: Any) -> bool:
    """Return whether a model is one of sentence-transformers, or its name."""
    if isinstance(model, MODEL_NAMES):  # a string has a method `encode`, too
        return True
    return callable(getattr(model, "encode", None)) and not _is_encoder(model)


def _share(encoder: OwnEncoder) -> OwnEncoder:
    """Return the equal encoder that a step uses, if there is one, else this one.

    So two steps with one model's name load it once, and encode a text once.
    """
    for shared_encoder in list(_shared_encoders):  # other threads may add some
        # equality leaves progress out, but a step that shows it needs an encoder that does
        if shared_encoder == encoder and shared_encoder.verbose == encoder.verbose:
            return shared_encoder
    _shared_encoders.add(encoder)
    return encoder


def as_passage_encoder(source: EncoderLike) -> PassageEncoder:
    """Return what a user passed as an encoder of passages, wrapped if necessary.

    Args:
        source: a `PassageEncoder`, which is returned unchanged. A model of sentence-transformers
            (also a SparseEncoder), its name, or a `SentenceTransformer` of ours becomes a
            `Contextual` of the same settings. Another `Encoder`, or a function from texts to an
            array, becomes an `Isolated`, which reads no context. So does a `SentenceTransformer`
            with a setting that `Contextual` lacks, such as a pooling: there, a sentence's vector
            is a mean.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(source, PassageEncoder):
        return source
    if _is_model(source):
        return _share(Contextual(source))

    encoder = as_encoder(source)
    if type(encoder) is not SentenceTransformer:  # a subclass encodes in a way of its own
        return Isolated(encoder)
    if encoder.list_changed(SETTINGS_WITHOUT_CONTEXT):
        return Isolated(encoder)

    # `held` makes it once, because a step asks for it at each call. It is not shared with equal
    # encoders, which may have another cache and memory.
    names = [setting.name for setting in fields(Contextual) if setting.init]
    settings = {name: getattr(encoder, name) for name in names}
    return encoder.held("in context", lambda: Contextual(**settings), settings)


def as_token_encoder(source: EncoderLike, verbose: bool = False) -> TokenEncoder:
    """Return the encoder of tokens for an argument; ValueError for anything but these.

    Args:
        source: a MultiVectorEncoder or its name, or a `TokenEncoder`, which is returned unchanged.
        verbose: show progress.
    """
    if isinstance(source, TokenEncoder):
        return source
    class_names = {kind.__name__ for kind in type(source).__mro__}  # without importing PyTorch
    if isinstance(source, MODEL_NAMES) or "MultiVectorEncoder" in class_names:
        return _share(MultiVector(source, verbose=verbose))
    raise ValueError(
        f"{source!r} is no encoder of tokens. Pass a sentence_transformers.MultiVectorEncoder or "
        "its name, or an object with the method encode_tokens(texts, side)."
    )


def as_pair_scorer(source: Any, verbose: bool = False) -> Callable[[list[Pair]], ArrayLike]:
    """Return a function from n pairs of texts to numbers (n,); ValueError for anything but these.

    Args:
        source: a sentence-transformers CrossEncoder or its name, an object with the method `score`,
            such as `CrossEncoder`, or a function from a list of pairs to numbers.
        verbose: show progress, if the model can.
    """
    if isinstance(source, MODEL_NAMES) or hasattr(source, "predict"):
        return _share(CrossEncoder(source, verbose=verbose)).score
    if hasattr(source, "score"):
        return source.score
    if callable(source):
        return source

    raise ValueError(
        f"{source!r} scores no pairs. Pass a sentence-transformers CrossEncoder or its name, a "
        "function from a list of pairs of texts to numbers, or an object with the method score."
    )


@dataclass(eq=False, repr=False)
class Function(RememberingEncoder[str]):
    """A function from a list of n texts to an (n, d) array, or an `Encoder`, under a name.

    It is called with at most `batch_size` texts at a time, and may change at any time. So nothing
    is kept from one call to the next, unless it has a name.

    Args:
        function: the function, which reads both sides alike, or an `Encoder`.
        batch_size: texts per call.
        name: by which its embeddings are kept and found again. No other function may have it, and
            you change it whenever the function changes. None keeps nothing.
        memory: bytes of embeddings, and of their texts, kept for later calls.
        cache: keep embeddings on disk for later runs: True for the default folder, a folder, or a
            `VectorCache`.
        verbose: show progress.
    """

    function: Any
    batch_size: Count = 32
    _: KW_ONLY
    name: Name | None = None

    def encode(self, texts: list[str], side: Side) -> np.ndarray:
        """Return embeddings (n, d)."""
        return np.concatenate(self.encode_once(texts, side, self._encode))

    def _encode(self, texts: list[str], side: str) -> KeyArrays[str]:
        """Yield each text with its embedding (1, d)."""
        for batch in chunked(texts, self.batch_size):
            returned = self._call(batch, side)
            rows = read_array(returned, self.function, (len(batch), "dimensions"))
            yield from zip(batch, to_dense(rows)[:, None])

    def _call(self, texts: list[str], side: str) -> object:
        """Return the answer for a batch of texts."""
        if _is_encoder(self.function):
            return self.function.encode(texts, side)
        return self.function(texts)

    @property
    def is_identified(self) -> bool:
        """Whether arrays may be kept for later calls: only if the function has a name."""
        return self.name is not None

    def __fingerprint__(self) -> dict[str, object]:
        """Return the name, which stands for the function; without one, the function itself."""
        return {"name": self.name} if self.name else {"function": self.function}


@dataclass(eq=False, repr=False)
class BiEncoder(Function):
    """A `pyterrier_dr.BiEncoder`, which may encode queries and documents differently.

    For its arguments see `Function`.
    """

    def _call(self, texts: list[str], side: str) -> object:
        model = self.function
        encode = model.encode_queries if side == "query" else model.encode_docs
        return encode(texts, batch_size=self.batch_size)


@dataclass(eq=False, repr=False)
class Isolated(BySettings):
    """Any `Encoder` as an encoder of passages without context: each text by itself.

    Each distinct text of a call is encoded once, on the document side: a query by example is a
    paper too.
    """

    encoder: Encoder

    @property
    def cache(self) -> object:
        """The encoder's cache, if it has one; recipes keep other things there, too."""
        return getattr(self.encoder, "cache", None)

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Encode each part, and the whole as the parts joined by blanks; see `PassageEncoder`."""
        return self._encode([(" ".join(filter(None, passage)), *passage) for passage in passages])

    def encode_papers(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Encode each sentence by itself, whatever the context; see `PaperEncoder`."""
        return self._encode([paper.sentences for paper in papers])

    def _encode(self, groups: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Return an (n, d) array for each group of n texts, one or more."""
        distinct_texts = list(dict.fromkeys(chain.from_iterable(groups)))
        row_of_text = dict(zip(distinct_texts, vectors(self.encoder, distinct_texts)))
        return [np.array([row_of_text[text] for text in texts]) for texts in groups]
