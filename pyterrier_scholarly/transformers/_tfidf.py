"""Tf-idf of documents that come in pieces, such as a paper's title and its sentences.

The pieces of a pool's papers are those of the collection that was fitted on: what is remembered by
the piece is read once.
"""

from array import array
from functools import lru_cache

import numpy as np

from ir_datasets_ext.store import fingerprint

from ..text.words import counted, runs

PIECES = 2**17  # whose words are remembered


class TfIdf:
    """Weights of words, fitted on documents: sublinear term frequencies, smooth idf, length 1.

    Args:
        documents: a list of tuples of texts.

    Raises:
        ValueError: there is no word in them.
    """

    def __init__(self, documents):
        from sklearn.feature_extraction.text import TfidfTransformer

        self._number = _Numbers()
        self._bag = lru_cache(PIECES)(self._read)
        bags = self._bags(documents)
        names = list(self._number.names)
        if not names:
            raise ValueError(f"there is no word that counts in {len(bags)} texts")
        # Columns in the alphabet's order, as scikit-learn has them: so equal collections have equal
        # decompositions, whose start is random. The last place is for what does not count, number
        # -1.
        self._column = np.full(len(names) + 1, -1)
        self._column[np.argsort(np.array(names, dtype=object))] = np.arange(len(names))
        self._number.closed = True
        counts = self._counts(bags)
        self._weigh = TfidfTransformer(sublinear_tf=True).fit(counts)

    def transform(self, documents):
        """Weights of documents, sparse (n, words), rows of length 1, or 0 without a known word."""
        return self._weigh.transform(self._counts(self._bags(documents)))

    def components(self, documents, dimensions, cache=None):
        """What a truncated singular value decomposition makes of what this was fitted on.

        Args:
            documents: the same documents.
            dimensions: as many, or fewer where there are fewer documents or words.
            cache: a `VectorCache` to keep them in, or None.

        Returns:
            (dimensions, words), float32: rows to be multiplied with weights.
        """
        import sklearn
        from sklearn.decomposition import TruncatedSVD

        weights = self.transform(documents)
        dimensions = min(dimensions, *weights.shape)
        settings = {"vectors": "TruncatedSVD of tf-idf", "dimensions": dimensions}
        settings["scikit-learn"] = sklearn.__version__
        key = fingerprint(weights) if cache is not None else None
        found = cache.get_many(settings, [key]) if cache is not None else {}
        if key not in found:
            svd = TruncatedSVD(dimensions, random_state=0).fit(weights)
            found = {key: svd.components_.astype(np.float32)}
            if cache is not None:
                cache.put_many(settings, found)
        return found[key]

    def _read(self, text):
        # bytes, for a list would be one more object that Python searches for garbage
        return array("q", map(self._number.__getitem__, runs(text))).tobytes()

    def _bags(self, documents):
        """The numbers of each document's words, as bytes."""
        return [b"".join(map(self._bag, pieces)) for pieces in documents]

    def _counts(self, bags):
        """How often each word is in each document, sparse (n, words)."""
        from scipy.sparse import csr_matrix

        numbers = np.frombuffer(b"".join(bags), dtype=np.int64)
        columns = self._column[numbers]
        known = columns >= 0
        lengths = np.fromiter(map(len, bags), dtype=np.intp) // numbers.itemsize
        rows = np.repeat(np.arange(len(bags)), lengths)[known]
        shape = len(bags), len(self._column) - 1
        return csr_matrix((np.ones(len(rows)), (rows, columns[known])), shape)


class _Numbers(dict):
    """From a run of characters to the number of the word it counts as; -1 for none.

    New words get the next number until this is `closed`; `names` has them in that order.
    """

    def __init__(self):
        self.names = {}
        self.closed = False

    def __missing__(self, run):
        word = counted(run)
        number = self.names.get(word, -1)
        if self.closed:  # not remembered: there is no end of unknown words
            return number
        if word and number < 0:
            number = self.names[word] = len(self.names)
        self[run] = number
        return number
