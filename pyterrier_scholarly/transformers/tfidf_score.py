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
    rows with Definition 1, though candidates' labels play no part). Behind
    `PlainText` and fitted on pools it is DORIS-MAE's TF-IDF [Wang2023].

    Columns in: `qid`, `query`, `docno`; without a dataset `text`, with `sentences`
    `query_sentences` in the place of `query`. Columns out: the same and `score` and `rank`, rows by
    query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset; None for the column `text`, on pools.
        fitted_on: ``"collection"``, or ``"pool"``: the query's own candidates (DORIS-MAE's way; of
            equal scores its order is that of ``numpy.argsort(scores)[::-1]``, as there).
        sentences: ask with each of the query's sentences, and take the mean of the scores.

    Raises:
        ValueError: an empty query, a document that the dataset does not have; names it. Neither a
            dataset nor ``fitted_on="pool"``.
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
