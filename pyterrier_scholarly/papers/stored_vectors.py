"""Embeddings of a library's sentences, read from disk instead of encoded.

    encoder = StoredVectors(vectors, sentence_ends, number_of_key, other_encoder)
    (rows,) = encoder.encode_papers([paper], "title")  # encodes only papers that are not stored

Conventions: N papers have S sentences, each read after its paper's title. `vectors` (S, d) has one
row for each, one paper after the other, and `sentence_ends` (N + 1,) where each paper's rows end,
0 first. A paper is known by the hash of its title and sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from json import dumps

import numpy as np

from ..encoders import PassageEncoder, sentence_vectors
from ..paper import Paper

STORED_CONTEXT = "title"  # in which `one_encoding` reads sentences
MOST_RECENT_QUERIES = 64  # whose embeddings stay in memory


def hash_paper(title: str, sentences: Sequence[str]) -> bytes:
    """Return a hash of all that the embeddings of a paper's sentences depend on."""
    content = dumps([title, *sentences]).encode()
    return blake2b(content, digest_size=16).digest()


class StoredVectors:
    """An encoder of sentences that reads those of a library, and encodes those of other papers.

    Args:
        vectors, sentence_ends: see above.
        number_of_key: dict from a paper's hash to its number in the library, from 0.
        load_encoder: returns what encodes other papers, such as a text that asks.

    Attributes:
        encoded_papers: how many papers were encoded since the library was opened.
    """

    def __init__(
        self,
        vectors: np.ndarray,
        sentence_ends: np.ndarray,
        number_of_key: Mapping[bytes, int],
        load_encoder: Callable[[], PassageEncoder],
    ) -> None:
        self._vectors = vectors
        self._sentence_ends = sentence_ends
        self._number_of_key = number_of_key
        self._load_encoder = load_encoder
        self._recent_queries: dict[bytes, np.ndarray] = {}  # by `hash_paper`, the oldest first
        self.encoded_papers = 0

    @property
    def dimensions(self) -> int:
        """D of the embeddings."""
        return self._vectors.shape[1]

    def encode_passages(self, passages: list[tuple[str, ...]]) -> list[np.ndarray]:
        """Encode whole passages, which are not stored; see `PassageEncoder`."""
        return list(self._load_encoder().encode_passages(passages))

    def encode_papers(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Return an (s, d) array for each paper of s sentences; see `PaperEncoder`."""
        if context != STORED_CONTEXT:
            return sentence_vectors(self._load_encoder(), papers, context, scaled=False)

        keys = [hash_paper(paper.title, paper.sentences) for paper in papers]
        vectors_of_key: dict[bytes, np.ndarray] = {}
        unknown_papers: dict[bytes, Paper] = {}
        for key, paper in zip(keys, papers):
            if key in self._number_of_key:
                vectors_of_key[key] = self._read_sentence_vectors(key)
            elif key in self._recent_queries:
                vectors_of_key[key] = self._recent_queries[key]
            else:
                unknown_papers[key] = paper

        if unknown_papers:
            vectors_of_key.update(self._encode(unknown_papers))
        return [vectors_of_key[key] for key in keys]

    def _read_sentence_vectors(self, key: bytes) -> np.ndarray:
        """Return the (s, d) embeddings of a paper of the library. key: `hash_paper`'s."""
        paper_number = self._number_of_key[key]
        # a paper's sentences begin where those of the paper before it end
        start, end = self._sentence_ends[paper_number : paper_number + 2]
        return np.asarray(self._vectors[start:end])

    def _encode(self, paper_of_key: Mapping[bytes, Paper]) -> dict[bytes, np.ndarray]:
        """Encode papers outside the library, such as a text that asks, and remember them.

        Returns an (s, d) array for each key.
        """
        papers = list(paper_of_key.values())
        arrays = sentence_vectors(self._load_encoder(), papers, STORED_CONTEXT, scaled=False)
        self.encoded_papers += len(papers)
        vectors_of_key = dict(zip(paper_of_key, arrays))

        # Forget earlier queries only: a pipeline asks for those of this call again, at each step.
        while len(self._recent_queries) > MOST_RECENT_QUERIES:
            oldest_key = next(iter(self._recent_queries))
            del self._recent_queries[oldest_key]
        self._recent_queries.update(vectors_of_key)
        return vectors_of_key

    def __repr__(self) -> str:
        return f"<stored vectors of {len(self._sentence_ends) - 1:,} papers>"
