"""Count the words of documents: what a model of a collection begins with.

    counts = count_words({"1": "On trees", "2": "Trees and trees"})
    counts.words  # ["and", "on", "trees"]
    counts.total()["trees"]  # 3
    counts.select(["trees"]).counts.toarray()  # [[1], [2]]

Conventions: N documents, w words.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..text.vocabulary import find_tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class WordCounts(NamedTuple):
    """How often documents have words.

    Attributes:
        documents: their N ids.
        words: w words, in alphabetical order.
        counts: sparse (N, w).
    """

    documents: list[str]
    words: list[str]
    counts: "csr_matrix"

    def total(self) -> dict[str, int]:
        """Return the occurrences of each word in all documents together."""
        totals = np.asarray(self.counts.sum(axis=0)).ravel()
        return dict(zip(self.words, totals.tolist()))

    def select(self, words: Collection[str]) -> "WordCounts":
        """Return the counts of those `words` that the documents have, in alphabetical order."""
        columns = np.flatnonzero(pd.Index(self.words).isin(words))
        selected_words = [self.words[column] for column in columns.tolist()]
        return WordCounts(self.documents, selected_words, self.counts[:, columns].tocsr())


def read_texts(source: DatasetLike | Sequence[str]) -> dict[str, str]:
    """Return whole documents (title and text) by id; of a list, texts by their position."""
    if isinstance(source, (list, tuple)):
        return {str(position): text for position, text in enumerate(source)}

    records = datasets.irds(source).docs_iter()
    return {record.doc_id: record.default_text() for record in records}


def count_words(texts: Mapping[str, str]) -> WordCounts:
    """Count all words of documents, whose texts are given by id.

    Raises:
        ValueError: no text has a word.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=find_tokens)
    counts = vectorizer.fit_transform(texts.values())
    words = vectorizer.get_feature_names_out().tolist()
    return WordCounts(list(texts), words, counts)


def count_vocabulary(texts: Iterable[str], vocabulary: Sequence[str]) -> "csr_matrix":
    """Count the words of a vocabulary (w) in n texts: sparse (n, w)."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=find_tokens, vocabulary=vocabulary).transform(texts)


def count_tokens(texts: Iterable[str]) -> Counter[str]:
    """Count the occurrences of each word in all texts together, without a matrix."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(find_tokens(text))
    return counts
