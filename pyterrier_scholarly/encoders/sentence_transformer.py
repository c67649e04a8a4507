"""Models that compute one embedding of a text, dense or sparse.

    encoder = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")
    encoder.encode_queries(["a question"])  # (1, 384)

A kind of model is a subclass of `TextEncoder`. How models are loaded, texts formed into batches and
embeddings kept, is in its base, `ModelEncoder`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arguments import Count
from .encoder_calls import vectors
from .encoder_protocols import Embeddings, Side
from .model_encoder import ModelEncoder
from .model_protocols import TextModel
from .remembering_encoder import Part

#: backend -> what it needs besides sentence-transformers
BACKEND_PACKAGES = {"onnx": ("onnxruntime", "optimum"), "openvino": ("openvino", "optimum")}

QUERIES = Part("query", side="query")
DOCUMENTS = Part("document", side="document")


@dataclass(eq=False, repr=False)
class TextEncoder(ModelEncoder[TextModel, str]):
    """Compute a row for each text; a model may treat queries and documents differently.

    A new encoder of texts is a subclass with one method, `encode_texts`, which encodes a batch. For
    its arguments see `ModelEncoder`.
    """

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike (loads a model given by name)."""
        model: Any = self._get_model() if isinstance(self.model, str) else self.model
        if self._find_prompt(model, "query") != self._find_prompt(model, "document"):
            return False

        modules = getattr(model, "_modules", {}).values()
        return not any(_treats_sides_differently(module) for module in modules)

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings (n, d) by the model's query side."""
        # a text that is both query and document is then encoded once
        part = DOCUMENTS if self.symmetric else QUERIES
        return self._stack_rows(self.encode_once(texts, part))

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings (n, d) by the model's document side."""
        return self._stack_rows(self.encode_once(texts, DOCUMENTS))

    def encode_texts(self, model: TextModel, texts: list[str], side: Side) -> Any:
        """Encode a batch of texts as (n, d); here by the model's own method of that side.

        Called for each batch of new texts, maybe from several threads at once. A subclass may
        return any array or tensor of numbers.
        """
        method_name = f"encode_{side}"
        encode = getattr(model, method_name, model.encode)  # before version 5: `encode` alone

        settings: dict[str, object] = {"batch_size": len(texts), "show_progress_bar": False}
        chosen_prompt = self._chosen_prompt(side)
        if chosen_prompt is not None:
            settings["prompt"] = chosen_prompt
        return encode(texts, **settings)

    def encode_batch(self, model: TextModel, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode a batch as arrays (1, d) by `encode_texts`."""
        rows = vectors(lambda batch: self.encode_texts(model, batch, side), texts)
        # copied, because a view would keep the rows of the whole batch in memory
        return [row[None].copy() for row in rows]

    def _stack_rows(self, arrays: list[np.ndarray]) -> Embeddings:
        """Join the arrays of texts, one or more, as embeddings; called for each answer."""
        return np.concatenate(arrays)


def _treats_sides_differently(module: object) -> bool:
    """Return whether a module of a model depends on the side of a text."""
    if type(module).__name__ == "Router":  # it has other modules for queries than for documents
        return True
    # other modules may truncate queries and documents at different lengths
    return getattr(module, "query_length", None) != getattr(module, "document_length", None)


@dataclass(eq=False, repr=False)
class SentenceTransformer(TextEncoder):
    """A model of sentence-transformers, or its name (a folder or a name on the Hugging Face hub).

    Embeddings equal those of the model's own `encode_query` and `encode_document`, up to rounding:
    with its modules, prompts and truncation. Share one encoder among the steps of a pipeline, so
    that they encode a text once.

    Args:
        model: a SentenceTransformer, or its name; or any object with the method `encode`.
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        backend: ``"torch"``, ``"onnx"`` or ``"openvino"``, for a name.
        name, precision, device, max_length, revision, batch_tokens, memory, cache, room, verbose:
            see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; an unknown backend, or
            one whose packages are missing.
    """

    batch_size: Count = field(default=32, compare=False)
    backend: Literal["torch", "onnx", "openvino"] = field(default="torch", kw_only=True)

    def _check_loading(self) -> None:
        """Raise if the model, the precision or what is installed does not suit the backend."""
        backend = self.backend
        if backend == "torch":
            return

        if not isinstance(self.model, str):
            raise ValueError(
                f"backend={backend!r} is for loading: give the model's name; or load the model "
                "with that backend yourself, and pass no backend."
            )
        if self.precision != "fp32":
            raise ValueError(
                f"precision={self.precision!r} is for PyTorch. With backend={backend!r} the "
                "exported model has its own precision: pass precision='fp32'."
            )
        packages = BACKEND_PACKAGES[backend]
        if not all(find_spec(package) for package in packages):
            raise ImportError(
                f"backend={backend!r} needs {' and '.join(packages)}: run "
                f'`pip install "sentence-transformers[{backend}]"`. If pip finds no compatible '
                "versions, use precision='int8', which needs ONNX Runtime without optimum."
            )

    def _loading_arguments(self) -> Mapping[str, object]:
        """Return arguments that load another backend's file."""
        if self.backend == "torch":
            return {}
        return {"backend": self.backend, "model_kwargs": {}}


class SparseRow(NamedTuple):
    """The embedding of a text as its words of the vocabulary and their weights, both (k,).

    In memory and on disk it is an array of pairs (1 + k, 2) float32, as `VectorCache` keeps arrays:
    first the size of the vocabulary and a 0, then each word and its weight.
    """

    vocabulary_size: int
    words: np.ndarray
    weights: np.ndarray

    @classmethod
    def from_pairs(cls, pairs: np.ndarray) -> "SparseRow":
        """Read the form in memory and on disk."""
        words = pairs[1:, 0].astype(np.int32)  # exact up to 2^24, and vocabularies are smaller
        return cls(vocabulary_size=int(pairs[0, 0]), words=words, weights=pairs[1:, 1])

    def to_pairs(self) -> np.ndarray:
        """Return the form in memory and on disk."""
        pairs = np.zeros((1 + len(self.words), 2), dtype=np.float32)
        pairs[0, 0] = self.vocabulary_size
        pairs[1:, 0] = self.words
        pairs[1:, 1] = self.weights
        return pairs


@dataclass(eq=False, repr=False)
class SparseEncoder(TextEncoder):
    """A SparseEncoder of sentence-transformers, or its name: SPLADE, from a masked language model.

    Embeddings are scipy's sparse arrays (n, words of the vocabulary) of numbers from 0; SPLADE's
    are the maximum over the tokens of log(1 + relu(logit)) [Formal2021, eq. 6]. `TextSimilarity`
    and `SentenceMaxSim` accept them. SPLADE is trained for ``similarity="dot"``; DORIS-MAE ran it
    with ``"cosine"``.

    [Formal2021] T. Formal et al.: SPLADE v2, arXiv 2109.10086.

    Args:
        model: a name on the hub or a folder, or a SparseEncoder, which stays unchanged.
        batch_tokens: tokens of a batch, with padding; each needs a weight of every word in memory
            (for BERT's vocabulary 120 kB).
        name, precision, device, max_length, revision, memory, cache, room, verbose: see
            `ModelEncoder`; not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_tokens: Count | None = field(default=1_024, compare=False, kw_only=True)

    KIND = "SparseEncoder"
    INT8 = False

    def encode_batch(self, model: TextModel, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode each text as the pairs of a `SparseRow`."""
        tensor = self.encode_texts(model, texts, side).cpu().float().coalesce()
        vocabulary_size = tensor.shape[1]
        text_numbers, words = tensor.indices().numpy()  # sorted by text, then by word
        weights = tensor.values().numpy()

        # text_numbers ascend, so a binary search finds where each text's entries begin and end
        boundaries = np.searchsorted(text_numbers, np.arange(len(texts) + 1))
        arrays = []
        for start, end in pairwise(boundaries):
            row = SparseRow(vocabulary_size, words[start:end], weights[start:end])
            arrays.append(row.to_pairs())
        return arrays

    def _stack_rows(self, arrays: list[np.ndarray]) -> Embeddings:
        """Join texts as a sparse array (n, words of the vocabulary)."""
        from scipy.sparse import csr_array

        rows = [SparseRow.from_pairs(pairs) for pairs in arrays]
        words = np.concatenate([row.words for row in rows])
        weights = np.concatenate([row.weights for row in rows])
        # scipy's form: row n has the entries from ends[n] to ends[n + 1]
        ends = np.cumsum([0, *(len(row.words) for row in rows)])

        shape = (len(rows), rows[0].vocabulary_size)
        embeddings = csr_array((weights, words, ends), shape=shape)
        embeddings.eliminate_zeros()
        return embeddings
