"""Functions, bi-encoders and encoders of texts in the form of our protocols.

    encoder = Function(lambda texts: np.array([[len(text)] for text in texts]))
    encoder.encode_queries(["a text"])  # [[6]]

`as_encoder` and its siblings choose among them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from more_itertools import chunked

from ..arguments import Count
from ..distinct import Distinct
from ..progress import counted, progress
from ..settings import BySettings
from .encoder_calls import vectors
from .encoder_protocols import Encoder, Passage
from .model_protocols import TwoSidedModel


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
        rows_of_batches = []
        for batch in counted(batches, "encoding", "batch", verbose=self.verbose):
            rows_of_batches.append(vectors(self.function, batch))
        return np.concatenate(rows_of_batches)

    encode_documents = encode_queries


@dataclass(eq=False, repr=False)
class BiEncoder(BySettings):
    """A `pyterrier_dr.BiEncoder`, which may encode queries and documents differently."""

    model: TwoSidedModel
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
        distinct_texts = Distinct[str]()
        numbers_of_passages = []
        for passage in passages:
            whole_text = " ".join(filter(None, passage))
            text_numbers = distinct_texts.add_all([whole_text, *passage])
            numbers_of_passages.append(text_numbers)

        rows = vectors(self.encoder.encode_documents, distinct_texts.keys)
        return [rows[text_numbers] for text_numbers in numbers_of_passages]
