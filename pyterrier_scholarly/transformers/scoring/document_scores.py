"""Score or retrieve whole documents by a model of their similarity: tf-idf or topics."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count
from ...document_models import DocumentModel
from ..step import Step

#: column of what asks
By: TypeAlias = Literal["query_docno", "query"]
REMEDY = (
    "query_docno names the document that asks (FacetQuery sets it; or assign it); to ask with "
    'texts pass by="query".'
)


@dataclass(eq=False, repr=False)
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
        results = frames.check(results, self, ["qid", "docno", self.by], remedy=REMEDY)
        scores = np.zeros(len(results))
        if len(results):
            vectors, number = _asking(self, results)
            rows = self.model.rows(results["docno"].to_numpy())
            scores = self.model.compare(vectors, np.stack([number, rows], axis=1))
        return frames.ranked(results.assign(score=scores))


@dataclass(eq=False, repr=False)
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
        topics = frames.check(topics, self, ["qid", self.by], without=["docno"], remedy=REMEDY)
        if topics.empty:
            return frames.retrieved(topics, [])
        vectors, number = _asking(self, topics)
        searched = self._searched_rows()
        best = [self._best(scores, searched) for scores in self.model.scores_of_all(vectors)]
        ids = np.array(self.model.documents, dtype=object)
        parts = [
            pd.DataFrame({"qid": qid, "docno": ids[best[n][0]], "score": best[n][1]})
            for qid, n in zip(topics["qid"], number)
        ]
        return frames.retrieved(topics, parts, self.num_results, without_self=True)

    def _searched_rows(self) -> np.ndarray:
        """Return the model's rows of the documents that may be retrieved, in their order."""
        is_searched = np.ones(len(self.model.documents), dtype=bool)
        if len(self.without):
            is_searched[self.model.rows(list(self.without))] = False
        return np.flatnonzero(is_searched)

    def _best(self, scores: np.ndarray, searched: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and scores of the best documents, and one more: one may be the asker."""
        order = np.argsort(-scores[searched], kind="stable")
        rows = searched[order[: self.num_results + 1]]
        return rows, scores[rows]


def _asking(
    step: DocumentSimilarity | DocumentRetriever, frame: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct vectors that the rows of `frame` ask with, and which is each row's."""
    number, values = pd.factorize(frame[step.by].to_numpy(dtype=object), use_na_sentinel=False)
    vectors_of = step.model.of_texts if step.by == "query" else step.model.of_documents
    return vectors_of(values), number
