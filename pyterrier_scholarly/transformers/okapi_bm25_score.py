"""Okapi BM25, the paper's fabs_bm25 [Mysore2021]."""

import re
from dataclasses import dataclass

from ._lexical import LexicalScore

K1, B, EPSILON = 1.5, 0.75, 0.25  # rank_bm25's own


@dataclass(eq=False, repr=False)
class OkapiBM25Score(LexicalScore):
    """Okapi BM25 of query and document text by the library rank_bm25 (not Terrier's BM25).

    k1 1.5, b 0.75, and for words in more than half of the documents 0.25 of the mean idf. Words are
    the lower-cased runs of letters and digits, none left out, none stemmed. Fitted once on the
    `text` (of a paper, the abstract) of all documents of `dataset`; documents are scored by the
    same text, whatever column `text` the frame has. After `FacetQuery` this is the paper's
    fabs_bm25: the facet's sentences against whole abstracts.

    Columns in: `qid`, `query`, `docno`. Columns out: the same and `score` (0 or more) and `rank`,
    rows by query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        fitted_on: ``"collection"``, or ``"pool"``: the query's own candidates (DORIS-MAE's way).

    Raises:
        ValueError: an empty query, a document that the dataset does not have; names it.
        ImportError: rank_bm25 is not installed.
    """

    def fit(self, texts):
        """The model of the collection."""
        from rank_bm25 import BM25Okapi

        return BM25Okapi([words(text) for text in texts], k1=K1, b=B, epsilon=EPSILON)

    def score(self, fitted, query, rows):
        """Scores (k,) of these documents alone."""
        return fitted.get_batch_scores(words(query), list(rows))


def words(text) -> list[str]:
    """The words of a text."""
    return re.findall(r"\w+", text.lower())
