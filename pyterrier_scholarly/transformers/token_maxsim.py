"""Ranking by late interaction: every token of the query finds its best token of the document."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .. import frames
from ..encoders import as_token_encoder, token_vectors
from ..similarity.maxsim import LOWEST, best_matches
from .step import Step

CHUNK = 1_024  # documents whose tokens are in memory together: about 120 MB with ColBERT's vectors
REMEDY = "Put FacetQuery(…) before it for the query, a text loader (dataset.text_loader) for text."


@dataclass(eq=False, repr=False)
class TokenMaxSim(Step):
    """Scores documents by the sum, over the query's tokens, of their best cosine [Khattab2020].

    Columns in: `qid`, `query`, `docno` and those of `text`. Columns out: the same and `score` and
    `rank`, rows by query and rank. `score` is from -m to m for a query of m tokens (those that the
    model adds to short queries count too); -m for a blank document. There is no padding among the
    vectors that are compared.

    Every distinct text is encoded once per call, and its vectors are let go when it is scored, so
    memory does not grow with the number of documents.

    Args:
        model: a `sentence_transformers.MultiVectorEncoder` or its name, such as
            ``"colbert-ir/colbertv2.0"``; or any `encoders.TokenEncoder`.
        text: the column with the document's text; or several, joined by blanks, such as
            ``("title", "text")``.
        batch_size: texts per batch; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra.
        OSError: there is no such model; says what to download.
        ValueError: an empty query, a text that is NaN, vectors with NaN; names the rows.

    [Khattab2020] O. Khattab and M. Zaharia: ColBERT, SIGIR 2020.
    """

    model: object
    text: object = "text"
    batch_size: int = field(default=32, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        columns = [self.text] if isinstance(self.text, str) else list(self.text)
        needed = ["qid", "query", "docno", *columns]
        results = frames.check(results, self, needed, remedy=REMEDY)
        for column in columns:
            frames.texts_only(results, column, by="docno", blank=True)
        scores = self._scores(results, columns) if len(results) else []
        return frames.ranked(results.assign(score=scores))

    def _scores(self, results, columns):
        """One score per row (n,)."""
        encoder = self.loaded(
            as_token_encoder, "model", batch_size=self.batch_size, verbose=self.verbose
        )
        asked, queries = pd.factorize(results["query"])
        query_tokens = token_vectors(encoder.encode_query_tokens, list(queries))
        scores = LOWEST * np.array([len(tokens) for tokens in query_tokens], dtype=float)[asked]
        texts = [" ".join(filter(None, row)).strip() for row in zip(*(results[c] for c in columns))]
        distinct = sorted(filter(None, dict.fromkeys(texts)), key=len)  # batches of like length
        number = {text: place for place, text in enumerate(distinct)}
        places = np.array([number.get(text, -1) for text in texts])
        order = np.argsort(places, kind="stable")
        for start in range(0, len(distinct), CHUNK):
            chunk = distinct[start : start + CHUNK]
            tokens = token_vectors(encoder.encode_document_tokens, chunk)
            begin, end = np.searchsorted(places, [start, start + CHUNK], sorter=order)
            for rows in _by_query(order[begin:end], asked):
                documents = [tokens[place - start] for place in places[rows]]
                query, lengths = query_tokens[asked[rows[0]]], list(map(len, documents))
                best = best_matches(query, np.concatenate(documents), lengths)
                scores[rows] = best.sum(axis=0)
        return scores


def _by_query(rows, asked):
    """The numbers of `rows` (k,), in one array for each query that `asked` (n,) has for them."""
    rows = rows[np.argsort(asked[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(asked[rows])) + 1)
