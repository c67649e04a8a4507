"""Score documents by the words of their text; fit on a collection or on a query's pool."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from ... import datasets, frames
from ...artifacts import Fit
from ...datasets import DatasetLike
from ..step import Step

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

COLLECTION: Literal["collection"] = "collection"
POOL: Literal["pool"] = "pool"


@dataclass(eq=False, repr=False)
class LexicalScore(Step):
    """Score documents by their text. A scorer says how to `fit` and to `score`."""

    dataset: DatasetLike | None = None
    fitted_on: Literal["collection", "pool"] = field(default=COLLECTION, kw_only=True)
    sentences: bool = field(default=False, kw_only=True)

    def fit(self, texts: list[str]) -> Fit | None:
        """Return what is to be kept of `texts`; None if none of them has a word."""
        raise NotImplementedError

    def score(self, fitted: Fit, query: str, rows: np.ndarray) -> np.ndarray:
        """Return the scores (k,) of the documents whose texts were number `rows` (k,) in `fit`."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results, asked = self._checked(results)
        scores, order = np.zeros(len(results)), np.arange(len(results))
        collection = len(results) and self.fitted_on == COLLECTION
        look_up = self._of_collection() if collection else self._of_pool
        for places in frames.rows_by_query(results):
            rows = results.iloc[places]
            fitted, numbers = look_up(rows)
            if fitted is None:  # no text has a word, so all scores stay 0
                continue
            queries = rows[asked].iloc[0] if self.sentences else rows[asked].iloc[:1]
            scores[places] = np.mean([self.score(fitted, q, numbers) for q in queries], axis=0)
            if self.fitted_on == POOL:
                order[places] = places[np.argsort(scores[places])[::-1]]
        return frames.ranked(results.assign(score=scores).iloc[order])

    def _checked(self, results: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """Check settings and frame; return the frame, and the column of the query's text."""
        asked = "query_sentences" if self.sentences else "query"
        own = ["text"] if self.dataset is None else []
        self.check_settings()
        if self.fitted_on == COLLECTION and self.dataset is None:
            raise ValueError("No dataset to fit on: pass one, or fitted_on='pool'.")
        remedy = "Put FacetQuery(…) before it for the query, a retriever or Pool(…) for documents."
        return frames.check(results, self, ["qid", asked, "docno", *own], remedy=remedy), asked

    def _of_pool(self, rows: pd.DataFrame) -> tuple[Fit | None, np.ndarray]:
        """Fit on the documents of these rows; return the fit, and the rows' numbers in it."""
        texts = rows.get("text")
        if self.dataset is not None:
            records = datasets.documents(self.dataset, rows["docno"])
            texts = [datasets.text(records[docno]) for docno in rows["docno"]]
        return self.fit(list(texts)), np.arange(len(rows))

    def _of_collection(self) -> Callable[[pd.DataFrame], tuple[Fit | None, np.ndarray]]:
        """Return a function like `_of_pool` that uses the fit on the whole collection."""
        fitted, row_of = _fitted(replace(self, dataset=datasets.collection(self.dataset)))

        def look_up(rows: pd.DataFrame) -> tuple[Fit | None, np.ndarray]:
            docnos = rows["docno"]
            unknown = docnos[~docnos.isin(row_of)].unique()
            if len(unknown):
                raise ValueError(
                    f"{self.dataset} has no document {frames.some(unknown)}: "
                    "are these rows of another collection?"
                )
            return fitted, docnos.map(row_of).to_numpy()

        return look_up


@lru_cache(maxsize=4)
def _fitted(scorer: LexicalScore) -> tuple[Fit | None, dict[str, int]]:
    """Return the fit, and the row number of each document; equal scorers share it."""
    texts = datasets.texts(scorer.dataset)
    return scorer.fit(list(texts.values())), {doc_id: row for row, doc_id in enumerate(texts)}


@dataclass(eq=False, repr=False)
class TfIdfScore(LexicalScore):
    """Score documents by the cosine (0 to 1) of the TF-IDF vectors of query and document text.

    It is scikit-learn's default `TfidfVectorizer`, fitted once on the `text` (of a paper, the
    abstract) of all documents of `dataset`. Documents are scored by the same text, whatever column
    `text` the frame has. After `FacetQuery` this is the paper's fabs_tfidf [Mysore2021]: the
    facet's sentences against whole abstracts. (The paper leaves tokens and weights open, and counts
    its word-based rows with Definition 1, although candidates' labels have no effect.) Behind
    `PlainText`, fitted on pools, it is DORIS-MAE's TF-IDF [Wang2023].

    Columns in: `qid`, `query`, `docno`; without a dataset `text`; with `sentences`,
    `query_sentences` instead of `query`. Columns out: the same and `score` and `rank`, rows by
    query and rank. If no text that it is fitted on has a word, all scores are 0. Equal scorers
    share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset; None for the column `text`, on pools.
        fitted_on: ``"collection"``, or ``"pool"``: the query's own candidates. This is DORIS-MAE's
            way; ties are in the order of ``numpy.argsort(scores)[::-1]``, as there.
        sentences: ask with each of the query's sentences, and take the mean of the scores.

    Raises:
        ValueError: an empty query, a document missing from the dataset; names it. Neither a dataset
            nor ``fitted_on="pool"``.
    """

    def fit(self, texts: list[str]) -> tuple["TfidfVectorizer", "csr_matrix"] | None:
        """Return the vectorizer, and a sparse matrix (number of texts, words): a row per text."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer()
        try:
            return vectorizer, vectorizer.fit_transform(texts)
        except ValueError:
            if any(map(vectorizer.build_analyzer(), texts)):
                raise
            return None  # scikit-learn knows no empty vocabulary

    def score(
        self, fitted: tuple["TfidfVectorizer", "csr_matrix"], query: str, rows: np.ndarray
    ) -> np.ndarray:
        """Return cosines (k,); vectors have length 1."""
        vectorizer, weights = fitted
        return (weights[rows] @ vectorizer.transform([query]).T).toarray()[:, 0]
