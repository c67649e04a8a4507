"""Tf-idf of documents that come in pieces, such as a paper's title and its sentences.

    tfidf = TfIdf([("Trees", "Trees grow."), ("Queues", "Queues are fair.")])
    weights = tfidf.transform([("Fair trees",)])  # sparse (1, words), of length 1

The pieces of a pool's papers are pieces of the collection, too, so each piece is read once.

Conventions: a *run* is a piece of text of letters, digits and inner hyphens, such as "b-tree". It
counts as a *word*, maybe as none (a stop word), and several runs count as one word ("tree",
"trees"). Words are numbered in the order in which they first occur. The words of a document, its
*bag*, are kept as the bytes of their numbers.
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

    from ...encoders.cache_protocol import ArrayCache

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

        # reading the documents adds their words to the vocabulary; it grows until it is frozen
        self._use_vocabulary(Vocabulary())
        bags = self._read_bags(documents)
        if not self.words:
            raise ValueError(f"{len(bags)} texts have no word that counts")

        # a later text has the columns of these words, and none for others
        self._freeze_columns()
        counts = self._count_words(bags)  # (n, words)
        self._weighting = TfidfTransformer(sublinear_tf=True).fit(counts)

        bag_lengths = [len(bag) for bag in bags]
        self._digest = fingerprint([self.words, b"".join(bags), bag_lengths])

    @classmethod
    def restore(cls, words: Sequence[str], idf: np.ndarray) -> "TfIdf":
        """Return what was fitted before, of its `words` and `idf`: it transforms equally."""
        from sklearn.feature_extraction.text import TfidfTransformer

        tfidf = cls.__new__(cls)  # without `__init__`, which would fit
        tfidf._use_vocabulary(Vocabulary(words))
        tfidf._freeze_columns()
        tfidf._digest = fingerprint([list(words), np.asarray(idf).tobytes()])
        tfidf._weighting = TfidfTransformer(sublinear_tf=True)
        tfidf._weighting.idf_ = idf
        return tfidf

    @property
    def words(self) -> list[str]:
        """The words, by their numbers."""
        return self._vocabulary.words

    @property
    def idf(self) -> np.ndarray:
        """The inverse document frequencies (words,), in alphabetical order of the words."""
        return self._weighting.idf_

    def transform(self, documents: Documents) -> "csr_matrix":
        """Weigh documents: sparse (n, words), rows of length 1, or 0 without a known word."""
        bags = self._read_bags(documents)
        return self._weighting.transform(self._count_words(bags))

    def components(
        self,
        read_documents: Callable[[], Documents],
        dimensions: int,
        cache: "ArrayCache | None",
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
        """Count each word in each of n documents: sparse (n, words).

        bags: for each document the numbers of its words, one after the other, as bytes of int64. A
        word that occurs twice is there twice; UNKNOWN stands for a word without a column.
        """
        from scipy.sparse import csr_matrix

        word_numbers = np.frombuffer(b"".join(bags), dtype=np.int64)  # of all documents
        occurrence_counts = [len(bag) // word_numbers.itemsize for bag in bags]
        document_numbers = np.repeat(
            np.arange(len(bags)), np.array(occurrence_counts, dtype=np.intp)
        )

        is_known = word_numbers != UNKNOWN
        rows = document_numbers[is_known]
        columns = self._column_of_word[word_numbers[is_known]]

        # a 1 for each occurrence: scipy adds up those of the same row and column
        ones = np.ones(len(rows))
        shape = len(bags), len(self._column_of_word)
        return csr_matrix((ones, (rows, columns)), shape)


def _order_columns(words: Sequence[str]) -> np.ndarray:
    """Return the column of each word: (words,), its position in alphabetical order.

    The decomposition starts from random numbers, column by column. With alphabetical columns, equal
    collections have equal decompositions, in whatever order words occur. scikit-learn sorts them,
    too.
    """
    alphabetical = np.argsort(np.array(words, dtype=object))  # column -> number of its word

    # the inverse: number of a word -> its column
    column_of_word = np.empty(len(words), dtype=np.intp)
    column_of_word[alphabetical] = np.arange(len(words))
    return column_of_word


class Vocabulary:
    """The words of a collection, numbered; it grows with what is read until it is frozen.

    A text is read as *runs* of letters, digits and inner hyphens. Several may count as the same
    word, such as "tree" and "trees". A stop word, or a single letter or digit, counts as none.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = Distinct[str](words)
        # run -> number of the word that it counts as, which is found out once for each run that
        # was read before the freeze
        self._word_of_run: dict[str, int] = {}
        self._is_frozen = False

    @property
    def words(self) -> list[str]:
        """The words, by their numbers."""
        return self._words.keys

    def freeze(self) -> None:
        """Add no more words: later ones are UNKNOWN."""
        self._is_frozen = True

    def number_runs(self, text_runs: Sequence[str]) -> list[int]:
        """Return the number of the word that each run of a text counts as.

        "Trees grow" has the runs "trees", which counts as the word "tree", and "grow". UNKNOWN is
        the number of a run that counts as no word. Other new words are added, or UNKNOWN once this
        is frozen.
        """
        if self._is_frozen:
            return [self._look_up(run) for run in text_runs]

        word_of_run = self._word_of_run
        new_runs = [run for run in text_runs if run not in word_of_run]
        for run in new_runs:
            word_of_run[run] = self._learn(run)
        return [word_of_run[run] for run in text_runs]

    def _learn(self, run: str) -> int:
        """Add the word that a run counts as, such as "tree" for "trees".

        Returns the number of the word; UNKNOWN for a run that counts as none.
        """
        word = normalise_run(run)
        if not word:  # a stop word, or a single letter or digit
            return UNKNOWN
        return self._words.add(word)

    def _look_up(self, run: str) -> int:
        """Return the number of the word that a run counts as; UNKNOWN if the vocabulary lacks it.

        For "trees", that of "tree". Nothing is added, not even to the cache: texts never run out of
        new runs, and memory would.
        """
        if run in self._word_of_run:
            return self._word_of_run[run]

        word = normalise_run(run)
        if word in self._words:
            return self._words.number(word)
        return UNKNOWN
