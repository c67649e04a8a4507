"""First stage: LitSearch's BM25, over the texts of a whole collection [Ajith2024]."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pandas as pd
import pyterrier as pt

from .. import datasets, frames
from ._templates import filled
from .okapi_bm25_score import EPSILON, K1, B, words_called
from .step import Step


@dataclass(eq=False, repr=False)
class OkapiBM25Retriever(Step):
    """Retrieves documents by Okapi BM25 of the library rank_bm25 (not Terrier's), as LitSearch's.

    k1 1.5, b 0.75, and for words in more than half of the documents 0.25 of the mean idf. As in the
    authors' code, a document is its text: of documents with equal texts the last is retrievable, in
    the place of the first, and they count as one; labels of the template are words, too; and a
    query is given documents that have none of its words, if there are not enough others. Of equal
    scores the later document comes first.

    Columns in: `qid`, `query`. Columns out: the same and `docno`, `score` (0 or more) and `rank`,
    rows by query and rank. Equal retrievers, and those that differ in `num_results` alone, share
    one fit, which is made when first needed: of LitSearch in minutes, held in memory.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        num_results: documents per query.
        document: template of a document's text, of the fields of its record; of a full paper
            ``"{full_text}"``.
        words: ``"stems"`` (`text.stems`: NLTK's tokens, without stop words, stemmed), ``"tokens"``
            or ``"plain"`` (see `OkapiBM25Score`), or a function from a text to its words.
        verbose: show progress, of the fit and of the queries.

    Raises:
        ValueError: a query without text, unknown `words`, a template without a field or with one
            that documents do not have, `num_results` below 1, no document with a word.
        ImportError: NLTK is not installed; names the extra.
    """

    dataset: object
    num_results: int = 200
    document: str = field(default="Title: {title}\nAbstract: {text}", kw_only=True)
    words: object = field(default="stems", kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, topics):
        """Retrieve and rank."""
        remedy = "To score a retriever's results use OkapiBM25Score(…)."
        needed = ["qid", "query"]
        topics = frames.check(topics, self, needed, without=["docno"], remedy=remedy)
        if self.num_results < 1:
            raise ValueError(f"num_results={self.num_results!r}: it must be 1 at least.")
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        rows = self._bar(list(zip(topics["qid"], topics["query"])), "retrieving")
        found = [self._retrieved(*row) for row in rows]
        nothing = {name: pd.Series([], dtype=object) for name in ("qid", "docno", "score")}
        found = pd.concat(found) if found else pd.DataFrame(nothing)
        return frames.ranked(topics.merge(found, on="qid"))

    def _retrieved(self, qid, query):
        model, docnos = _fitted(
            replace(self, dataset=datasets.collection(self.dataset), num_results=1)
        )
        scores = model.get_scores(words_called(self.words)(query))
        best = np.argsort(scores, kind="stable")[::-1][: self.num_results]
        return pd.DataFrame({"qid": qid, "docno": docnos[best], "score": scores[best]})

    def _bar(self, items, label):
        return pt.tqdm(items, desc=label, disable=not self.verbose)


@lru_cache(maxsize=2)
def _fitted(retriever):
    """The model, and the id of each of its documents (n,)."""
    from rank_bm25 import BM25Okapi

    split, dataset = words_called(retriever.words), retriever.dataset
    records = datasets.irds(dataset).docs_iter()
    texts = {filled(retriever.document, record): record.doc_id for record in records}
    tokens = [split(text) for text in retriever._bar(texts, "splitting texts")]
    if not any(tokens):
        raise ValueError(f"No document of {dataset} has a word: is {retriever.document!r} right?")
    docnos = np.array(list(texts.values()), dtype=object)
    return BM25Okapi(tokens, k1=K1, b=B, epsilon=EPSILON), docnos
