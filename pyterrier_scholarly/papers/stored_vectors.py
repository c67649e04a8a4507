"""Embeddings of a library's sentences, read from disk instead of encoded.

    encoder = StoredVectors(vectors, sentence_ends, row_of_key, other_encoder)
    (rows,) = encoder.encode_sentences([paper], "title")  # encodes only papers that are not stored

Conventions: N papers have S sentences, each read after its paper's title. `vectors` (S, d) has one
row for each, one paper after the other, and `sentence_ends` (N + 1,) where each paper's rows end,
0 first. A paper is known by the hash of its title and sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from json import dumps

import numpy as np

from ..encoders import PassageEncoder, sentence_vectors
from ..text.contexts import Paper

STORED_CONTEXT = "title"  # in which `one_encoding` reads sentences
MOST_RECENT_QUERIES = 64  # whose embeddings stay in memory


def hash_paper(title: str, sentences: Sequence[str]) -> bytes:
    """Return a hash of all that the embeddings of a paper's sentences depend on."""
    content = dumps([title, *sentences]).encode()
    return blake2b(content, digest_size=16).digest()


class StoredVectors:
    """An encoder of sentences that reads those of a library, and encodes those of other papers.

    Attributes:
        encoded_papers: how many papers were encoded since the library was opened.
    """

    def __init__(
        self,
        vectors: np.ndarray,
        sentence_ends: np.ndarray,
        row_of_key: Mapping[bytes, int],
        load_encoder: Callable[[], PassageEncoder],
    ) -> None:
        self._vectors = vectors
        self._sentence_ends = sentence_ends
        self._row_of_key = row_of_key
        self._load_encoder = load_encoder
        self._recent_queries: dict[bytes, np.ndarray] = {}  # the oldest first
        self.encoded_papers = 0

    @property
    def dimensions(self) -> int:
        """D of the embeddings."""
        return self._vectors.shape[1]

    def encode_passages(self, passages: list[tuple[str, ...]]) -> list[np.ndarray]:
        """Encode whole passages, which are not stored; see `PassageEncoder`."""
        return list(self._load_encoder().encode_passages(passages))

    def encode_sentences(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Return an (s, d) array for each paper of s sentences; see `SentenceEncoder`."""
        if context != STORED_CONTEXT:
            return sentence_vectors(self._load_encoder(), papers, context, scaled=False)

        keys = [hash_paper(paper.title, paper.sentences) for paper in papers]
        is_stored = [key in self._row_of_key or key in self._recent_queries for key in keys]
        missing = {key: paper for key, paper, stored in zip(keys, papers, is_stored) if not stored}
        if missing:
            self._encode(missing)
        return [self._read_rows(key) for key in keys]

    def _encode(self, paper_of_key: Mapping[bytes, Paper]) -> None:
        """Encode papers that are not stored, such as a text that asks, and remember the last."""
        papers = list(paper_of_key.values())
        arrays = sentence_vectors(self._load_encoder(), papers, STORED_CONTEXT, scaled=False)
        self.encoded_papers += len(papers)

        while len(self._recent_queries) > MOST_RECENT_QUERIES:
            oldest = next(iter(self._recent_queries))
            del self._recent_queries[oldest]
        self._recent_queries.update(zip(paper_of_key, arrays))

    def _read_rows(self, key: bytes) -> np.ndarray:
        """Return the rows of a stored or recent paper."""
        if key in self._recent_queries:
            return self._recent_queries[key]
        row = self._row_of_key[key]
        first, end = self._sentence_ends[row : row + 2]
        return np.asarray(self._vectors[first:end])

    def __repr__(self) -> str:
        return f"<stored vectors of {len(self._sentence_ends) - 1:,} papers>"
