"""Models that compute one embedding of a text, dense or sparse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from ..arguments import Count
from ._batches import SIDES, Embeddings, Model, prompt_of
from .encoder_calls import vectors
from .model_encoder import ModelEncoder

#: backend -> what it needs besides sentence-transformers
BACKENDS = {"onnx": ("onnxruntime", "optimum"), "openvino": ("openvino", "optimum")}


@dataclass(eq=False, repr=False)
class TextEncoder(ModelEncoder):
    """Compute a row for each text; a model may treat queries and documents differently.

    A new encoder of texts is a subclass with one method, `asked`, which encodes a batch. For its
    arguments see `ModelEncoder`.
    """

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike (loads a model given by name)."""
        model = self._model() if isinstance(self.model, str) else self.model
        query, document = (prompt_of(model, side, self.prompt(side)) for side in SIDES)
        # A Router has other modules for queries than for documents; other modules truncate the two
        # at different lengths.
        return query == document and not any(
            type(module).__name__ == "Router"
            or len({getattr(module, f"{side}_length", None) for side in SIDES}) > 1
            for module in getattr(model, "_modules", {}).values()
        )

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings (n, d) by the model's query side."""
        return self.stacked(self.arrays(texts, "document" if self.symmetric else "query"))

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings (n, d) by the model's document side."""
        return self.stacked(self.arrays(texts, "document"))

    def stacked(self, arrays: list[np.ndarray]) -> Embeddings:
        """Join the rows of texts."""
        return np.concatenate(arrays)

    def asked(self, model: Model, texts: list[str], side: str) -> Any:
        """Encode a batch of texts as (n, d); here by the model's own method of that side."""
        encode = getattr(model, SIDES[side], model.encode)  # before version 5: `encode` alone
        more = {} if self.prompt(side) is None else {"prompt": self.prompt(side)}
        return encode(texts, batch_size=len(texts), show_progress_bar=False, **more)

    def encode_batch(self, model: Model, texts: list[str], side: str) -> list[np.ndarray]:
        """Encode a batch as arrays (1, d), copied so that a forgotten one's memory is freed."""
        rows = vectors(lambda own: self.asked(model, own, side), texts)
        return [row[None].copy() for row in rows]


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
        name, precision, device, max_length, revision, batch_tokens, memory, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; an unknown backend, or
            one whose packages are missing.
    """

    batch_size: Count = field(default=32, compare=False)
    backend: Literal["torch", "onnx", "openvino"] = field(default="torch", kw_only=True)

    @property
    def loading(self) -> Mapping[str, object]:
        """Arguments that load another backend's file."""
        backend = self.backend
        if backend == "torch":
            return {}
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
        needed = BACKENDS[backend]
        if not all(map(find_spec, needed)):
            raise ImportError(
                f"backend={backend!r} needs {' and '.join(needed)}: run "
                f'`pip install "sentence-transformers[{backend}]"`. If pip finds no compatible '
                "versions, use precision='int8', which needs ONNX Runtime without optimum."
            )
        return {"backend": backend, "model_kwargs": {}}


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
        name, precision, device, max_length, revision, memory, cache, verbose: see `ModelEncoder`;
            not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_tokens: Count | None = field(default=1_024, compare=False, kw_only=True)

    KIND, INT8 = "SparseEncoder", False

    def encode_batch(self, model: Model, texts: list[str], side: str) -> list[np.ndarray]:
        """Encode each text as pairs (1 + k, 2) of word and weight; first the number of words."""
        tensor = self.asked(model, texts, side).cpu().float().coalesce()
        rows, words = tensor.indices().numpy()
        pairs = np.stack([words.astype(np.float32), tensor.values().numpy()], axis=1)
        first = np.array([[tensor.shape[1], 0]], dtype=np.float32)
        own = np.split(pairs, np.searchsorted(rows, np.arange(1, len(texts))))
        return [np.concatenate([first, one]) for one in own]

    def stacked(self, arrays: list[np.ndarray]) -> Embeddings:
        """Join texts as a sparse array (n, words)."""
        from scipy.sparse import csr_array

        words, weights = np.concatenate([array[1:] for array in arrays]).T
        ends = np.cumsum([0, *(len(array) - 1 for array in arrays)])
        shape = len(arrays), int(arrays[0][0, 0])
        rows = csr_array((weights.copy(), words.astype(np.int32), ends), shape=shape)
        rows.eliminate_zeros()
        return rows
