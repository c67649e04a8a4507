"""Okapi BM25, the paper's fabs_bm25 [Mysore2021]."""

import re
from dataclasses import dataclass, field

from ..text.stems import stems, tokens
from ._lexical import LexicalScore

K1, B, EPSILON = 1.5, 0.75, 0.25  # rank_bm25's own


@dataclass(eq=False, repr=False)
class OkapiBM25Score(LexicalScore):
    """Okapi BM25 of query and document text by the library rank_bm25 (not Terrier's BM25).

    k1 1.5, b 0.75, and for words in more than half of the documents 0.25 of the mean idf. Words are
    the lower-cased runs of letters and digits, none left out, none stemmed. Fitted once on the
    `text` (of a paper, the abstract) of all documents of `dataset`; documents are scored by the
    same text, whatever column `text` the frame has. After `FacetQuery` this is the paper's
    fabs_bm25: the facet's sentences against whole abstracts. Behind `PlainText`, fitted on pools
    and with ``words="tokens"`` it is DORIS-MAE's BM25 [Wang2023].

    Columns in: `qid`, `query`, `docno`; without a dataset `text`, with `sentences`
    `query_sentences` in the place of `query`. Columns out: the same and `score` (0 or more) and
    `rank`, rows by query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset; None for the column `text`, on pools.
        fitted_on: ``"collection"``, or ``"pool"``: the query's own candidates (DORIS-MAE's way; of
            equal scores its order is that of ``numpy.argsort(scores)[::-1]``, as there).
        sentences: ask with each of the query's sentences, and take the mean of the scores.
        words: ``"plain"``, ``"tokens"`` (those of NLTK's `word_tokenize`, case kept), ``"stems"``
            (see `text.stems`), or a function from a text to its words.

    Raises:
        ValueError: an empty query, a document that the dataset does not have; names it. Neither a
            dataset nor ``fitted_on="pool"``, or unknown `words`.
        ImportError: rank_bm25, or NLTK for its words, is not installed.
    """

    words: object = field(default="plain", kw_only=True)

    def fit(self, texts):
        """The model of the collection."""
        from rank_bm25 import BM25Okapi

        split = words_called(self.words)
        return BM25Okapi([split(text) for text in texts], k1=K1, b=B, epsilon=EPSILON)

    def score(self, fitted, query, rows):
        """Scores (k,) of these documents alone."""
        return fitted.get_batch_scores(words_called(self.words)(query), list(rows))


def plain_words(text) -> list[str]:
    """The lower-cased runs of letters and digits of a text."""
    return re.findall(r"\w+", text.lower())


WORDS = {"stems": stems, "plain": plain_words, "tokens": tokens}
"""From a text to its words: LitSearch's, CSFCube's, DORIS-MAE's."""


def words_called(words):
    """The function of WORDS called `words`, or `words` itself; ValueError if it is neither."""
    found = words if callable(words) else WORDS.get(words)
    if found is None:
        names = ", ".join(map(repr, WORDS))
        raise ValueError(f"words={words!r}: choose {names}, or give a function.")
    return found
