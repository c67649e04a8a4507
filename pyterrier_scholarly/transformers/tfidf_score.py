"""TF-IDF, the paper's fabs_tfidf [Mysore2021]."""

from dataclasses import dataclass

from ._lexical import LexicalScore


@dataclass(eq=False, repr=False)
class TfIdfScore(LexicalScore):
    """Cosine of the TF-IDF vectors of query and document text, from 0 to 1.

    scikit-learn's `TfidfVectorizer` as it comes, fitted once on the `text` (of a paper, the
    abstract) of all documents of `dataset`; documents are scored by the same text, whatever column
    `text` the frame has. After `FacetQuery` this is the paper's fabs_tfidf: the facet's sentences
    against whole abstracts (the paper leaves tokens and weights open, and counts its word-based
    rows with Definition 1, though candidates' labels play no part).

    Columns in: `qid`, `query`, `docno`. Columns out: the same and `score` and `rank`, rows by query
    and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        fitted_on: ``"collection"``, or ``"pool"``: the query's own candidates (DORIS-MAE's way).

    Raises:
        ValueError: an empty query, a document that the dataset does not have; names it.
    """

    def fit(self, texts):
        """The vectorizer, and one vector per text: a sparse matrix (number of texts, words)."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer()
        return vectorizer, vectorizer.fit_transform(texts)

    def score(self, fitted, query, rows):
        """Cosines (k,); vectors have length 1."""
        vectorizer, weights = fitted
        return (weights[rows] @ vectorizer.transform([query]).T).toarray()[:, 0]
