"""What the lexical scorers share: fit on a collection or on a pool, score a query's rows."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from .. import datasets, frames
from .step import Step

COLLECTION, POOL = "collection", "pool"


@dataclass(eq=False, repr=False)
class LexicalScore(Step):
    """Scores documents by their text. A scorer says how to `fit` and to `score`."""

    dataset: object = None
    fitted_on: str = field(default=COLLECTION, kw_only=True)
    sentences: bool = field(default=False, kw_only=True)

    def fit(self, texts):
        """What is to be kept of the `texts` (list of str) that words are weighted by."""
        raise NotImplementedError

    def score(self, fitted, query, rows):
        """Scores of the documents that were the texts number `rows` (k,), as (k,)."""
        raise NotImplementedError

    def transform(self, results):
        """Score and rank."""
        results, asked = self._checked(results)
        scores, order = np.zeros(len(results)), np.arange(len(results))
        model = self._of_collection() if len(results) and self.fitted_on == COLLECTION else None
        for places in frames.rows_by_query(results):
            rows = results.iloc[places]
            fitted, numbers = self._of_pool(rows) if model is None else model(rows["docno"])
            query = rows[asked].iloc[0]
            queries = query if self.sentences else [query]
            scores[places] = np.mean([self.score(fitted, q, numbers) for q in queries], axis=0)
            if self.fitted_on == POOL:
                order[places] = places[np.argsort(scores[places])[::-1]]
        return frames.ranked(results.assign(score=scores).iloc[order])

    def _checked(self, results):
        """Check settings and frame; the frame, and the column that is asked with."""
        asked = "query_sentences" if self.sentences else "query"
        own = ["text"] if self.dataset is None else []
        if self.fitted_on not in (COLLECTION, POOL):
            raise ValueError(f"fitted_on={self.fitted_on!r}: expected {COLLECTION!r} or {POOL!r}.")
        if own and self.fitted_on == COLLECTION:
            raise ValueError("No dataset to fit on: pass one, or fitted_on='pool'.")
        remedy = "Put FacetQuery(…) before it for the query, a retriever or Pool(…) for documents."
        needed = ["qid", asked, "docno", *own]
        return frames.check(results, self, needed, remedy=remedy), asked

    def _of_pool(self, rows):
        """A fit on the documents of these rows alone, and their numbers in it."""
        texts = rows.get("text")
        if self.dataset is not None:
            found = datasets.documents(self.dataset, rows["docno"])
            texts = [datasets.text(found[docno]) for docno in rows["docno"]]
        return self.fit(list(texts)), np.arange(len(rows))

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
