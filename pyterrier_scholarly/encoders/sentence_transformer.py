"""Models that make one vector of a text."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ._batches import SIDES, symmetric, token_counts
from ._loading import check_backend
from .model_encoder import ModelEncoder
from .protocol import vectors


@dataclass(eq=False, repr=False)
class TextEncoder(ModelEncoder):
    """Makes a row of each text; a model may treat queries and documents differently.

    A new encoder of texts is a subclass with one method: `asked`, what the model gives for a batch.

    Args:
        model, name, precision, device, max_length, revision, batch_tokens, memory, cache, verbose:
            see `ModelEncoder`.
    """

    query_prompt = document_prompt = None  # the model's own

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike (loads a named model)."""
        model = self._model() if isinstance(self.model, str) else self.model
        return symmetric(model, self.query_prompt, self.document_prompt)

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self._rows(texts, "query")

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self._rows(texts, "document")

    def stacked(self, arrays):
        """The rows of texts, one below the other."""
        return np.concatenate(arrays)

    def lengths(self, model, texts, side):
        """As of any encoder, with the side's prompt."""
        return token_counts(model, texts, side, self.prompt(side))

    def prompt(self, side):
        """What is put before a text; None for the model's own."""
        return self.query_prompt if side == "query" else self.document_prompt

    def asked(self, model, texts, side):
        """Vectors (n, d) of a batch of texts; here by the model's own method of that side."""
        encode = getattr(model, SIDES[side], model.encode)  # before version 5: `encode` alone
        prompt = self.prompt(side)
        more = {} if prompt is None else {"prompt": prompt}
        return encode(texts, batch_size=len(texts), show_progress_bar=False, **more)

    def encode_batch(self, model, texts, side):
        """Arrays (1, d), each by itself, so that what is forgotten is freed."""
        return [row[None].copy() for row in vectors(partial(self._of, model, side), texts)]

    def _of(self, model, side, texts):
        return self.asked(model, texts, side)

    def _rows(self, texts, side):
        found = self.arrays(texts, "document" if self.symmetric else side)
        return self.stacked([found[text] for text in texts])


@dataclass(eq=False, repr=False)
class SentenceTransformer(TextEncoder):
    """A model of sentence-transformers, or its name (a folder or a name on the Hugging Face hub).

    Vectors are those of the model's own `encode_query` and `encode_document`, up to rounding: with
    its modules, prompts and truncation. Share one among the steps of a pipeline: a text is then
    encoded once between them.

    Args:
        model: a SentenceTransformer, or its name; or any object with the method `encode`.
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        backend: ``"torch"``, ``"onnx"`` or ``"openvino"``, for a name.
        name, precision, device, max_length, revision, batch_tokens, memory, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; an unknown backend, or
            one that needs what is not installed.
    """

    batch_size: int = field(default=32, compare=False)
    backend: str = field(default="torch", kw_only=True)

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` is a name, or has the method `encode`."""
        return isinstance(source, str) or hasattr(source, "encode")

    @property
    def loading(self):
        """Another backend loads another file."""
        check_backend(self)
        return {} if self.backend == "torch" else {"backend": self.backend, "model_kwargs": {}}
