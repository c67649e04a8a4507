"""Score or retrieve whole documents by a model of their similarity: tf-idf or topics.

    DocumentRetriever(TfIdfModel("csfcube"))(topics)  # with the column query_docno

The model fits and compares; here frames come in, and ranked frames go out.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ..document_models import DocumentModel
from ..step import Count, Step, ranked, retrieved, warn_of_unmatched
from .lexical_score import check_not_blank

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vectors: TypeAlias = "np.ndarray | csr_matrix"  #: of documents, as a model makes them

#: column of what asks
By: TypeAlias = Literal["query_docno", "query"]
REMEDY = (
    "query_docno names the document that asks (FacetQuery sets it; or assign it); to ask with "
    'texts pass by="query".'
)


class DocumentSimilarity(Step):
    """Score documents by how similar they are to the document that asks, by tf-idf or by topics.

    Columns in: `qid`, `docno` and the column `by`. Columns out: the same and `score` and `rank`,
    rows by query and rank. `score` is from 0 to 1: a cosine, or 1 less the Jensen-Shannon
    divergence.

    Args:
        model: `TfIdfModel` or `TopicModel`.
        by: ``"query_docno"``, a document of the model's collection, or ``"query"``, any text.

    Raises:
        ValueError: a document missing from the model, a query without text; names it.
    """

    model: DocumentModel
    by: By = field(default="query_docno", kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check(results, ["qid", "docno", self.by], remedy=REMEDY)
        scores = np.zeros(0)
        if len(results):
            queries = _make_query_vectors(self.model, self.by, results)
            documents = self.model.rows(results["docno"].to_numpy())  # (n,), numbers
            pairs = np.stack([queries.vector_of_row, documents], axis=1)
            scores = self.model.compare(queries.vectors, pairs)
        return ranked(results.assign(score=scores))


class DocumentRetriever(Step):
    """Retrieve the documents of a model's collection that are most similar to the one that asks.

    Every document is compared, so the search is exact. The document that asks is left out. The
    paper of rHSA ranks only documents that are no queries: pass these as `without`.

    Columns in: `qid` and the column `by`. Columns out: the same and `docno`, `score` (as of
    `DocumentSimilarity`) and `rank`, rows by query and rank, ties in the collection's order.

    Args:
        model: `TfIdfModel` or `TopicModel`.
        num_results: documents per query, at most.
        by: ``"query_docno"``, a document of the model's collection, or ``"query"``, any text.
        without: ids of documents that are never retrieved.

    Raises:
        ValueError: a document missing from the model (also one of `without`), a query without text,
            duplicate topics; names it.
    """

    model: DocumentModel
    num_results: Count = field(default=1000, kw_only=True)
    by: By = field(default="query_docno", kw_only=True)
    without: Sequence[str] = field(default=(), kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve and rank."""
        topics = self.check(topics, ["qid", self.by], without=["docno"], remedy=REMEDY)
        if topics.empty:
            return retrieved(topics, [])

        queries = _make_query_vectors(self.model, self.by, topics)
        docnos = np.array(self.model.documents, dtype=object)
        retrievable = self._find_retrievable()

        # topics may share a vector, so documents are ranked once for each vector
        ranking_of_vector = []
        for scores in self.model.scores_of_all(queries.vectors):
            best = self._find_best(scores, retrievable)
            ranking = pd.DataFrame({"docno": docnos[best], "score": scores[best]})
            ranking_of_vector.append(ranking)

        results_of_topics = []
        for qid, vector_number in zip(topics["qid"], queries.vector_of_row):
            ranking = ranking_of_vector[vector_number]
            results_of_topics.append(ranking.assign(qid=qid))
        ranking = retrieved(topics, results_of_topics, self.num_results, without_self=True)
        warn_of_unmatched(ranking, "DocumentRetriever")
        return ranking

    def _find_retrievable(self) -> np.ndarray:
        """Return the model's numbers of the documents that may be retrieved, in their order."""
        is_retrievable = np.ones(len(self.model.documents), dtype=bool)
        if len(self.without):
            is_retrievable[self.model.rows(list(self.without))] = False
        return np.flatnonzero(is_retrievable)

    def _find_best(self, scores: np.ndarray, retrievable: np.ndarray) -> np.ndarray:
        """Return the numbers of the best documents, and of one more: one may be the asker.

        scores: (documents of the model,). retrievable: numbers of those that may be retrieved.
        """
        order = np.argsort(-scores[retrievable], kind="stable")
        return retrievable[order[: self.num_results + 1]]


class QueryVectors(NamedTuple):
    """What the rows of a frame ask with.

    Attributes:
        vectors: (u, …), the model's vectors of the distinct documents or texts that ask.
        vector_of_row: (n,), the number of each row's vector.
    """

    vectors: Vectors
    vector_of_row: np.ndarray


def _make_query_vectors(model: DocumentModel, by: By, frame: pd.DataFrame) -> QueryVectors:
    """Return the distinct vectors that the rows of `frame` ask with, by their column `by`."""
    values = frame[by].to_numpy(dtype=object)
    vector_of_row, distinct_values = pd.factorize(values, use_na_sentinel=False)
    if by == "query":
        check_not_blank(frame, "query")
        vectors = model.of_texts(distinct_values)
    else:
        vectors = model.of_documents(distinct_values)
    return QueryVectors(vectors, vector_of_row)
