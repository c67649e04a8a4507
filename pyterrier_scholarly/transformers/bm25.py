"""Okapi BM25 by the library rank_bm25 (not Terrier's): of candidates, or of a whole collection.

    BM25Retriever("litsearch")(topics)  # retrieve from the collection
    BM25Score("csfcube")(results)  # score candidates

The papers' codes split texts into other words: see `WORDS`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, field, replace
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from rank_bm25 import BM25Okapi

from .. import datasets
from ..datasets import DatasetLike
from ..progress import counted
from ..step import Count, NotNegative, Share, Step, retrieved, warn_of_unmatched
from ..text.nltk_words import nltk_tokens, stems
from .lexical_score import LexicalScore
from .text_templates import DistinctTexts


def plain_words(text: str) -> list[str]:
    """Return the lower-cased runs of letters and digits of a text."""
    return re.findall(r"\w+", text.lower())


Split: TypeAlias = Callable[[str], list[str]]  # from a text to its words

#: name -> function: LitSearch's, CSFCube's, DORIS-MAE's
WORDS: dict[str, Split] = {
    "stems": stems,
    "plain": plain_words,
    "tokens": nltk_tokens,
}
#: a name, or a function from a text to its words
Words: TypeAlias = Literal["stems", "plain", "tokens"] | Split

# rank_bm25's own, with which all named systems run
K1 = 1.5
B = 0.75


def choose_split(words: Words) -> Split:
    """Return the function of WORDS called `words`, or `words` itself."""
    return words if callable(words) else WORDS[words]


class BM25Score(LexicalScore[BM25Okapi]):
    """Score documents by Okapi BM25 of query and document text.

    Words in more than half of the documents have 0.25 of the mean idf. By default, words are the
    lower-cased runs of letters and digits, without stop words or stemming. It is fitted once on the
    `text` (of a paper, the abstract) of all documents of `dataset`. Documents are scored by the
    same text, whatever column `text` the frame has. After `FacetQuery` this is the paper's
    fabs_bm25 [Mysore2021]: the facet's sentences against whole abstracts. Behind `PlainText`,
    fitted on pools and with ``words="tokens"``, it is DORIS-MAE's BM25 [Wang2023].

    Columns in: `qid`, `query`, `docno`; without a dataset `text`; with `sentences`, `query_paper`
    and `query_sentence_ids` instead of `query`. Columns out: the same and `score` (0 or more) and
    `rank`, rows by query and rank. If no text that it is fitted on has a word, all scores are 0.
    Equal scorers share one fit.

    Args:
        dataset, fitted_on, sentences: as for `TfIdfScore`.
        words: ``"plain"``, ``"tokens"`` (those of NLTK's `word_tokenize`, case kept), ``"stems"``
            (see `text.nltk_words.stems`), or a function from a text to its words.
        k1: how much a word's further occurrences in a document count, 0 or more. The named systems
            have the default, which is rank_bm25's.
        b: how much a document loses by its length, from 0 to 1; the default as for `k1`.

    Raises:
        ValueError: an empty query, a document missing from the dataset; names it. Neither a dataset
            nor ``fitted_on="pool"``, or unknown `words`.
        ImportError: NLTK, which "tokens" and "stems" need, is not installed.
    """

    _: KW_ONLY
    words: Words = "plain"
    k1: NotNegative = K1
    b: Share = B

    def fit(self, texts: Iterable[str]) -> BM25Okapi | None:
        """Return the model of the texts; None if no text has a word."""
        split = choose_split(self.words)
        words_of_texts = [split(text) for text in texts]
        if not any(words_of_texts):
            return None
        # words in more than half of the texts have 0.25 of the mean idf
        return BM25Okapi(words_of_texts, k1=self.k1, b=self.b, epsilon=0.25)

    def score(self, fitted: BM25Okapi, query: str, numbers: np.ndarray) -> np.ndarray:
        """Return the scores (k,) of these documents."""
        split = choose_split(self.words)
        return fitted.get_batch_scores(split(query), list(numbers))

    def weigh_words(self, fitted: BM25Okapi, query: str, number: int) -> dict[str, float]:
        """Return what each word that query and document share adds to the document's score.

        A word counts as often as the query has it. `number`: the document's, among the texts of
        the fit.
        """
        split = choose_split(self.words)
        weights = {}
        for word, count in Counter(split(query)).items():
            (score,) = fitted.get_batch_scores([word], [number])
            if score:
                weights[word] = count * score
        return weights


class BM25Retriever(Step):
    """Retrieve documents by Okapi BM25 over a whole collection, as LitSearch did [Ajith2024].

    k1, b and idf are as `BM25Score` has them by default. As in the authors' code, documents with
    equal texts count as one: the last of them is retrievable, at the position of the first. The
    template's labels are words, too. If too few documents have a word of the query, others fill up
    the results, with score 0; a query that no document has a word of is warned of. Of equal scores,
    the later document comes first.

    Columns in: `qid`, `query`. Columns out: the same and `docno`, `score` (0 or more) and `rank`,
    rows by query and rank. Equal retrievers, and those that differ only in `num_results`, share
    one fit in memory, which is made when first needed (LitSearch: minutes).

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        num_results: documents per query.
        document: template of a document's text, with fields of its record; for a full paper
            ``"{full_text}"``.
        words: ``"stems"`` (NLTK's tokens, without stop words, stemmed), ``"tokens"``
            or ``"plain"`` (see `BM25Score`), or a function from a text to its words.
        verbose: show progress, of the fit and of the queries.

    Raises:
        ValueError: a query without text, unknown `words`, a template without a field or with an
            unknown one, `num_results` below 1, no document with a word.
        ImportError: NLTK is not installed; names the extra.
    """

    dataset: DatasetLike
    num_results: Count = 200
    _: KW_ONLY
    document: str = "Title: {title}\nAbstract: {text}"
    words: Words = "stems"
    verbose: bool = field(default=False, compare=False, repr=False)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve and rank."""
        remedy = "To score a retriever's results use BM25Score(…)."
        topics = self.check(topics, ["qid", "query"], without=["docno"], remedy=remedy)

        if topics.empty:  # which needs no fit
            return retrieved(topics, [])

        # the fit depends on the documents, and on all settings but these two
        other_settings = replace(self, dataset="any", num_results=1)
        documents = datasets.identify_documents(self.dataset)
        model, docnos = datasets.fit_once(self._fit, other_settings, documents)

        results = []
        split = choose_split(self.words)
        queries = zip(topics["qid"], topics["query"])
        for qid, query in counted(queries, "retrieving", "query", len(topics), self.verbose):
            scores = model.get_scores(split(query))  # (n,), of all documents
            worst_first = np.argsort(scores, kind="stable")
            best_first = worst_first[::-1]  # so of equal scores, the later document comes first
            best = best_first[: self.num_results]
            results.append(pd.DataFrame({"qid": qid, "docno": docnos[best], "score": scores[best]}))
        ranking = retrieved(topics, results)
        warn_of_unmatched(ranking, "BM25Retriever")
        return ranking

    def _fit(self) -> tuple[BM25Okapi, np.ndarray]:
        """Return BM25 of the dataset's n distinct texts, and the id (n,) of each one's document."""
        distinct_texts = DistinctTexts(datasets.irds(self.dataset).docs_iter(), self.document)
        texts = counted(list(distinct_texts), "splitting texts", "text", verbose=self.verbose)
        model = BM25Score(words=self.words).fit(texts)
        if model is None:
            raise ValueError(
                f"No document of {self.dataset} has a word: is {self.document!r} right?"
            )
        return model, np.array(distinct_texts.docnos, dtype=object)
