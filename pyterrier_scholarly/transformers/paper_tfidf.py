"""Score papers by common words, plain or after latent semantic analysis.

    PaperTfIdf("csfcube", dimensions=128)(results)  # behind FacetQuery and PaperLoader

A *run* is a piece of text of letters, digits and inner hyphens, such as "b-tree". It counts as a
*word*, or as none (a stop word); several runs count as one word ("tree", "trees").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, field
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np

from .. import datasets
from ..datasets import DatasetLike
from ..encoders import as_cache
from ..fingerprint import fingerprint
from ..paper import Passage
from ..step import Count
from ..text.words import normalise_run, runs
from .passage_scorer import PassageScorer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

CACHED_PIECES = 2**17  # titles and sentences whose words are in memory


@runtime_checkable
class FittedWords(Protocol):
    """Words that were fitted before; it stands for the dataset that they were fitted on."""

    def read_tfidf(self) -> "TfIdf":
        """Return the weights of words; called whenever papers are scored."""

    def read_components(self, dimensions: int) -> np.ndarray:
        """Return a decomposition (dimensions, words); called if the scorer has dimensions."""


Source: TypeAlias = DatasetLike | Sequence[str]  # a collection, or a list of texts


class PaperTfIdf(PassageScorer):
    """Cosine of the tf-idf vectors of two papers: title and abstract, or title and facet.

    Words are lower-cased runs of letters, digits and inner hyphens, without one-letter words and
    scikit-learn's English stop words; a plural s is removed. Term frequencies are sublinear, idf is
    smooth. It is fitted once on title and abstract of all documents of `dataset`. With
    `dimensions`, vectors are those of a truncated singular value decomposition of the same
    documents.

    Columns in: `qid`, `docno`, `query_paper` and `paper`; with `facet_only` also
    `query_sentence_ids` and `facet`; optional `sentence_ids`, the candidate's sentences that count.
    Columns out: the same and `score` (from 0 to 1, with `dimensions` from -1; 0 if a paper has no
    known word) and `rank`, rows by query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, a list of texts, or what was fitted
            before (`FittedWords`).
        dimensions: of the decomposition, at most the number of documents and of words; None for no
            decomposition.
        facet_only: compare the title and the sentences of the facet (all if a candidate has none)
            instead of whole papers.
        cache: keep the decomposition on disk for later runs: True for the default folder, a folder,
            or a `VectorCache`.

    Raises:
        ValueError: (when fitting) texts without words; a position outside the query's paper.
    """

    dataset: Source | FittedWords
    _: KW_ONLY
    dimensions: Count | None = None
    cache: object = field(default=None, compare=False)

    def encode(self, passages: list[Passage]) -> "np.ndarray | csr_matrix":
        """Return the weights of words, sparse (n, words), or their decomposition (n, d)."""
        from sklearn.preprocessing import normalize

        words = self.dataset if isinstance(self.dataset, FittedWords) else self
        weights = words.read_tfidf().transform(passages)
        if self.dimensions is None:
            return weights
        return normalize(weights @ words.read_components(self.dimensions).T)

    def read_tfidf(self) -> "TfIdf":
        """Return the weights of words, fitted on the dataset."""
        documents = datasets.identify_documents(self.dataset)
        return datasets.fit_once(self._fit, "tf-idf of papers", documents)

    def read_components(self, dimensions: int) -> np.ndarray:
        """Return the decomposition (dimensions, words), cached or computed."""
        decompose = partial(self._decompose, dimensions)
        documents = datasets.identify_documents(self.dataset)
        # among the reasons to decompose again, because a new cache is to be filled, too
        cache_name = str(self.cache)
        return datasets.fit_once(decompose, "LSA of papers", documents, dimensions, cache_name)

    def _fit(self) -> "TfIdf":
        """Fit on the documents of the dataset."""
        try:
            return TfIdf.fit(_read_documents(self.dataset))
        except ValueError as error:
            raise ValueError(
                f"tf-idf cannot be fitted on {self.dataset!r:.80}: {error}. It needs texts with "
                "words."
            ) from error

    def _decompose(self, dimensions: int) -> np.ndarray:
        """Decompose the weights of the dataset's documents; the cache keeps the result."""
        import sklearn

        tfidf = self.read_tfidf()
        documents = _read_documents(self.dataset)
        cache = as_cache(self.cache)
        if cache is None:
            return tfidf.decompose(documents, dimensions)

        # the cache keeps arrays by settings and a key; here it is one array
        settings = {
            "vectors": "TruncatedSVD of tf-idf",
            "dimensions": dimensions,
            "scikit-learn": sklearn.__version__,
        }
        key = fingerprint([tfidf.words, tfidf.idf.tobytes(), documents])
        arrays = cache.get_many(settings, [key])
        if key not in arrays:
            arrays = {key: tfidf.decompose(documents, dimensions)}
            cache.put_many(settings, arrays)
        return arrays[key]


class TfIdf:
    """Weigh the words of documents: sublinear term frequencies, smooth idf, length 1.

    A document comes in pieces, such as a paper's title and its sentences. The pieces of a pool's
    papers are pieces of the collection, too, so each piece is read once.

    Attributes:
        words: those of the collection, in alphabetical order; word n is column n. (A decomposition
            starts from random numbers, column by column, so equal collections have equal ones.)
        idf: (words,), the inverse document frequencies.
    """

    def __init__(self, words: Sequence[str], idf: np.ndarray | None = None) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self.words = list(words)

        self._weighting = TfidfTransformer(sublinear_tf=True)
        if idf is not None:
            self._weighting.idf_ = idf  # else `fit` computes it

        # a cache of this object, not of its class, so that it is freed with it
        number_of_word = {word: number for number, word in enumerate(self.words)}
        number_words = partial(_pack_word_numbers, number_of_word)
        self._number_words = lru_cache(CACHED_PIECES)(number_words)

    @classmethod
    def fit(cls, documents: Iterable[Sequence[str]]) -> "TfIdf":
        """Fit on documents, each in pieces.

        Raises:
            ValueError: no document has a word.
        """
        documents = list(documents)
        pieces = set(chain.from_iterable(documents))
        words = set(chain.from_iterable(map(find_words, pieces)))
        if not words:
            raise ValueError(f"{len(documents)} texts have no word that counts")

        tfidf = cls(sorted(words))
        counts = tfidf._count_words(documents)
        tfidf._weighting.fit(counts)
        return tfidf

    @property
    def idf(self) -> np.ndarray:
        """The inverse document frequencies (words,)."""
        return self._weighting.idf_

    def transform(self, documents: Iterable[Sequence[str]]) -> "csr_matrix":
        """Weigh documents: sparse (n, words), rows of length 1, or 0 without a known word."""
        counts = self._count_words(documents)
        return self._weighting.transform(counts)

    def decompose(self, documents: Sequence[Sequence[str]], dimensions: int) -> np.ndarray:
        """Return a truncated singular value decomposition of documents: (dimensions, words)."""
        from sklearn.decomposition import TruncatedSVD

        weights = self.transform(documents)
        possible_dimensions = min(dimensions, *weights.shape)
        svd = TruncatedSVD(possible_dimensions, random_state=0).fit(weights)
        return svd.components_.astype(np.float32)

    def _count_words(self, documents: Iterable[Sequence[str]]) -> "csr_matrix":
        """Count each word in each of n documents: sparse (n, words)."""
        from scipy.sparse import csr_matrix

        # the numbers of each document's words, as bytes, which are joined faster than arrays
        bytes_of_documents = []
        for pieces in documents:
            bytes_of_pieces = map(self._number_words, pieces)
            bytes_of_documents.append(b"".join(bytes_of_pieces))

        word_numbers = np.frombuffer(b"".join(bytes_of_documents), dtype=np.int64)

        # the words of document i are those from boundaries[i] to boundaries[i + 1]
        byte_lengths = [len(document_bytes) for document_bytes in bytes_of_documents]
        byte_boundaries = np.cumsum([0, *byte_lengths])
        boundaries = byte_boundaries // word_numbers.itemsize

        # a 1 for each occurrence: scipy adds up those of the same row and column
        occurrences = np.ones(len(word_numbers))
        shape = len(bytes_of_documents), len(self.words)
        counts = csr_matrix((occurrences, word_numbers, boundaries), shape)
        counts.sum_duplicates()
        return counts


def _pack_word_numbers(number_of_word: Mapping[str, int], piece: str) -> bytes:
    """Return the numbers of a piece's words, in order, as bytes of int64; others are left out.

    Garbage collection does not look at bytes, as it would at each of many lists or arrays.
    """
    words = find_words(piece)
    numbers = [number_of_word[word] for word in words if word in number_of_word]
    return np.array(numbers, dtype=np.int64).tobytes()


def find_words(text: str) -> list[str]:
    """Return the words of a text, such as "tree" for "Trees"; stop words are left out."""
    normalised_runs = [_normalise(run) for run in runs(text)]
    return [word for word in normalised_runs if word]  # "" for a stop word


_normalise = lru_cache(maxsize=2**17)(normalise_run)  # texts repeat few runs


def _read_documents(source: Source) -> list[tuple[str, ...]]:
    """Return title and abstract of each document, in pieces."""
    if isinstance(source, (list, tuple)):
        return [(text,) for text in source]

    documents = []
    for record in datasets.irds(source).docs_iter():
        text = datasets.text(record)
        sentences = tuple(getattr(record, "sentences", ()))
        # sentences are pieces only if they make up the text
        pieces = sentences if " ".join(sentences) == text else (text,)
        documents.append((getattr(record, "title", ""), *pieces))
    return documents
