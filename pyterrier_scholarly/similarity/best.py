"""The k best of many vectors, block by block, the same however they are cut.

Products in float32 depend in their last bits on the shape of the matrices. So they only say which
pairs come into question, by a bound on their error; what comes into question is computed again in
float64 and rounded to float32, and ties go by id.
"""

import numpy as np

SIMILARITIES = ("cosine", "dot")
PRODUCTS, AGAIN = 2**24, 2**22  # numbers that are held at once


def k_best(parts, k):
    """The k best rows of each query among several parts: queries, ids and scores, best first.

    parts: each three arrays (n,) of numbers of queries, ids and scores, as `Best.rows` gives them.
    """
    queries, ids, scores = map(np.concatenate, zip(*parts))
    places = np.unique(ids, return_inverse=True)[1]
    order = np.lexsort((-places, -scores, queries))
    order = order[_ranks(queries[order]) < k]
    return queries[order], ids[order], scores[order]


def _ranks(queries):
    """Of rows in the order of their queries, from 0."""
    return np.arange(len(queries)) - np.searchsorted(queries, queries)


class Best:
    """The k best documents of each query among the blocks that were added.

    Args:
        queries: (q, d).
        k: documents per query, at least 1.
        similarity: ``"cosine"`` (0 with a zero vector) or ``"dot"``.

    Raises:
        ValueError: another similarity, a k below 1, queries that hold NaN or infinity.
    """

    def __init__(self, queries, k, similarity="cosine"):
        if similarity not in SIMILARITIES:
            raise ValueError(f"similarity={similarity!r}: choose one of {SIMILARITIES}.")
        if k < 1:
            raise ValueError(f"k={k}: it must be 1 at least.")
        self.k, self.similarity = k, similarity
        self._exact = self._scaled(np.asarray(queries, dtype=np.float64))
        if not np.isfinite(self._exact).all():
            raise ValueError("Query vectors hold NaN or infinity: is the encoder broken?")
        self._queries = self._exact.astype(np.float32)
        self._floor = np.full(len(self._exact), -np.inf)  # what is lower is not among the best
        self._found, self._rows = [], 0

    def add(self, ids, vectors):
        """Take a block: n ids (texts, or an array of numbers) and their vectors (n, d).

        Raises:
            ValueError: vectors of another d.
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
        if self._rows > 2 * self.k * len(self._exact):
            self._prune()

    def rows(self):
        """Numbers of queries, ids and scores of what is best, best first."""
        self._prune()
        return (
            self._found[0] if self._found else (np.zeros(0, int), np.zeros(0, object), np.zeros(0))
        )

    def _candidates(self, products, part, error):
        """Pairs (query in `part`, document) that may be among the best."""
        low = self._floor[part] - error
        if products.shape[1] > self.k:
            place = products.shape[1] - self.k
            kth = np.partition(products, place, axis=1)[:, place]
            low = np.maximum(low, kth - 2 * error)
        return np.nonzero(products >= low[:, None])

    def _keep(self, queries, ids, vectors, columns):
        scores = np.empty(len(queries))
        step = max(1, AGAIN // vectors.shape[1])
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            own = self._scaled(vectors[columns[part]].astype(np.float64))
            scores[part] = np.einsum("ij,ij->i", self._exact[queries[part]], own)
        scores = scores.astype(np.float32).astype(np.float64)
        self._found.append((queries, ids, scores))
        self._rows += len(queries)

    def _prune(self):
        if not self._found:
            return
        self._found = [k_best(self._found, self.k)]
        queries, _, scores = self._found[0]
        last = np.flatnonzero(_ranks(queries) == self.k - 1)
        self._floor[queries[last]] = scores[last]
        self._rows = len(queries)

    def _scaled(self, vectors):
        if self.similarity == "dot":
            return vectors
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(norms == 0, 1, norms)
