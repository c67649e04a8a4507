"""Functions, bi-encoders and encoders of texts in the form of our protocols (`as_encoder`)."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from more_itertools import chunked

from ..arguments import Count
from ..progress import counted, progress
from ..settings import BySettings
from ._batches import Model
from .encoder_calls import vectors
from .encoder_protocols import Encoder, Passage


@dataclass(eq=False, repr=False)
class Function(BySettings):
    """A function from a list of n texts to an (n, d) array, as an encoder of both sides.

    It is called with at most `batch_size` texts at a time.
    """

    function: Callable
    batch_size: Count = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = True

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return embeddings (n, d)."""
        batches = list(chunked(texts, self.batch_size))
        shown = counted(batches, "encoding", "batch", verbose=self.verbose)
        return np.concatenate([vectors(self.function, batch) for batch in shown])

    encode_documents = encode_queries


@dataclass(eq=False, repr=False)
class BiEncoder(BySettings):
    """A `pyterrier_dr.BiEncoder`, which may encode queries and documents differently."""

    model: Model
    batch_size: Count = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = False

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return embeddings (n, d) by the model's query side."""
        with progress("encoding", verbose=self.verbose):
            return self.model.encode_queries(texts, batch_size=self.batch_size)

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        """Return embeddings (n, d) by the model's document side."""
        with progress("encoding", verbose=self.verbose):
            return self.model.encode_docs(texts, batch_size=self.batch_size)


@dataclass(eq=False, repr=False)
class Isolated(BySettings):
    """Any `Encoder` as an encoder of passages without context: each text by itself.

    Each distinct text of a call is encoded once, on the document side: a query by example is a
    paper too.
    """

    encoder: Encoder

    @property
    def cache(self) -> object:
        """The encoder's cache, if it has one."""
        return getattr(self.encoder, "cache", None)

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Encode each part, and the whole as the parts joined by blanks; see `PassageEncoder`."""
        texts = [(" ".join(filter(None, passage)), *passage) for passage in passages]
        number = {text: n for n, text in enumerate(dict.fromkeys(t for own in texts for t in own))}
        rows = vectors(self.encoder.encode_documents, number)
        return [rows[[number[text] for text in own]] for own in texts]
