"""What the models of document similarity share: documents and their words, scores of pairs."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from .. import datasets, frames
from ..artifacts import FittedArtifact
from ..text.words import tokens, vocabulary

BLOCK = 1 << 20  # scores at a time, where queries meet a whole collection


@dataclass(frozen=True)
class Documents:
    """What every model keeps: ids of documents, and the vocabulary."""

    documents: list
    words: list

    @cached_property
    def index(self):
        """From ids of documents to their rows."""
        return pd.Index(self.documents, dtype=object)


@dataclass(eq=False, repr=False)
class DocumentModel(FittedArtifact):
    """A model says how to `fit`, and how its vectors are made and compared.

    It has `of_documents(docnos)` and `of_texts(texts)`, the vectors that documents of the
    collection, or any texts, ask with, a row each; and `compare(vectors, pairs)`, the scores (k,),
    from 0 to 1, of pairs (k, 2): rows of `vectors`, rows of the collection. Its parts have
    `documents`, their ids, and `words`.
    """

    min_count: int = field(default=10, kw_only=True)
    most_frequent: int = field(default=50, kw_only=True)
    min_length: int = field(default=4, kw_only=True)
    alphabetic: bool = field(default=True, kw_only=True)
    counted_on: object = field(default=None, kw_only=True)

    @property
    def documents(self) -> list:
        """The ids of the collection's documents; of a list of texts, their places as strings."""
        return self.parts().documents

    @property
    def words(self) -> list:
        """The vocabulary."""
        return self.parts().words

    def scores(self, left, right):
        """Scores of pairs of documents, however many; `left` asks.

        Args:
            left, right: ids of documents, arrays or lists (n,).

        Returns:
            float array (n,), from 0 to 1, the higher the more alike.

        Raises:
            ValueError: the two are not of one length, or a document is not in the collection.
        """
        left, right = (np.asarray(side, dtype=object) for side in (left, right))
        if left.ndim != 1 or left.shape != right.shape:
            raise ValueError(
                f"ids of shapes {left.shape} and {right.shape}: expected two lists of one length"
            )
        asking, number = pd.factorize(left, use_na_sentinel=False)[::-1]
        pairs = np.stack([number, self.rows(right)], axis=1)
        return self.compare(self.of_documents(asking), pairs)

    def scores_of_all(self, vectors):
        """Scores of each row of `vectors` (m rows) with all n documents; yields arrays (n,)."""
        count = len(self.documents)
        size = max(1, BLOCK // max(1, count))
        for start in range(0, vectors.shape[0], size):
            block = vectors[start : start + size]
            pairs = np.indices((block.shape[0], count)).reshape(2, -1).T
            yield from self.compare(block, pairs).reshape(block.shape[0], count)

    def rows(self, docnos):
        """Numbers (n,) of documents in the collection.

        Raises:
            ValueError: a document that is not in it; names up to five.
        """
        found = self.parts().index.get_indexer(docnos)
        if (found < 0).any():
            unknown = list(dict.fromkeys(np.asarray(docnos, dtype=object)[found < 0]))
            raise ValueError(
                f"{len(unknown)} documents are not among the {len(self.documents)} of {self!r}: "
                f"{frames.some(map(repr, unknown))}. Are they of another collection? If so fit a "
                "model there, else leave these pairs out."
            )
        return found

    def _counted(self):
        """Document ids, vocabulary, and counts: sparse (documents, words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        texts = texts_of(self.source)
        try:
            vectorizer = CountVectorizer(analyzer=tokens)
            counts = vectorizer.fit_transform(texts.values())
        except ValueError:  # no token at all
            raise ValueError(f"{len(texts)} texts without a word in {self.source!r:.80}.") from None
        own = vectorizer.get_feature_names_out()
        if self.counted_on is None:
            totals = dict(zip(own.tolist(), np.asarray(counts.sum(axis=0)).ravel().tolist()))
        else:
            totals = Counter(w for t in texts_of(self.counted_on).values() for w in tokens(t))
        words = vocabulary(
            totals, self.min_count, self.most_frequent, self.min_length, self.alphabetic
        )
        places = [vectorizer.vocabulary_[word] for word in words if word in vectorizer.vocabulary_]
        if not places:
            raise ValueError(
                f"None of the {len(own)} words of these {len(texts)} texts is left: give more "
                f"texts, or lower min_count={self.min_count} and "
                f"most_frequent={self.most_frequent}."
            )
        return list(texts), own[places].tolist(), counts[:, places].tocsr()

    def _counts(self, texts):
        """Counts of the vocabulary in other texts: sparse (n, words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(analyzer=tokens, vocabulary=self.words).transform(texts)


def texts_of(source) -> dict:
    """Whole documents (title and text) by id; of a list, texts by their place."""
    if isinstance(source, (list, tuple)):
        return {str(place): text for place, text in enumerate(source)}
    return {record.doc_id: record.default_text() for record in datasets.irds(source).docs_iter()}
