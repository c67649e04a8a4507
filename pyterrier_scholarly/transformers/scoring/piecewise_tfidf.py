"""Tf-idf of documents that come in pieces, such as a paper's title and its sentences.

    tfidf = TfIdf([("Trees", "Trees grow."), ("Queues", "Queues are fair.")])
    weights = tfidf.transform([("Fair trees",)])  # sparse (1, words), of length 1

The pieces of a pool's papers are pieces of the collection, too, so each piece is read once.

Conventions: a *run* is a piece of text between blanks and the like; it counts as a *word*, maybe
as none (a stop word), and several runs count as one word ("tree", "trees"). Words are numbered in
the order in which they first occur. The words of a document, its *bag*, are kept as the bytes of
their numbers.
"""

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ir_datasets_ext.store import fingerprint

from ...distinct import Distinct
from ...text.words import normalise_run, runs

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from ...encoders import VectorCache

CACHED_PIECES = 2**17  # pieces whose words are cached
UNKNOWN = -1  # the number of a run that counts as no word, or as one that is not in the vocabulary
Documents: TypeAlias = Sequence[Sequence[str]]  # the pieces of each document


class TfIdf:
    """Weigh words by documents: sublinear term frequencies, smooth idf, length 1.

    Raises:
        ValueError: documents without any word.
    """

    def __init__(self, documents: Documents) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self._use_vocabulary(Vocabulary())
        bags = self._read_bags(documents)  # adds their words to the vocabulary
        if not self.words:
            raise ValueError(f"{len(bags)} texts have no word that counts")

        # a later text has the columns of these words, and none for others
        self._freeze_columns()
        self._digest = fingerprint([self.words, b"".join(bags), [len(bag) for bag in bags]])
        self._weigh = TfidfTransformer(sublinear_tf=True).fit(self._count_words(bags))

    @classmethod
    def restore(cls, words: Sequence[str], idf: np.ndarray) -> "TfIdf":
        """Return what was fitted before, of its `words` and `idf`: it transforms equally."""
        from sklearn.feature_extraction.text import TfidfTransformer

        tfidf = cls.__new__(cls)  # without `__init__`, which would fit
        tfidf._use_vocabulary(Vocabulary(words))
        tfidf._freeze_columns()
        tfidf._digest = fingerprint([list(words), np.asarray(idf).tobytes()])
        tfidf._weigh = TfidfTransformer(sublinear_tf=True)
        tfidf._weigh.idf_ = idf
        return tfidf

    @property
    def words(self) -> list[str]:
        """The words, by their numbers."""
        return self._vocabulary.words

    @property
    def idf(self) -> np.ndarray:
        """The inverse document frequencies (words,), in alphabetical order of the words."""
        return self._weigh.idf_

    def transform(self, documents: Documents) -> "csr_matrix":
        """Weigh documents: sparse (n, words), rows of length 1, or 0 without a known word."""
        bags = self._read_bags(documents)
        return self._weigh.transform(self._count_words(bags))

    def components(
        self,
        read_documents: Callable[[], Documents],
        dimensions: int,
        cache: "VectorCache | None",
    ) -> np.ndarray:
        """Compute a truncated singular value decomposition of the weights of documents.

        Args:
            read_documents: returns those that this was fitted on; called if the cache has no
                result.
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
        if cache is not None:
            cached = cache.get_many(settings, [self._digest])
            if self._digest in cached:
                return cached[self._digest]

        weights = self.transform(read_documents())
        possible_dimensions = min(dimensions, *weights.shape)
        svd = TruncatedSVD(possible_dimensions, random_state=0).fit(weights)
        components = svd.components_.astype(np.float32)
        if cache is not None:
            cache.put_many(settings, {self._digest: components})
        return components

    def _use_vocabulary(self, vocabulary: "Vocabulary") -> None:
        """Have pieces read by a vocabulary, each once."""
        self._vocabulary = vocabulary
        self._read_cached = lru_cache(CACHED_PIECES)(self._read_piece)

    def _freeze_columns(self) -> None:
        """Give each word of the vocabulary its column, and add no more words."""
        self._vocabulary.freeze()
        self._column_of_word = _order_columns(self.words)

    def _read_bags(self, documents: Documents) -> list[bytes]:
        """Return the bag of each document."""
        return [b"".join(map(self._read_cached, pieces)) for pieces in documents]

    def _read_piece(self, piece: str) -> bytes:
        """Return the numbers of a piece's words, as bytes; called once for each piece."""
        numbers = self._vocabulary.number_runs(runs(piece))
        # bytes, because garbage collection would search a list
        return array("q", numbers).tobytes()

    def _count_words(self, bags: list[bytes]) -> "csr_matrix":
        """Count each word in each document: sparse (n, words)."""
        from scipy.sparse import csr_matrix

        numbers = np.frombuffer(b"".join(bags), dtype=np.int64)  # of all documents' runs
        run_counts = np.array([len(bag) // numbers.itemsize for bag in bags], dtype=np.intp)
        document_of_run = np.repeat(np.arange(len(bags)), run_counts)

        is_known = numbers != UNKNOWN
        rows = document_of_run[is_known]
        columns = self._column_of_word[numbers[is_known]]
        ones = np.ones(len(rows))  # equal entries are added up
        return csr_matrix((ones, (rows, columns)), (len(bags), len(self._column_of_word)))


def _order_columns(words: Sequence[str]) -> np.ndarray:
    """Return the column of each word (words,), in alphabetical order.

    So scikit-learn has them, too: the decomposition starts at random, and so equal collections have
    equal ones.
    """
    alphabetical = np.argsort(np.array(words, dtype=object))  # (words,), of their numbers
    column_of_word = np.empty(len(words), dtype=np.intp)
    column_of_word[alphabetical] = np.arange(len(words))
    return column_of_word


class Vocabulary:
    """The words of a collection, numbered; it grows with what is read until it is frozen."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = Distinct[str](words)
        # run -> number of its word, to find out only once what a run counts as
        self._number_of_run: dict[str, int] = {}
        self._is_frozen = False

    @property
    def words(self) -> list[str]:
        """The words, by their numbers."""
        return self._words.keys

    def freeze(self) -> None:
        """Add no more words: later ones are UNKNOWN."""
        self._is_frozen = True

    def number_runs(self, text_runs: Sequence[str]) -> list[int]:
        """Return the number of each run's word; UNKNOWN if it counts as none of the vocabulary."""
        if self._is_frozen:
            return [self._look_up(run) for run in text_runs]

        number_of_run = self._number_of_run
        for run in text_runs:
            if run not in number_of_run:
                number_of_run[run] = self._learn(run)
        return [number_of_run[run] for run in text_runs]

    def _learn(self, run: str) -> int:
        """Return the number of a new run's word, which is added."""
        word = normalise_run(run)
        if not word:
            return UNKNOWN
        return self._words.add(word)

    def _look_up(self, run: str) -> int:
        """Return the number of a run's word; UNKNOWN if the vocabulary lacks the word.

        A run is a word as it is written. A new one is not kept, because texts never run out of
        them, and memory would.
        """
        if run in self._number_of_run:
            return self._number_of_run[run]

        word = normalise_run(run)
        if word in self._words:
            return self._words.number(word)
        return UNKNOWN
