"""Tf-idf vectors of whole documents, compared by cosine [Krstovski, Smith & Kurtz 2016].

model = TfIdfModel("csfcube", top=50)
model.scores(["1198964"], ["3264891"])  # (1,), from 0 to 1
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import Count
from ..similarity.document_pairs import products, strongest, unit_rows
from .document_model import DocumentModel, Documents, Ids

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Weights(Documents):
    """The tf-idf vectors of documents, of length 1, as the arrays of a sparse matrix.

    Attributes:
        data, indices, indptr: scipy's arrays of a CSR matrix (documents, words).
        idf: (w,), of the words.
    """

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    idf: np.ndarray

    @cached_property
    def matrix(self) -> "csr_matrix":
        """The vectors: sparse (documents, words)."""
        from scipy.sparse import csr_matrix

        shape = (len(self.documents), len(self.words))
        return csr_matrix((self.data, self.indices, self.indptr), shape=shape)


@dataclass(eq=False, repr=False)
class TfIdfModel(DocumentModel[Weights]):
    """Score documents by the cosine of tf-idf vectors; a query has only its `top` terms.

    A word's weight is (1 + ln f) · ln(N / n): f its count in the document, n the number of
    documents with it among all N (Croft, Metzler & Strohman's form, which the paper cites without
    other details). Scores are from 0 to 1; a document without a word of the vocabulary scores 0.
    `stats.distances` turns scores into the paper's normalised distances.

    Fitted when first needed, on title and text of all documents of the collection. Instances that
    differ only by `top` or by subsets of one collection share one fit. As a PyTerrier artifact it
    is a folder of plain files (no pickle)::

        TfIdfModel.train("csfcube", "tfidf")  # fits and writes
        TfIdfModel("tfidf", top=50)  # reads; pt.Artifact.load("tfidf") too

    Args:
        source: a dataset, a list of texts (their ids are "0", "1", …), or a folder that `save`
            wrote, which has all settings but `top`.
        top: number of a query's heaviest terms (the paper has 50, 100 and 500; ties go by the
            alphabet); None for all.
        min_count: drop words that occur less often in all documents together.
        most_frequent: number of the most frequent words to drop.
        min_length: drop shorter words.
        alphabetic: drop words with characters that are not letters.
        counted_on: a dataset or a list of texts that decides on the vocabulary instead of the
            collection (the paper's is larger).

    Raises:
        ValueError: (when first needed) no word is left, or the folder is damaged.

    Source: Krstovski, Smith & Kurtz (2016), "Document Similarity Models"; the defaults are its
    vocabulary.
    """

    top: Count | None = field(default=None, kw_only=True)

    ARTIFACT_TYPE = "tfidf_model"
    WHAT = "tf-idf vectors"
    PARTS = Weights
    UNFITTED_SETTINGS = ("top",)

    def fit(self) -> Weights:
        """Count and weigh words."""
        documents, words, counts = self._count_words()
        # a row has each of its words once, so this counts the documents with a word
        document_counts = np.bincount(counts.indices, minlength=len(words))
        idf = np.log(len(documents) / document_counts)

        vectors = _weigh_words(counts, idf)
        return Weights(
            documents=documents,
            words=words,
            data=vectors.data,
            indices=vectors.indices,
            indptr=vectors.indptr,
            idf=idf,
        )

    def of_documents(self, docnos: Ids) -> "csr_matrix":
        """Return the unit vectors of documents' top terms: sparse (n, words)."""
        vectors = self.parts().matrix[self.rows(docnos)]
        return self._keep_top(vectors)

    def of_texts(self, texts: Iterable[str]) -> "csr_matrix":
        """Return the unit vectors of texts' top terms: sparse (n, words)."""
        counts = self._count_vocabulary(texts)
        return self._keep_top(_weigh_words(counts, self.parts().idf))

    def compare(self, vectors: "csr_matrix", pairs: np.ndarray) -> np.ndarray:
        """Return cosines (k,) of pairs (k, 2): rows of `vectors`, rows of the collection."""
        cosines = products(vectors, self.parts().matrix, pairs)
        return np.clip(cosines, 0, 1)  # rounding can lead beyond

    def scores_of_all(self, vectors: "csr_matrix") -> Iterator[np.ndarray]:
        """Yield the cosines (N,) of each row of `vectors` with all N documents."""
        matrix = self.parts().matrix
        for row in vectors:
            cosines = matrix @ row.toarray().ravel()
            yield np.clip(cosines, 0, 1)

    def _keep_top(self, vectors: "csr_matrix") -> "csr_matrix":
        """Keep the heaviest terms of each row; the rows have length 1 again."""
        return unit_rows(strongest(vectors, self.top))


def _weigh_words(counts: "csr_matrix", idf: np.ndarray) -> "csr_matrix":
    """Return the unit vectors of texts' weighted words: sparse (n, words)."""
    weights = counts.astype(float)
    weights.data = (1 + np.log(weights.data)) * idf[weights.indices]
    weights.sort_indices()
    return unit_rows(weights)
