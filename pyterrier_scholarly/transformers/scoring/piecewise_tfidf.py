"""Tf-idf of documents that come in pieces, such as a paper's title and its sentences.

The pieces of a pool's papers are pieces of the collection, too, so each piece is read once.
"""

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ir_datasets_ext.store import fingerprint

from ...text.words import counted, runs

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from ...encoders import VectorCache

PIECES = 2**17  # pieces whose words are cached
Documents = Sequence[Sequence[str]]  # the pieces of each document


class TfIdf:
    """Weigh words by documents: sublinear term frequencies, smooth idf, length 1.

    Raises:
        ValueError: documents without any word.
    """

    def __init__(self, documents: Documents) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self._number = _Numbers()
        self._bag = lru_cache(PIECES)(self._read)
        bags = self._bags(documents)
        names = list(self._number.names)
        if not names:
            raise ValueError(f"{len(bags)} texts have no word that counts")
        # Columns are in alphabetical order, as scikit-learn's: the decomposition starts at random,
        # and so equal collections have equal ones. The last entry is for number -1, no word.
        self._column = np.full(len(names) + 1, -1)
        self._column[np.argsort(np.array(names, dtype=object))] = np.arange(len(names))
        self._number.closed = True
        self._digest = fingerprint([names, b"".join(bags), list(map(len, bags))])
        self._weigh = TfidfTransformer(sublinear_tf=True).fit(self._counts(bags))

    def transform(self, documents: Documents) -> "csr_matrix":
        """Weigh documents: sparse (n, words), rows of length 1, or 0 without a known word."""
        return self._weigh.transform(self._counts(self._bags(documents)))

    def components(
        self, documents: Callable[[], Documents], dimensions: int, cache: "VectorCache | None"
    ) -> np.ndarray:
        """Compute a truncated singular value decomposition of the weights of documents.

        Args:
            documents: gives those that this was fitted on; called if the cache has no result.
            dimensions: how many, at most the number of documents and of words.
            cache: keeps the result; None for no cache.

        Returns:
            (dimensions, words), float32: rows to be multiplied with weights.
        """
        import sklearn
        from sklearn.decomposition import TruncatedSVD

        settings = {
            "vectors": "TruncatedSVD of tf-idf",
            "dimensions": dimensions,
            "scikit-learn": sklearn.__version__,
        }
        known = cache.get_many(settings, [self._digest]) if cache is not None else {}
        if self._digest not in known:
            weights = self.transform(documents())
            svd = TruncatedSVD(min(dimensions, *weights.shape), random_state=0).fit(weights)
            known = {self._digest: svd.components_.astype(np.float32)}
            if cache is not None:
                cache.put_many(settings, known)
        return known[self._digest]

    def _read(self, text: str) -> bytes:
        # bytes, because garbage collection would search a list
        return array("q", map(self._number.__getitem__, runs(text))).tobytes()

    def _bags(self, documents: Documents) -> list[bytes]:
        """Return the numbers of each document's words, as bytes."""
        return [b"".join(map(self._bag, pieces)) for pieces in documents]

    def _counts(self, bags: list[bytes]) -> "csr_matrix":
        """Count each word in each document: sparse (n, words)."""
        from scipy.sparse import csr_matrix

        numbers = np.frombuffer(b"".join(bags), dtype=np.int64)
        columns = self._column[numbers]
        known = columns >= 0
        lengths = np.fromiter(map(len, bags), dtype=np.intp) // numbers.itemsize
        rows = np.repeat(np.arange(len(bags)), lengths)[known]
        entries = np.ones(len(rows)), (rows, columns[known])
        return csr_matrix(entries, (len(bags), len(self._column) - 1))


class _Numbers(dict[str, int]):
    """Map a run of characters to the number of the word that it counts as; -1 for none.

    New words get the next number until this is `closed`; `names` holds them in that order.
    """

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.closed = False

    def __missing__(self, run: str) -> int:
        word = counted(run)
        number = self.names.get(word, -1)
        if self.closed:  # not cached: unknown words never end
            return number
        if word and number < 0:
            number = self.names[word] = len(self.names)
        self[run] = number
        return number
