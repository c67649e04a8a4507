"""Functions, and bi-encoders of pyterrier_dr, as encoders."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyterrier as pt

from ..settings import BySettings
from .protocol import vectors


@dataclass(eq=False, repr=False)
class Function(BySettings):
    """A function from a list of n texts to an (n, d) array, for both sides.

    It is called with at most `batch_size` texts at a time.
    """

    function: Callable
    batch_size: int = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = True

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` can be called."""
        return callable(source)

    def encode_queries(self, texts):
        """Vectors (n, d)."""
        starts = range(0, len(texts), self.batch_size)
        if self.verbose:
            starts = pt.tqdm(starts, desc="encoding", unit="batch")
        batches = (texts[start : start + self.batch_size] for start in starts)
        return np.concatenate([vectors(self.function, batch) for batch in batches])

    encode_documents = encode_queries


@dataclass(eq=False, repr=False)
class BiEncoder(BySettings):
    """A `pyterrier_dr.BiEncoder`: queries and documents may be encoded differently."""

    model: object
    batch_size: int = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = False

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` has the two methods of pyterrier_dr's bi-encoders."""
        return hasattr(source, "encode_queries") and hasattr(source, "encode_docs")

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self.model.encode_queries(self._shown(texts), batch_size=self.batch_size)

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self.model.encode_docs(self._shown(texts), batch_size=self.batch_size)

    def _shown(self, texts):
        # pyterrier_dr's models show progress when their texts come inside a tqdm
        return pt.tqdm(texts, desc="encoding", unit="text") if self.verbose else texts
