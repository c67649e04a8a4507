"""Score or retrieve whole documents by a model of their similarity: tf-idf or topics.

    DocumentRetriever(TfIdfModel("csfcube"))(topics)  # with the column query_docno

The model fits and compares; here frames come in, and ranked frames go out.
"""

from collections.abc import Collection
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pandas as pd

from ..document_models import DocumentModel
from ..step import Count, Step, retrieved, warn_of_unmatched
from .scorer import Scorer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vectors: TypeAlias = "np.ndarray | csr_matrix"  #: of documents, as a model makes them

#: column of what asks
By: TypeAlias = Literal["query_docno", "query"]
REMEDY = (
    "query_docno names the document that asks (FacetQuery sets it; or assign it); to ask with "
    'texts pass by="query".'
)


class DocumentSimilarity(Scorer):
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
    _: KW_ONLY
    by: By = "query_docno"

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        return self.check(results, ["qid", "docno", self.by], remedy=REMEDY)

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,)."""
        vectors, vector_of_row = _make_query_vectors(self.model, self.by, results)
        documents = self.model.rows(results["docno"].to_numpy())  # (n,), numbers
        pairs = np.stack([vector_of_row, documents], axis=1)
        return self.model.compare(vectors, pairs)


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
    _: KW_ONLY
    num_results: Count = 1000
    by: By = "query_docno"
    without: Collection[str] = ()

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve and rank."""
        topics = self.check(topics, ["qid", self.by], without=["docno"], remedy=REMEDY)
        if topics.empty:
            return retrieved(topics, [])

        docnos = np.array(self.model.documents, dtype=object)
        excluded = self.model.rows(list(self.without))
        retrievable = np.delete(np.arange(len(docnos)), excluded)  # numbers of documents

        # topics may share a vector, so documents are ranked once for each vector
        vectors, vector_of_row = _make_query_vectors(self.model, self.by, topics)
        ranking_of_vector = []
        for scores in self.model.scores_of_all(vectors):
            best_first = retrievable[np.argsort(-scores[retrievable], kind="stable")]
            best = best_first[: self.num_results + 1]  # one may be the document that asks
            ranking_of_vector.append(pd.DataFrame({"docno": docnos[best], "score": scores[best]}))

        results = []
        for qid, number in zip(topics["qid"], vector_of_row):
            results.append(ranking_of_vector[number].assign(qid=qid))
        ranking = retrieved(topics, results, self.num_results, without_self=True)
        warn_of_unmatched(ranking, "DocumentRetriever")
        return ranking


def _make_query_vectors(
    model: DocumentModel, by: By, frame: pd.DataFrame
) -> tuple[Vectors, np.ndarray]:
    """Return the model's vectors of what asks in a frame, by its column `by`.

    Returns:
        The vectors (u, …) of the distinct documents or texts, and the number (n,) of each row's.
    """
    values = frame[by].to_numpy(dtype=object)
    vector_of_row, distinct_values = pd.factorize(values, use_na_sentinel=False)
    if by == "query_docno":
        return model.of_documents(distinct_values), vector_of_row
    return model.of_texts(distinct_values), vector_of_row
