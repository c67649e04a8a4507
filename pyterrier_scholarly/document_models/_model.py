"""Shared by models of document similarity: documents, their words, and scores of pairs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import ir_datasets
import numpy as np
import pandas as pd

from .. import datasets, frames
from ..arguments import Count, Natural, check_arguments
from ..artifacts import FittedArtifact
from ..stats import Slope, distances, histogram_slope
from ..stats.fits import FitName
from ..stats.histogram import Edge
from ..stats.slope import XError
from ..text.words import tokens, vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

KINDS = ("similar", "random")  # of pairs that rHSA compares
BLOCK = 1 << 20  # scores at a time of queries with a whole collection
Ids: TypeAlias = Sequence[str] | np.ndarray
Vectors: TypeAlias = "np.ndarray | csr_matrix"


@dataclass(frozen=True)
class Documents:
    """The ids of documents and the vocabulary of a model."""

    documents: list
    words: list

    @cached_property
    def index(self) -> pd.Index:
        """Return the index from ids of documents to their rows."""
        return pd.Index(self.documents, dtype=object)


@dataclass(eq=False, repr=False)
class DocumentModel(FittedArtifact):
    """A base class: a model defines how to `fit`, and how vectors are made and compared.

    It has `of_documents(docnos)` and `of_texts(texts)`, which return a query vector per document of
    the collection or per text; and `compare(vectors, pairs)`, which returns the scores (k,), from 0
    to 1, of pairs (k, 2): rows of `vectors`, rows of the collection.
    """

    of_documents: ClassVar[Callable[..., Vectors]]
    of_texts: ClassVar[Callable[..., Vectors]]
    compare: ClassVar[Callable[..., np.ndarray]]
    #: range of scores that `rhsa` converts to distances; None for that of the pairs at hand
    LOWEST_SCORE: ClassVar[float | None] = None
    HIGHEST_SCORE: ClassVar[float | None] = None

    min_count: Natural = field(default=10, kw_only=True)
    most_frequent: Natural = field(default=50, kw_only=True)
    min_length: Natural = field(default=4, kw_only=True)
    alphabetic: bool = field(default=True, kw_only=True)
    counted_on: object = field(default=None, kw_only=True)

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
        left, right = (np.asarray(side, dtype=object) for side in (left, right))
        if left.ndim != 1 or left.shape != right.shape:
            raise ValueError(
                f"ids of shapes {left.shape} and {right.shape}: expected two lists of equal length"
            )
        number, queries = pd.factorize(left, use_na_sentinel=False)
        return self.compare(
            self.of_documents(queries), np.stack([number, self.rows(right)], axis=1)
        )

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
        if "kind" not in frame or not {*KINDS} <= {*frame["kind"]}:
            raise ValueError(
                "rHSA compares pairs of the kinds 'similar' and 'random'; these are not of both. "
                "Pass 'download-log/<name>/1m', or a frame of doc_id_a, doc_id_b and kind."
            )

        scores = self.scores(frame["doc_id_a"], frame["doc_id_b"])
        is_similar = (frame["kind"] == "similar").to_numpy()
        is_random = (frame["kind"] == "random").to_numpy()
        similar, random = distances(
            scores[is_similar], scores[is_random], self.LOWEST_SCORE, self.HIGHEST_SCORE
        )
        return histogram_slope(similar, random, bins=bins, edge=edge, fit=fit, x_error=x_error)

    def scores_of_all(self, vectors: Vectors) -> Iterator[np.ndarray]:
        """Yield the scores (n,) of each row of `vectors` with all n documents."""
        count = len(self.documents)
        size = max(1, BLOCK // max(1, count))
        for start in range(0, vectors.shape[0], size):
            block = vectors[start : start + size]
            pairs = np.indices((block.shape[0], count)).reshape(2, -1).T
            yield from self.compare(block, pairs).reshape(block.shape[0], count)

    def rows(self, docnos: Ids) -> np.ndarray:
        """Return the row numbers (n,) of documents in the collection.

        Raises:
            ValueError: a document is missing; names up to five.
        """
        numbers = self.parts().index.get_indexer(docnos)
        if (numbers < 0).any():
            missing = list(dict.fromkeys(np.asarray(docnos, dtype=object)[numbers < 0]))
            raise ValueError(
                f"{len(missing)} documents are not among the {len(self.documents)} of {self!r}: "
                f"{frames.some(map(repr, missing))}. If they are of another collection, fit a "
                "model there; else drop these pairs."
            )
        return numbers

    def _counted(self) -> tuple[list[str], list[str], "csr_matrix"]:
        """Return document ids, vocabulary, and counts: sparse (documents, words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        texts = _texts_of(self.source)
        try:
            vectorizer = CountVectorizer(analyzer=tokens)
            counts = vectorizer.fit_transform(texts.values())
        except ValueError:  # no token at all
            raise ValueError(f"{len(texts)} texts without a word in {self.source!r:.80}.") from None
        names = vectorizer.get_feature_names_out()
        if self.counted_on is None:
            totals = dict(zip(names.tolist(), np.asarray(counts.sum(axis=0)).ravel().tolist()))
        else:
            totals = Counter(w for t in _texts_of(self.counted_on).values() for w in tokens(t))
        words = vocabulary(
            totals, self.min_count, self.most_frequent, self.min_length, self.alphabetic
        )
        columns = np.flatnonzero(pd.Index(names).isin(words))
        if not len(columns):
            raise ValueError(
                f"None of the {len(names)} words of these {len(texts)} texts is left: pass more "
                f"texts, or lower min_count={self.min_count} and "
                f"most_frequent={self.most_frequent}."
            )
        return list(texts), names[columns].tolist(), counts[:, columns].tocsr()

    def _counts(self, texts: Iterable[str]) -> "csr_matrix":
        """Count the vocabulary in other texts: sparse (n, words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(analyzer=tokens, vocabulary=self.words).transform(texts)


def _texts_of(source: object) -> dict[str, str]:
    """Return whole documents (title and text) by id; of a list, texts by their position."""
    if isinstance(source, (list, tuple)):
        return {str(position): text for position, text in enumerate(source)}
    return {record.doc_id: record.default_text() for record in datasets.irds(source).docs_iter()}
