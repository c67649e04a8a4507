"""Find the k best of many vectors, block by block; the result does not depend on the blocks.

    >>> best = Best(queries=np.array([[1.0, 0.0]]), k=1)
    >>> best.add(["a", "b"], np.array([[0.0, 1.0], [3.0, 4.0]]))  # a block of documents
    >>> best.add(["c"], np.array([[-1.0, 0.0]]))
    >>> best.rows().ids.tolist()
    ['b']

The last bits of products in float32 depend on the shape of the matrices. So they only select
candidates, with a bound on their error. The scores of candidates are recomputed in float64 and
rounded to float32, and ties are ordered by id, descending.

Conventions: queries are the rows of an array (q, d), a block of documents one of (n, d). Scores
are similarities, higher is nearer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..choices import check_option
from .document_pairs import products
from .vectors import check_real, unit

SIMILARITIES = ("cosine", "dot")
PRODUCTS_IN_MEMORY = 2**24  # numbers, of queries with a block's documents
RECOMPUTED_IN_MEMORY = 2**22  # numbers of candidates' vectors


class Rows(NamedTuple):
    """Scored pairs of a query and a document, n of them.

    Attributes:
        queries: (n,), the numbers of the queries, from 0.
        ids: (n,), of the documents: texts, or numbers.
        scores: (n,).
    """

    queries: np.ndarray
    ids: np.ndarray
    scores: np.ndarray


def k_best(parts: Sequence[Rows], k: int) -> Rows:
    """Merge several parts, and keep the k best rows of each query, best first."""
    queries, ids, scores = (np.concatenate(columns) for columns in zip(*parts))
    # lexsort's last key counts first; ids may be texts, which have no minus, so their ranks do
    id_ranks = np.unique(ids, return_inverse=True)[1]
    order = np.lexsort((-id_ranks, -scores, queries))
    kept = order[_rank_rows(queries[order]) < k]
    return Rows(queries[kept], ids[kept], scores[kept])


class Best:
    """Collect the k best documents of each query over blocks of documents.

    Args:
        queries: (q, d).
        k: documents per query, at least 1.
        similarity: ``"cosine"`` (0 for a zero vector) or ``"dot"``.

    Raises:
        ValueError: unknown similarity, queries with NaN or infinity.
    """

    def __init__(self, queries: np.ndarray, k: int, similarity: str = "cosine") -> None:
        check_option("similarity", similarity, SIMILARITIES)
        check_real(queries, "query vectors")
        self.k = k
        self.similarity = similarity
        self._exact_queries = self._scale(np.asarray(queries, dtype=np.float64))
        if not np.isfinite(self._exact_queries).all():
            raise ValueError("Query vectors contain NaN or infinity: check the encoder.")

        # (q,), of each query so far, -inf before it has k: lower scores are not among the k best
        self._kth_best_scores = np.full(len(self._exact_queries), -np.inf)
        self._parts: list[Rows] = []

    def add(self, ids: Sequence[str] | np.ndarray, vectors: np.ndarray) -> None:
        """Add a block: n ids (texts, or an array of numbers) and their vectors (n, d).

        Raises:
            ValueError: vectors with another d.
        """
        query_count, dimensions = self._exact_queries.shape
        if not len(vectors) or not query_count:
            return
        if vectors.shape[1] != dimensions:
            raise ValueError(
                f"Queries have {dimensions} dimensions, the shards {vectors.shape[1]}: "
                "use the encoder that the texts were encoded with."
            )

        if not isinstance(ids, np.ndarray):
            ids = np.asarray(ids, dtype=object)
        scaled_vectors = self._scale(vectors)
        largest_length = np.linalg.norm(scaled_vectors, axis=1).max()
        # slices of queries, not of documents: a block's k-th best product leaves out most pairs
        queries_at_once = max(1, PRODUCTS_IN_MEMORY // len(vectors))
        for start in range(0, query_count, queries_at_once):
            query_slice = slice(start, start + queries_at_once)
            queries, documents = self._select_candidates(
                query_slice, scaled_vectors, largest_length
            )
            scores = self._recompute_scores(queries, documents, vectors)
            self._parts.append(Rows(queries, ids[documents], scores))

        row_count = sum(len(part.queries) for part in self._parts)
        if row_count > 2 * self.k * query_count:
            self._prune()

    def rows(self) -> Rows:
        """Return the k best documents of each query so far: query by query, best first."""
        if not self._parts:
            return Rows(np.zeros(0, int), np.zeros(0, object), np.zeros(0))
        return self._prune()

    def _prune(self) -> Rows:
        """Drop all but the k best rows of each query so far; return these."""
        best = k_best(self._parts, self.k)
        self._parts = [best]  # the others are among the best of no query

        # a query with fewer than k rows has no k-th best, so any score is still among its best
        is_kth_best = _rank_rows(best.queries) == self.k - 1
        self._kth_best_scores[best.queries[is_kth_best]] = best.scores[is_kth_best]
        return best

    def _select_candidates(
        self, query_slice: slice, scaled_vectors: np.ndarray, largest_length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Select the pairs of a query and a document of a block that may be among the k best.

        A product in float32 differs from the exact score by at most the query's error. So a pair is
        left out only if its score is surely below k other scores of its query.

        Args:
            query_slice: which queries, p of them.
            scaled_vectors: (n, d), of the block's documents.
            largest_length: of these vectors.

        Returns:
            For each of c pairs the number of the query, and the document's position in the block.
        """
        exact_queries = self._exact_queries[query_slice]
        products_of_pairs = exact_queries.astype(np.float32) @ scaled_vectors.T  # (p, n)
        document_count, dimensions = scaled_vectors.shape

        # a sum of d products has at most d roundings, each relative to the product of both lengths;
        # 8 more are for the vectors' own scaling and rounding
        query_lengths = np.linalg.norm(exact_queries, axis=1)
        errors = (dimensions + 8) * 2.0**-23 * query_lengths * largest_length  # (p,)

        # 1. the k-th best score of earlier blocks is exact: a score that reaches it has a
        #    product of at least (k-th score - error)
        least_products = self._kth_best_scores[query_slice] - errors  # (p,)

        # 2. the k-th best product of this block has an error, too: its score may be lower by one
        #    error, and a product may be lower than that by another
        if document_count > self.k:
            kth_best = document_count - self.k  # as a position in ascending order
            kth_products = np.partition(products_of_pairs, kth_best, axis=1)[:, kth_best]  # (p,)
            least_products = np.maximum(least_products, kth_products - 2 * errors)

        positions_of_queries, documents = np.nonzero(products_of_pairs >= least_products[:, None])
        return query_slice.start + positions_of_queries, documents

    def _recompute_scores(
        self, queries: np.ndarray, documents: np.ndarray, vectors: np.ndarray
    ) -> np.ndarray:
        """Compute the exact scores (c,) of c pairs, rounded to float32.

        vectors: (n, d), of the block's documents.
        """
        scores = np.empty(len(queries))
        pairs_at_once = max(1, RECOMPUTED_IN_MEMORY // max(1, vectors.shape[1]))
        for start in range(0, len(queries), pairs_at_once):
            part = slice(start, start + pairs_at_once)
            # many queries share a document: its vector is scaled once
            used_documents, used_numbers = np.unique(documents[part], return_inverse=True)
            exact_vectors = self._scale(vectors[used_documents].astype(np.float64))
            pairs = np.stack([queries[part], used_numbers], axis=1)
            scores[part] = products(self._exact_queries, exact_vectors, pairs)
        return scores.astype(np.float32).astype(np.float64)

    def _scale(self, vectors: np.ndarray) -> np.ndarray:
        """Scale vectors to length 1 if they are compared by cosine."""
        return unit(vectors) if self.similarity == "cosine" else vectors


def _rank_rows(queries: np.ndarray) -> np.ndarray:
    """Number the rows (n,) of each query from 0.

    queries: (n,), the query of each row, in ascending order.
    """
    # in an ordered array, searchsorted finds the first row of each value
    return np.arange(len(queries)) - np.searchsorted(queries, queries)
