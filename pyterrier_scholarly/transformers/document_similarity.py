"""Ranking by whole documents, as a model of their similarity has them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .. import frames
from .step import Step

BY = ("query_docno", "query")
REMEDY = (
    "query_docno names the document that asks (FacetQuery gives it; or assign it); to ask with "
    'texts say by="query".'
)


@dataclass(eq=False, repr=False)
class DocumentSimilarity(Step):
    """Scores documents by how alike they are to the document that asks, by tf-idf or by topics.

    Columns in: `qid`, `docno` and the column that is asked by. Columns out: the same and `score`
    and `rank`, rows by query and rank. `score` goes from 0 to 1: a cosine, or 1 less the
    Jensen-Shannon divergence.

    Args:
        model: `TfIdfModel` or `TopicModel`.
        by: ``"query_docno"``, a document of the model's collection, or ``"query"``, any text.

    Raises:
        ValueError: a document that the model does not know, a query without text; names it.
    """

    model: object
    by: str = field(default="query_docno", kw_only=True)

    def transform(self, results):
        """Score and rank."""
        needed = ["qid", "docno", column_of(self)]
        results = frames.check(results, self, needed, remedy=REMEDY)
        scores = np.zeros(len(results))
        if len(results):
            vectors, number = asking(self, results)
            rows = self.model.rows(results["docno"].to_numpy())
            scores = self.model.compare(vectors, np.stack([number, rows], axis=1))
        return frames.ranked(results.assign(score=scores))


def column_of(step):
    """The column that `step` asks by; ValueError for another."""
    if step.by not in BY:
        raise ValueError(f"by={step.by!r}: expected one of {', '.join(BY)}.")
    return step.by


def asking(step, frame):
    """What the rows of a frame ask with: distinct vectors, and which of them is each row's (n,)."""
    number, values = pd.factorize(frame[step.by].to_numpy(dtype=object), use_na_sentinel=False)
    made = step.model.of_texts if step.by == "query" else step.model.of_documents
    return made(values), number
