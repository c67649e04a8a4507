"""The base of models of document similarity: scores of pairs of documents, from their words.

    model = TfIdfModel("csfcube")
    model.scores(["1198964"], ["3264891"])  # (1,), from 0 to 1

Conventions: N documents in the collection, n queries, w words in the vocabulary. A *row* is a
document's number in the collection.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import ir_datasets
import numpy as np
import pandas as pd

from .. import datasets, frames
from ..arguments import Count, Natural, check_arguments
from ..artifacts import FittedArtifact
from ..datasets import DatasetLike
from ..stats import Slope, distances, histogram_slope
from ..stats.fits import FitName
from ..stats.histogram import Edge
from ..stats.slope import XError
from ..text.vocabulary import choose_vocabulary
from .word_counts import WordCounts, count_tokens, count_vocabulary, count_words, read_texts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PAIR_KINDS = ("similar", "random")  # that rHSA compares
SCORES_AT_ONCE = 1 << 20  # of queries with a whole collection
Ids: TypeAlias = Sequence[str] | np.ndarray
Vectors: TypeAlias = "np.ndarray | csr_matrix"


@dataclass(frozen=True)
class Documents:
    """What is fitted: a subclass adds the arrays of its model.

    Attributes:
        documents: N ids.
        words: the vocabulary, w words.
    """

    documents: list
    words: list

    @cached_property
    def index(self) -> pd.Index:
        """The index from ids of documents to their rows."""
        return pd.Index(self.documents, dtype=object)


FittedDocuments = TypeVar("FittedDocuments", bound=Documents)


@dataclass(eq=False, repr=False)
class DocumentModel(FittedArtifact[FittedDocuments]):
    """A base class: a model fills the three hooks below, and `fit`, which returns its `Documents`.

    `scores` and `DocumentSimilarity` call the hooks: first `of_documents` or `of_texts` for the
    queries' vectors, then `compare`. The settings of the vocabulary are explained in `TfIdfModel`.
    """

    #: from n ids of documents of the collection to a query vector for each
    of_documents: ClassVar[Callable[..., Vectors]]
    #: from n texts to a query vector for each
    of_texts: ClassVar[Callable[..., Vectors]]
    #: from vectors (n, …) and pairs (k, 2), a row of `vectors` and a row of the collection, to the
    #: pairs' scores (k,), from 0 to 1
    compare: ClassVar[Callable[..., np.ndarray]]
    #: range of scores that `rhsa` converts to distances; None for that of the pairs at hand
    LOWEST_SCORE: ClassVar[float | None] = None
    HIGHEST_SCORE: ClassVar[float | None] = None

    SOURCES = ("source", "counted_on")

    min_count: Natural = field(default=10, kw_only=True)
    most_frequent: Natural = field(default=50, kw_only=True)
    min_length: Natural = field(default=4, kw_only=True)
    alphabetic: bool = field(default=True, kw_only=True)
    counted_on: DatasetLike | Sequence[str] | None = field(default=None, kw_only=True)

    @property
    def documents(self) -> list[str]:
        """Return the ids of the collection's documents; of a list of texts, "0", "1", …."""
        return self.parts().documents

    @property
    def words(self) -> list[str]:
        """Return the vocabulary."""
        return self.parts().words

    def scores(self, left: Ids, right: Ids) -> np.ndarray:
        """Score pairs of documents, n ids on either side, however many; `left` are the queries.

        Returns:
            float array (n,), from 0 to 1, higher is more similar.

        Raises:
            ValueError: the lengths differ, or a document is missing from the collection.
        """
        query_ids = np.asarray(left, dtype=object)
        document_ids = np.asarray(right, dtype=object)
        if query_ids.ndim != 1 or query_ids.shape != document_ids.shape:
            raise ValueError(
                f"ids of shapes {query_ids.shape} and {document_ids.shape}: expected two lists of "
                "equal length"
            )

        # a query may be in many pairs: its vector is computed once
        query_numbers, distinct_queries = pd.factorize(query_ids, use_na_sentinel=False)
        query_vectors = self.of_documents(distinct_queries)

        # (n, 2): the query's row in `query_vectors`, and the document's row in the model
        pairs = np.stack([query_numbers, self.rows(document_ids)], axis=1)
        return self.compare(query_vectors, pairs)

    @check_arguments
    def rhsa(
        self,
        pairs: str | ir_datasets.Dataset | pd.DataFrame,
        bins: Count = 50,
        edge: Edge = "upper",
        fit: FitName = "expected",
        x_error: XError = "mean",
    ) -> Slope:
        """Measure how well the model tells similar pairs of documents from random ones, by rHSA.

        The pairs of a mined log are read, scored and compared::

            model.rhsa("download-log/ours/1m")

        Distances are 1 less the scores of `TopicModel`, which are divergences. Cosines are
        converted in the range of all pairs, as in the paper; see `distances`.

        Args:
            pairs: a mined log's million pairs, ``"download-log/<name>/1m"``; or a frame of
                `doc_id_a`, `doc_id_b` and `kind` (``"similar"`` or ``"random"``).
            bins, edge, fit, x_error: see `histogram_slope`.

        Raises:
            ValueError: the dataset has no pairs, or these are not of both kinds; a document is
                missing from the model's collection.
        """
        frame = pairs if isinstance(pairs, pd.DataFrame) else datasets.read_pairs(pairs)
        has_both_kinds = "kind" in frame and set(PAIR_KINDS) <= set(frame["kind"])
        if not has_both_kinds:
            raise ValueError(
                "rHSA compares pairs of the kinds 'similar' and 'random'; these are not of both. "
                "Pass 'download-log/<name>/1m', or a frame of doc_id_a, doc_id_b and kind."
            )

        scores = self.scores(frame["doc_id_a"], frame["doc_id_b"])
        is_similar = (frame["kind"] == "similar").to_numpy()
        is_random = (frame["kind"] == "random").to_numpy()
        similar_distances, random_distances = distances(
            scores[is_similar], scores[is_random], self.LOWEST_SCORE, self.HIGHEST_SCORE
        )
        return histogram_slope(
            similar_distances, random_distances, bins=bins, edge=edge, fit=fit, x_error=x_error
        )

    def scores_of_all(self, vectors: Vectors) -> Iterator[np.ndarray]:
        """Yield the scores (N,) of each row of `vectors` with all N documents.

        Rows are compared in blocks of at most SCORES_AT_ONCE scores, but at least one row at
        a time.
        """
        query_count = vectors.shape[0]
        document_count = len(self.documents)
        block_size = max(1, SCORES_AT_ONCE // max(1, document_count))
        for start in range(0, query_count, block_size):
            block = vectors[start : start + block_size]
            pairs = _list_all_pairs(block.shape[0], document_count)
            scores = self.compare(block, pairs)  # one per pair
            yield from scores.reshape(block.shape[0], document_count)

    def rows(self, docnos: Ids) -> np.ndarray:
        """Return the row numbers (n,) of documents in the collection.

        Raises:
            ValueError: a document is missing; names up to five.
        """
        numbers = self.parts().index.get_indexer(docnos)
        is_missing = numbers < 0
        if is_missing.any():
            missing_ids = list(dict.fromkeys(np.asarray(docnos, dtype=object)[is_missing]))
            raise ValueError(
                f"{len(missing_ids)} documents are not among the {len(self.documents)} of "
                f"{self!r}: {frames.some(map(repr, missing_ids))}. If they are of another "
                "collection, fit a model there; else drop these pairs."
            )
        return numbers

    def _count_words(self) -> WordCounts:
        """Choose the vocabulary, and count it in the collection's documents."""
        texts = read_texts(self.source)
        try:
            counts_of_all_words = count_words(texts)
        except ValueError:  # no word at all
            raise ValueError(f"{len(texts)} texts without a word in {self.source!r:.80}.") from None

        total_of_word: Mapping[str, int]
        if self.counted_on is None:
            total_of_word = counts_of_all_words.total()
        else:
            total_of_word = count_tokens(read_texts(self.counted_on).values())
        vocabulary = choose_vocabulary(
            total_of_word, self.min_count, self.most_frequent, self.min_length, self.alphabetic
        )

        # the collection may lack words that `counted_on` has
        word_counts = counts_of_all_words.select(vocabulary)
        if not word_counts.words:
            raise ValueError(
                f"None of the {len(counts_of_all_words.words)} words of these {len(texts)} texts "
                f"is left: pass more texts, or lower min_count={self.min_count} and "
                f"most_frequent={self.most_frequent}."
            )
        return word_counts

    def _count_vocabulary(self, texts: Iterable[str]) -> "csr_matrix":
        """Count the vocabulary in other texts: sparse (n, w)."""
        return count_vocabulary(texts, self.words)


def _list_all_pairs(query_count: int, document_count: int) -> np.ndarray:
    """Return each pair of a query's number and a document's, as an array (pairs, 2).

    All documents of query 0 come first: (0, 0), (0, 1), …, then (1, 0), (1, 1), ….
    """
    # np.indices has the row numbers of a table's cells, then their column numbers
    query_and_document_numbers = np.indices((query_count, document_count)).reshape(2, -1)
    return query_and_document_numbers.T
