"""What an encoder is: of texts, passages or tokens; functions and other libraries' as encoders."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import pyterrier as pt

from ..settings import BySettings
from .answers import vectors


@runtime_checkable
class Encoder(Protocol):
    """Anything with these two methods; n = 0 never reaches them through `vectors`.

    An attribute `symmetric`, where true, says that both give the same vectors, so that a text that
    is both query and document is encoded once.
    """

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Vectors (n, d) of n texts on the query side."""

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        """Vectors (n, d) of n texts on the document side, same d."""


@runtime_checkable
class PassageEncoder(Protocol):
    """Anything with this method, such as `Contextual`."""

    def encode_passages(self, passages: list[tuple]) -> list[np.ndarray]:
        """A (1 + k, d) float32 array for each passage of k texts; they are not written to."""


@runtime_checkable
class TokenEncoder(Protocol):
    """Anything with these two methods, such as `MultiVector`.

    A text's array has a row for each token that counts, and none for padding: so padding cannot
    win a match, whatever its vectors are.
    """

    def encode_query_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n queries; t may differ between them."""

    def encode_document_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n documents, same d."""


@dataclass(eq=False, repr=False)
class Function(BySettings):
    """A function from a list of n texts to an (n, d) array, for both sides.

    It is called with at most `batch_size` texts at a time.
    """

    function: Callable
    batch_size: int = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = True

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

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self.model.encode_queries(self._shown(texts), batch_size=self.batch_size)

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self.model.encode_docs(self._shown(texts), batch_size=self.batch_size)

    def _shown(self, texts):
        # pyterrier_dr's models show progress when their texts come inside a tqdm
        return pt.tqdm(texts, desc="encoding", unit="text") if self.verbose else texts


@dataclass(eq=False, repr=False)
class Isolated(BySettings):
    """Any `Encoder` as an encoder of passages that hears no context: every text by itself.

    Each distinct text of a call is encoded once; all on the documents' side, for a query by example
    is a paper too.
    """

    encoder: object

    @property
    def cache(self):
        """That of the encoder, if it has one."""
        return getattr(self.encoder, "cache", None)

    def encode_passages(self, passages):
        """As `PassageEncoder`; the whole is the vector of the parts joined by blanks."""
        texts = [(" ".join(filter(None, passage)), *passage) for passage in passages]
        number = {text: n for n, text in enumerate(dict.fromkeys(t for own in texts for t in own))}
        rows = vectors(self.encoder.encode_documents, number)
        return [rows[[number[text] for text in own]] for own in texts]
