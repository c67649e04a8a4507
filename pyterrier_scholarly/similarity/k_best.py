"""Find the k best of many vectors, block by block; the result does not depend on the blocks.

The last bits of products in float32 depend on the shape of the matrices. So they only select
candidates, with a bound on their error. The scores of candidates are recomputed in float64 and
rounded to float32, and ties are ordered by id.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from . import unit
from .array_checks import check_real

SIMILARITIES = ("cosine", "dot")
PRODUCTS, RECOMPUTED = 2**24, 2**22  # numbers in memory at a time

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # numbers of queries, ids and scores, (n,) each


def k_best(parts: Iterable[Rows], k: int) -> Rows:
    """Merge several parts, and keep the k best rows of each query, best first."""
    queries, ids, scores = map(np.concatenate, zip(*parts))
    places = np.unique(ids, return_inverse=True)[1]
    order = np.lexsort((-places, -scores, queries))
    order = order[_ranks(queries[order]) < k]
    return queries[order], ids[order], scores[order]


def _ranks(queries: np.ndarray) -> np.ndarray:
    """Number the rows of each query from 0; rows are ordered by query."""
    return np.arange(len(queries)) - np.searchsorted(queries, queries)


class Best:
    """Collect the k best documents of each query over blocks of documents.

    Args:
        queries: (q, d).
        k: documents per query, at least 1.
        similarity: ``"cosine"`` (0 for a zero vector) or ``"dot"``.

    Raises:
        ValueError: unknown similarity, a k below 1, queries with NaN or infinity.
    """

    def __init__(self, queries: np.ndarray, k: int, similarity: str = "cosine") -> None:
        if similarity not in SIMILARITIES:
            raise ValueError(f"similarity={similarity!r}: choose one of {SIMILARITIES}.")
        if k < 1:
            raise ValueError(f"k={k}: pass 1 or more.")
        check_real(queries, "query vectors")
        self.k, self.similarity = k, similarity
        self._exact = self._scaled(np.asarray(queries, dtype=np.float64))
        if not np.isfinite(self._exact).all():
            raise ValueError("Query vectors contain NaN or infinity: check the encoder.")
        self._queries = self._exact.astype(np.float32)
        self._floor = np.full(len(self._exact), -np.inf)  # lower scores are not among the best
        self._parts: list[Rows] = []

    def add(self, ids: Sequence[str] | np.ndarray, vectors: np.ndarray) -> None:
        """Add a block: n ids (texts, or an array of numbers) and their vectors (n, d).

        Raises:
            ValueError: vectors with another d.
        """
        if not len(vectors) or not len(self._exact):
            return
        if vectors.shape[1] != self._exact.shape[1]:
            raise ValueError(
                f"Queries have {self._exact.shape[1]} dimensions, the shards {vectors.shape[1]}: "
                "use the encoder that the texts were encoded with."
            )
        ids = ids if isinstance(ids, np.ndarray) else np.asarray(ids, dtype=object)
        scaled = self._scaled(vectors)
        error = (vectors.shape[1] + 8) * 2.0**-23 * np.linalg.norm(self._exact, axis=1)
        error *= np.linalg.norm(scaled, axis=1).max()
        step = max(1, PRODUCTS // len(vectors))
        for start in range(0, len(self._exact), step):
            part = slice(start, start + step)
            rows, columns = self._candidates(self._queries[part] @ scaled.T, part, error[part])
            self._keep(rows + start, ids[columns], vectors, columns)
        if sum(len(part[0]) for part in self._parts) > 2 * self.k * len(self._exact):
            self._prune()

    def rows(self) -> Rows:
        """Return numbers of queries, ids and scores of the best documents, best first."""
        self._prune()
        empty = np.zeros(0, int), np.zeros(0, object), np.zeros(0)
        return self._parts[0] if self._parts else empty

    def _candidates(
        self, products: np.ndarray, part: slice, error: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Select pairs (query in `part`, document) that may be among the best."""
        low = self._floor[part] - error
        last = products.shape[1] - self.k
        if last > 0:
            low = np.maximum(low, np.partition(products, last, axis=1)[:, last] - 2 * error)
        return np.nonzero(products >= low[:, None])

    def _keep(
        self, queries: np.ndarray, ids: np.ndarray, vectors: np.ndarray, columns: np.ndarray
    ) -> None:
        scores = np.empty(len(queries))
        step = max(1, RECOMPUTED // vectors.shape[1])
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            documents = self._scaled(vectors[columns[part]].astype(np.float64))
            scores[part] = np.einsum("ij,ij->i", self._exact[queries[part]], documents)
        self._parts.append((queries, ids, scores.astype(np.float32).astype(np.float64)))

    def _prune(self) -> None:
        if not self._parts:
            return
        self._parts = [k_best(self._parts, self.k)]
        queries, _, scores = self._parts[0]
        last = np.flatnonzero(_ranks(queries) == self.k - 1)
        self._floor[queries[last]] = scores[last]

    def _scaled(self, vectors: np.ndarray) -> np.ndarray:
        if self.similarity == "dot":
            return vectors
        return unit(vectors)
