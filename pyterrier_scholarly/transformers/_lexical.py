"""What the lexical scorers share: fit on a collection or on a pool, score a query's rows."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from .. import datasets, frames
from ._step import Step

COLLECTION, POOL = "collection", "pool"


@dataclass(eq=False, repr=False)
class LexicalScore(Step):
    """Scores documents of a dataset by their text. A scorer says how to `fit` and to `score`."""

    dataset: object
    fitted_on: str = field(default=COLLECTION, kw_only=True)

    def fit(self, texts):
        """What is to be kept of the `texts` (list of str) that words are weighted by."""
        raise NotImplementedError

    def score(self, fitted, query, rows):
        """Scores of the documents that were the texts number `rows` (k,), as (k,)."""
        raise NotImplementedError

    def transform(self, results):
        """Score and rank."""
        remedy = "Put FacetQuery(…) before it for the query, a retriever or Pool(…) for documents."
        frames.require(results, self, ["qid", "query", "docno"], remedy=remedy)
        frames.texts_only(results, "query")
        if self.fitted_on not in (COLLECTION, POOL):
            raise ValueError(f"fitted_on={self.fitted_on!r}: expected {COLLECTION!r} or {POOL!r}.")
        scores = np.zeros(len(results))
        if len(results):
            model = self._of_pool if self.fitted_on == POOL else self._of_collection()
            for places in frames.rows_by_query(results):
                rows = results.iloc[places]
                fitted, numbers = model(rows["docno"])
                scores[places] = self.score(fitted, rows["query"].iloc[0], numbers)
        return frames.ranked(results.assign(score=scores))

    def _of_pool(self, docnos):
        """A fit on these documents alone, and their numbers in it."""
        found = datasets.documents(self.dataset, docnos)
        return self.fit([datasets.text(found[d]) for d in docnos]), np.arange(len(docnos))

    def _of_collection(self):
        """A function from documents to the fit on all of the collection's, and their numbers."""
        whole = replace(self, dataset=datasets.collection(self.dataset))
        fitted, row_of = _fitted(whole)

        def look_up(docnos):
            unknown = docnos[~docnos.isin(row_of)].unique()
            if len(unknown):
                raise ValueError(
                    f"{self.dataset} has no document {frames.some(unknown)}: "
                    "are these rows of another collection?"
                )
            return fitted, docnos.map(row_of).to_numpy()

        return look_up


@lru_cache(maxsize=4)
def _fitted(scorer):
    """What `scorer` keeps, and the row number of each document; shared by equal scorers."""
    texts = datasets.texts(scorer.dataset)
    row_of = {doc_id: row for row, doc_id in enumerate(texts)}
    return scorer.fit(list(texts.values())), row_of
