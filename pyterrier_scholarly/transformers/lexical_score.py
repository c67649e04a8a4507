"""Score documents by the words of their text; fit on a collection or on a query's pool.

    TfIdfScore("csfcube")(results)  # fitted on the collection
    TfIdfScore(fitted_on="pool")(results)  # on the column `text` of each query's candidates

`LexicalScore` reads the frame and finds what was fitted; `TfIdfScore` here, and `BM25Score` in
`bm25`, say how to fit and to score.
"""

from collections import defaultdict
from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..step import ranked, rows_by_query
from .facet_query import read_queries
from .scorer import Scorer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

#: what a scorer keeps of the texts that it is fitted on
TextsFit = TypeVar("TextsFit")


class LexicalScore(Scorer, Generic[TextsFit]):
    """Score documents by their text; a scorer says how to `fit` and to `score`."""

    dataset: DatasetLike | None = None
    _: KW_ONLY
    fitted_on: Literal["collection", "pool"] = "collection"
    sentences: bool = False

    def fit(self, texts: list[str]) -> TextsFit | None:
        """Return what is to be kept of `texts`; None if none of them has a word.

        Called with the texts of a collection once, or with those of each query's pool.
        """
        raise NotImplementedError

    def score(self, fitted: TextsFit, query: str, numbers: np.ndarray) -> np.ndarray:
        """Return the scores (k,) of the documents whose texts had these `numbers` (k,) in `fit`.

        Called for each text that a query asks with.
        """
        raise NotImplementedError

    def weigh_words(self, fitted: TextsFit, query: str, number: int) -> dict[str, float]:
        """Return what each word adds to the score of the document with a `number` in `fit`.

        Called for each text that a query asks with. Words that add nothing are left out.
        """
        raise NotImplementedError

    def explain_words(self, results: pd.DataFrame, docno: str) -> dict[str, float]:
        """Return what each word adds to a document's score; the values add up to it.

        Args:
            results: the candidates of one query, as for `transform`.
            docno: of a candidate.

        Raises:
            ValueError: see the class.
            KeyError: the document is no candidate.
        """
        results = self.check_results(results)
        docnos = results["docno"].tolist()
        if docno not in docnos:
            raise KeyError(docno)

        fitted, text_numbers = self._read_fit(results)
        if fitted is None:  # no text has a word
            return {}

        # the score is the mean over the texts that the query asks with, and so are the words' parts
        asking_texts = self._read_asking_texts(results)
        share_by_word: defaultdict[str, float] = defaultdict(float)
        for asking_text in asking_texts:
            words = self.weigh_words(fitted, asking_text, text_numbers[docnos.index(docno)])
            for word, weight in words.items():
                share_by_word[word] += weight / len(asking_texts)
        return dict(share_by_word)

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        if self.fitted_on == "collection" and self.dataset is None:
            raise ValueError("No dataset to fit on: pass one, or fitted_on='pool'.")

        query_columns = ["query_paper", "query_sentence_ids"] if self.sentences else ["query"]
        text_columns = ["text"] if self.dataset is None else []
        return self.check(results, ["qid", *query_columns, "docno", *text_columns])

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check_results(results)

        scores = np.zeros(len(results))
        # the rows as `ranked` reads them, which keeps their order among equal scores
        row_order = np.arange(len(results))
        for rows in rows_by_query(results):
            candidates = results.iloc[rows]
            fitted, text_numbers = self._read_fit(candidates)
            if fitted is None:  # no text has a word, so all scores stay 0
                continue

            asking_texts = self._read_asking_texts(candidates)
            scores_by_text = [self.score(fitted, text, text_numbers) for text in asking_texts]
            scores[rows] = np.mean(scores_by_text, axis=0)

            if self.fitted_on == "pool":
                # equal scores are ordered as by DORIS-MAE's code, which reverses numpy's default
                # sort; it is not stable, so no stable sort would do
                best_first = np.argsort(scores[rows])[::-1]
                row_order[rows] = rows[best_first]

        scored_rows = results.assign(score=scores).iloc[row_order]
        return ranked(scored_rows)

    def _read_asking_texts(self, candidates: pd.DataFrame) -> list[str]:
        """Return the texts that the query of these candidates asks with."""
        if not self.sentences:
            return [candidates["query"].iloc[0]]
        (query,) = read_queries(candidates)
        return query.sentences

    def _read_fit(self, candidates: pd.DataFrame) -> tuple[TextsFit | None, np.ndarray]:
        """Return what `fit` made of the pool or the collection, and which texts are whose.

        Returns:
            The fit, None if no text has a word; and for each of the k candidates the number (k,) of
            its text among those that `fit` read, from 0.
        """
        docnos = candidates["docno"].tolist()
        if self.fitted_on == "pool":
            if self.dataset is None:
                pool_texts = candidates["text"].tolist()
            else:
                pool_texts = datasets.read_texts(self.dataset, docnos)
            return self.fit(pool_texts), np.arange(len(docnos))

        # scorers share a fit, so what it does not depend on is made equal: `sentences`, and how
        # the dataset is named (`documents` stands for its content)
        documents = datasets.identify_documents(self.dataset)
        settings = replace(self, dataset="any", sentences=False)
        fitted, number_by_docno = datasets.fit_once(self._fit_collection, settings, documents)

        datasets.check_known(self.dataset, docnos, number_by_docno)
        return fitted, np.array([number_by_docno[docno] for docno in docnos])

    def _fit_collection(self) -> tuple[TextsFit | None, dict[str, int]]:
        """Return the fit on all documents, and by document the number of its text in the fit."""
        text_by_docno = datasets.texts(self.dataset)
        number_by_docno = {docno: number for number, docno in enumerate(text_by_docno)}
        return self.fit(list(text_by_docno.values())), number_by_docno


#: the tf-idf of n texts: how to weigh others, and their weights (n, words)
TfIdfFit: TypeAlias = "tuple[TfidfVectorizer, csr_matrix]"


class TfIdfScore(LexicalScore[TfIdfFit]):
    """Score documents by the cosine (0 to 1) of the TF-IDF vectors of query and document text.

    It is scikit-learn's default `TfidfVectorizer`, fitted once on the `text` (of a paper, the
    abstract) of all documents of `dataset`. Documents are scored by the same text, whatever column
    `text` the frame has. After `FacetQuery` this is the paper's fabs_tfidf [Mysore2021]: the
    facet's sentences against whole abstracts. (The paper leaves tokens and weights open, and counts
    its word-based rows with Definition 1, although candidates' labels have no effect.) Behind
    `PlainText`, fitted on pools, it is DORIS-MAE's TF-IDF [Wang2023].

    Columns in: `qid`, `query`, `docno`; without a dataset `text`; with `sentences`, `query_paper`
    and `query_sentence_ids` instead of `query`. Columns out: the same and `score` and `rank`, rows
    by query and rank. If no text that it is fitted on has a word, all scores are 0. Equal scorers
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

    def fit(self, texts: list[str]) -> "TfIdfFit | None":
        """Return the weights of the texts' words; None if no text has a word."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer()
        split_words = vectorizer.build_analyzer()
        if not any(split_words(text) for text in texts):
            return None
        return vectorizer, vectorizer.fit_transform(texts)

    def score(self, fitted: TfIdfFit, query: str, numbers: np.ndarray) -> np.ndarray:
        """Return cosines (k,); vectors have length 1."""
        vectorizer, weights = fitted
        cosines = weights[numbers] @ vectorizer.transform([query]).T
        return cosines.toarray()[:, 0]

    def weigh_words(self, fitted: TfIdfFit, query: str, number: int) -> dict[str, float]:
        """Return each common word's product of weights."""
        vectorizer, weights = fitted
        products = weights[[number]].multiply(vectorizer.transform([query])).tocsr()
        words = vectorizer.get_feature_names_out()[products.indices]
        return dict(zip(words.tolist(), products.data.tolist()))
