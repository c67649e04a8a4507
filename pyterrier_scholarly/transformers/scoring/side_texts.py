"""The distinct texts of queries and documents, each numbered and encoded once.

texts = TextsOfSides(encoder, shared_side="query")
texts.queries.add("graph kernels")    # 0
texts.documents.add("Graph kernels…")  # 0, or 1 if the encoder treats both sides alike
texts.encode(sparse=False).documents   # (u, d)
"""

from typing import NamedTuple

import numpy as np

from ...distinct import Distinct
from ...encoders import Encoder, vectors
from ...encoders.encoder_protocols import Side


class VectorsOfSides(NamedTuple):
    """The vectors (u, d) of each side's distinct texts, by their numbers; one array if shared."""

    queries: np.ndarray
    documents: np.ndarray


class TextsOfSides:
    """The distinct texts of both sides, which an encoder reads.

    A symmetric encoder treats both sides alike. Then both sides share their numbers and vectors.

    Args:
        encoder: of texts.
        shared_side: as which a symmetric encoder encodes the texts of both. Caches keep the sides
            apart, so another side would not find the old entries.

    Attributes:
        queries, documents: the numbers of each side's texts; one object if they are shared.
    """

    def __init__(self, encoder: Encoder, shared_side: Side) -> None:
        self._encoder = encoder
        self._shared_side = shared_side
        self._is_shared = getattr(encoder, "symmetric", False)

        self.queries = Distinct[str]()
        self.documents = self.queries if self._is_shared else Distinct[str]()

    def encode(self, sparse: bool) -> VectorsOfSides:
        """Encode each text once. sparse: whether sparse arrays are kept as the encoder returns."""
        if not self._is_shared:
            return VectorsOfSides(
                queries=vectors(self._encoder.encode_queries, self.queries.keys, sparse),
                documents=vectors(self._encoder.encode_documents, self.documents.keys, sparse),
            )

        if self._shared_side == "query":
            shared_vectors = vectors(self._encoder.encode_queries, self.queries.keys, sparse)
        else:
            shared_vectors = vectors(self._encoder.encode_documents, self.documents.keys, sparse)
        return VectorsOfSides(shared_vectors, shared_vectors)
