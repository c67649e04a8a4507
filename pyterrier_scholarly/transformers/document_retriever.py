"""First stage by whole documents, as a model of their similarity has them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .. import frames
from .document_similarity import REMEDY, asking, column_of
from .step import Step


@dataclass(eq=False, repr=False)
class DocumentRetriever(Step):
    """Retrieves the documents of a model's collection that are most like the one that asks.

    Every document is compared (nothing is approximate), the one that asks is left out.

    Columns in: `qid` and the column that is asked by. Columns out: the same and `docno`, `score`
    (as of `DocumentSimilarity`) and `rank`, rows by query and rank, ties in the collection's order.

    Args:
        model: `TfIdfModel` or `TopicModel`.
        num_results: documents per query, at most.
        by: ``"query_docno"``, a document of the model's collection, or ``"query"``, any text.

    Raises:
        ValueError: a document that the model does not know, a query without text, duplicate
            topics; names it.
    """

    model: object
    num_results: int = field(default=1000, kw_only=True)
    by: str = field(default="query_docno", kw_only=True)

    def transform(self, topics):
        """Retrieve and rank."""
        needed = ["qid", column_of(self)]
        topics = frames.check(topics, self, needed, without=["docno"], remedy=REMEDY)
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        nothing = {"docno": pd.Series([], dtype=object), "score": pd.Series([], dtype=float)}
        if topics.empty:
            return frames.ranked(topics.assign(**nothing))
        vectors, number = asking(self, topics)
        best = [self._best(scores) for scores in self.model.scores_of_all(vectors)]
        ids = np.array(self.model.documents, dtype=object)
        found = [
            pd.DataFrame({"qid": qid, "docno": ids[best[n][0]], "score": best[n][1]})
            for qid, n in zip(topics["qid"], number)
        ]
        made = topics.merge(pd.concat(found, ignore_index=True), on="qid")
        if "query_docno" in made.columns:
            made = made[made["docno"] != made["query_docno"]]
        ranked = frames.ranked(made)
        return ranked[ranked["rank"] < self.num_results].reset_index(drop=True)

    def _best(self, scores):
        """Rows and scores of the best documents, one more than asked for: one may be the asker."""
        rows = np.argsort(-scores, kind="stable")[: self.num_results + 1]
        return rows, scores[rows]
