"""Tf-idf vectors of whole documents, compared by cosine [Krstovski, Smith & Kurtz 2016]."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..similarity.documents import products, strongest, unit_rows
from ._model import DocumentModel, Documents


@dataclass(frozen=True)
class Weights(Documents):
    """Their unit vectors as the three arrays of a sparse matrix, and the words' idf (w,)."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    idf: np.ndarray

    @cached_property
    def matrix(self):
        """The vectors: sparse (documents, words)."""
        from scipy.sparse import csr_matrix

        shape = (len(self.documents), len(self.words))
        return csr_matrix((self.data, self.indices, self.indptr), shape=shape)

    def whole(self) -> bool:
        """Whether it is a matrix of as many rows and columns, all of numbers."""
        self.matrix.check_format(full_check=True)
        numbers = np.isfinite(self.data).all() and np.isfinite(self.idf).all()
        alike = self.idf.shape == (len(self.words),) and self.index.is_unique
        return bool(numbers and alike and len(set(self.words)) == len(self.words))


@dataclass(eq=False, repr=False)
class TfIdfModel(DocumentModel):
    """Cosine of the tf-idf vectors of whole documents, of which one asks with its `top` terms.

    A word weighs (1 + ln f) · ln(N / n): f its number in the document, n the documents with it
    among all N (Croft, Metzler & Strohman's form; the paper names them, and no other details).
    Scores are cosines, from 0 to 1; a document without a word of the vocabulary has 0 with all.
    `stats.distances` turns scores into the paper's normalised distances.

    Fitted when first needed, on title and text of all documents of the collection; instances that
    are equal, but for `top` or for subsets of one collection, share one fit. As a PyTerrier
    artifact it is a folder of plain files (no pickle)::

        TfIdfModel.train("csfcube", "tfidf")  # fits and writes
        TfIdfModel("tfidf", top=50)  # reads; pt.Artifact.load("tfidf") too

    Args:
        source: a dataset, a list of texts (their ids are "0", "1", …), or a folder that `save`
            wrote, which has settings of its own for all but `top`.
        top: the number of its heaviest terms that a query is represented by (the paper has 50, 100
            and 500; of equal weights the alphabetically first); None for all.
        min_count: words that occur less often, in all documents together, are left out.
        most_frequent: number of the most frequent of all words to leave out.
        min_length: shorter words are left out.
        alphabetic: leave out words with other characters than letters.
        counted_on: a dataset or a list of texts on which words are counted and the vocabulary
            chosen, if that is not the collection itself (the paper's is larger).

    Raises:
        ValueError: (when first needed) no word is left; a folder that is damaged.

    Source: Krstovski, Smith & Kurtz (2016), "Document Similarity Models"; the defaults are its
    vocabulary.
    """

    top: int | None = field(default=None, kw_only=True)

    ARTIFACT_TYPE = "tfidf_model"
    WHAT = "tf-idf vectors"
    PARTS = Weights
    CHOSEN = ("top",)

    def fit(self):
        """Count and weigh."""
        documents, words, counts = self._counted()
        idf = np.log(counts.shape[0] / np.bincount(counts.indices, minlength=len(words)))
        made = _weighed(counts, idf)
        return Weights(documents, words, made.data, made.indices, made.indptr, idf)

    def of_documents(self, docnos):
        """The unit vectors of documents' top terms: sparse (n, words)."""
        return self._asking(self.parts().matrix[self.rows(docnos)])

    def of_texts(self, texts):
        """The unit vectors of texts' top terms: sparse (n, words)."""
        return self._asking(_weighed(self._counts(texts), self.parts().idf))

    def compare(self, vectors, pairs):
        """Cosines (k,) of pairs (k, 2) of a row of `vectors` and a row of the collection."""
        return np.clip(products(vectors, self.parts().matrix, pairs), 0, 1)

    def scores_of_all(self, vectors):
        """Cosines of each row of `vectors` with all n documents; yields arrays (n,)."""
        matrix = self.parts().matrix
        for row in vectors:
            yield np.clip((matrix @ row.toarray().ravel()), 0, 1)

    def _asking(self, vectors):
        if self.top is not None and not self.top >= 1:
            raise ValueError(f"top={self.top!r}: expected a number of terms from 1, or None.")
        return unit_rows(strongest(vectors, self.top))


def _weighed(counts, idf):
    made = counts.astype(float)
    made.data = (1 + np.log(made.data)) * idf[made.indices]
    made.sort_indices()
    return unit_rows(made)
