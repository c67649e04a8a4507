"""Score documents by the words of their text; fit on a collection or on a query's pool.

    TfIdfScore("csfcube")(results)  # fitted on the collection
    TfIdfScore(fitted_on="pool")(results)  # on the column `text` of each query's candidates

`LexicalScore` reads the frame and finds what was fitted; `TfIdfScore` here, and `BM25Score` in
`bm25`, say how to fit and to score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from ... import datasets, frames
from ...datasets import DatasetLike
from ..step import Step

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

COLLECTION: Literal["collection"] = "collection"
POOL: Literal["pool"] = "pool"
REMEDY = "Put FacetQuery(…) before it for the query, a retriever or Pool(…) for documents."


#: what a scorer keeps of the texts that it is fitted on
TextsFit = TypeVar("TextsFit")


@dataclass(frozen=True)
class CollectionFit(Generic[TextsFit]):
    """What was fitted on the documents of a collection.

    Attributes:
        fit: what `LexicalScore.fit` returned for their texts.
        number_of_document: id -> the number of the document's text in the fit.
    """

    fit: TextsFit | None
    number_of_document: Mapping[str, int]


@dataclass(frozen=True)
class FittedRows(Generic[TextsFit]):
    """A fit that k rows are scored by, and the numbers (k,) of their documents' texts in it."""

    fit: TextsFit
    numbers: np.ndarray


@dataclass(eq=False, repr=False)
class LexicalScore(Step, Generic[TextsFit]):
    """Score documents by their text; a scorer says how to `fit` and to `score`."""

    dataset: DatasetLike | None = None
    fitted_on: Literal["collection", "pool"] = field(default=COLLECTION, kw_only=True)
    sentences: bool = field(default=False, kw_only=True)

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
        results = self._check_frame(results)
        candidate_ids = results["docno"].tolist()
        if docno not in candidate_ids:
            raise KeyError(docno)
        row = candidate_ids.index(docno)

        collection = None  # for a fit on the candidates alone
        if self.fitted_on == COLLECTION:
            collection = self._fit_collection()
        fitted_rows = self._fit_rows(results, collection)
        if fitted_rows is None:  # no text has a word
            return {}

        # the score is the mean over the texts that the query asks with, and so are the words' parts
        document_number = fitted_rows.numbers[row]
        asking_texts = self._find_asking_texts(results)
        total_by_word: dict[str, float] = {}
        for text in asking_texts:
            weights = self.weigh_words(fitted_rows.fit, text, document_number)
            for word, weight in weights.items():
                total_by_word[word] = total_by_word.get(word, 0.0) + weight
        return {word: total / len(asking_texts) for word, total in total_by_word.items()}

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self._check_frame(results)
        collection = None
        if self.fitted_on == COLLECTION and len(results):  # zero rows need no fit
            collection = self._fit_collection()

        scores = np.zeros(len(results))
        row_order = np.arange(len(results))  # `frames.ranked` keeps this order among equal scores
        for positions in frames.rows_by_query(results):
            rows_of_query = results.iloc[positions]
            fitted_rows = self._fit_rows(rows_of_query, collection)
            if fitted_rows is None:  # no text has a word, so all scores stay 0
                continue

            scores_of_query = self._score_query(rows_of_query, fitted_rows)
            scores[positions] = scores_of_query
            if self.fitted_on == POOL:
                row_order[positions] = positions[_order_as_doris_mae(scores_of_query)]
        return frames.ranked(results.assign(score=scores).iloc[row_order])

    def _score_query(self, rows: pd.DataFrame, fitted_rows: FittedRows[TextsFit]) -> np.ndarray:
        """Return the scores (k,) of a query's k rows: the mean over the texts that it asks with."""
        scores_of_texts = []
        for text in self._find_asking_texts(rows):
            scores_of_text = self.score(fitted_rows.fit, text, fitted_rows.numbers)
            scores_of_texts.append(scores_of_text)
        return np.mean(scores_of_texts, axis=0)

    @property
    def _query_column(self) -> str:
        """The column of what a query asks with."""
        return "query_sentences" if self.sentences else "query"

    def _check_frame(self, results: pd.DataFrame) -> pd.DataFrame:
        """Check the settings, and return the frame after checking its columns."""
        self.check_settings()
        if self.fitted_on == COLLECTION and self.dataset is None:
            raise ValueError("No dataset to fit on: pass one, or fitted_on='pool'.")

        needed = ["qid", self._query_column, "docno"]
        if self.dataset is None:
            needed.append("text")
        return frames.check(results, self, needed, remedy=REMEDY)

    def _find_asking_texts(self, rows: pd.DataFrame) -> list[str]:
        """Return the texts that the query of these rows asks with."""
        asking = rows[self._query_column].iloc[0]
        if self.sentences:
            return list(asking)
        return [asking]

    def _read_texts(self, rows: pd.DataFrame) -> list[str]:
        """Return the text of each row's document."""
        if self.dataset is None:
            return list(rows["text"])

        record_by_id = datasets.documents(self.dataset, rows["docno"])
        return [datasets.text(record_by_id[docno]) for docno in rows["docno"]]

    def _fit_collection(self) -> CollectionFit[TextsFit]:
        """Return the fit on the whole collection; equal scorers share it."""
        assert self.dataset is not None  # which `_check_frame` made sure of
        documents = datasets.identify_documents(self.dataset)
        settings = replace(self, dataset=None, sentences=False)
        return datasets.fit_once(self._fit_documents, settings, documents)

    def _fit_documents(self) -> CollectionFit[TextsFit]:
        """Fit on all documents of the dataset."""
        assert self.dataset is not None
        text_by_id = datasets.texts(self.dataset)
        number_of_document = {doc_id: number for number, doc_id in enumerate(text_by_id)}
        return CollectionFit(self.fit(list(text_by_id.values())), number_of_document)

    def _fit_rows(
        self, rows: pd.DataFrame, collection: CollectionFit[TextsFit] | None
    ) -> FittedRows[TextsFit] | None:
        """Return the fit for a query's rows: the collection's, or one on their texts.

        None if no text that it is fitted on has a word.
        """
        if collection is None:
            fit = self.fit(self._read_texts(rows))
            numbers = np.arange(len(rows))
        else:
            fit = collection.fit
            numbers = self._find_numbers(collection, rows["docno"])
        return None if fit is None else FittedRows(fit, numbers)

    def _find_numbers(self, collection: CollectionFit[TextsFit], docnos: pd.Series) -> np.ndarray:
        """Return the numbers of documents in the fit; ValueError for one of another collection."""
        is_known = docnos.isin(collection.number_of_document)
        unknown = docnos[~is_known].unique()
        if len(unknown):
            raise ValueError(
                f"{self.dataset} has no document {frames.some(unknown)}: "
                "are these rows of another collection?"
            )
        return docnos.map(collection.number_of_document).to_numpy()


class TfIdfFit(NamedTuple):
    """The tf-idf of n texts: how to weigh others, and their weights (n, words), a row per text."""

    vectorizer: "TfidfVectorizer"
    weights: "csr_matrix"


@dataclass(eq=False, repr=False)
class TfIdfScore(LexicalScore[TfIdfFit]):
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

    def fit(self, texts: list[str]) -> TfIdfFit | None:
        """Return the weights of the texts' words; None if no text has a word."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer()
        try:
            weights = vectorizer.fit_transform(texts)
        except ValueError:
            # scikit-learn raises for texts without words, as for other reasons
            split_words = vectorizer.build_analyzer()
            has_words = any(split_words(text) for text in texts)
            if has_words:
                raise
            return None
        return TfIdfFit(vectorizer, weights)

    def score(self, fitted: TfIdfFit, query: str, numbers: np.ndarray) -> np.ndarray:
        """Return cosines (k,); vectors have length 1."""
        query_weights = fitted.vectorizer.transform([query])  # (1, words)
        cosines = fitted.weights[numbers] @ query_weights.T
        return cosines.toarray()[:, 0]

    def weigh_words(self, fitted: TfIdfFit, query: str, number: int) -> dict[str, float]:
        """Return each common word's product of weights."""
        query_weights = fitted.vectorizer.transform([query])  # (1, words)
        products = fitted.weights[[number]].multiply(query_weights).tocsr()
        words = fitted.vectorizer.get_feature_names_out()[products.indices]
        return dict(zip(words.tolist(), products.data.tolist()))


def _order_as_doris_mae(scores: np.ndarray) -> np.ndarray:
    """Return the positions of scores (k,), highest first, equal ones in DORIS-MAE's order.

    Its code reverses numpy's default sort. That sort is not stable, and a stable one would order
    equal scores differently.
    """
    return np.argsort(scores)[::-1]
