"""What the lexical scorers share: fit once on a dataset's documents, score a query's rows."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import datasets, frames
from ._step import Step


@dataclass(eq=False, repr=False)
class LexicalScore(Step):
    """Scores documents of a dataset by their text. A scorer says how to `fit` and to `score`."""

    dataset: object

    def fit(self, texts):
        """What is to be kept of the collection's `texts` (list of str)."""
        raise NotImplementedError

    def score(self, fitted, query, rows):
        """Scores of the documents that were the texts number `rows` (k,), as (k,)."""
        raise NotImplementedError

    def transform(self, results):
        """Score and rank."""
        remedy = "Put FacetQuery(…) before it for the query, a retriever or Pool(…) for documents."
        frames.require(results, self, ["qid", "query", "docno"], remedy=remedy)
        frames.texts_only(results, "query")
        scores = np.zeros(len(results))
        if len(results):
            fitted, row_of = _fitted(replace(self, dataset=datasets.collection(self.dataset)))
            unknown = results["docno"][~results["docno"].isin(row_of)].unique()
            if len(unknown):
                raise ValueError(
                    f"{self.dataset} has no document {frames.some(unknown)}: "
                    "are these rows of another collection?"
                )
            numbers = results["docno"].map(row_of).to_numpy()
            for query, places in results.reset_index(drop=True).groupby("query").indices.items():
                scores[places] = self.score(fitted, query, numbers[places])
        return frames.ranked(results.assign(score=scores))


@lru_cache(maxsize=4)
def _fitted(scorer):
    """What `scorer` keeps, and the row number of each document; shared by equal scorers."""
    texts = datasets.texts(scorer.dataset)
    row_of = {doc_id: row for row, doc_id in enumerate(texts)}
    return scorer.fit(list(texts.values())), row_of
