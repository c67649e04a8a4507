"""Rank by late interaction: models that compare each token of the query with each of the document.

    TokenMaxSim("colbert-ir/colbertv2.0")(results)  # with columns qid, query, docno and text

An encoder of tokens returns a vector for each token, and none for padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count
from ...distinct import Distinct
from ...encoders import EncoderLike, TokenEncoder, as_token_encoder, token_vectors
from ...similarity import LOWEST
from ...similarity.maxsim import best_matches
from ..step import Step

CHUNK = 1_024  # documents whose tokens are in memory at once: about 120 MB of ColBERT's vectors
NO_TEXT = -1  # the number of the text of a blank document
REMEDY = "Put FacetQuery(…) before it for the query, a text loader (dataset.text_loader) for text."


@dataclass(eq=False, repr=False)
class TokenMaxSim(Step):
    """Score documents by the sum, over the query's tokens, of their best cosine [Khattab2020].

    Columns in: `qid`, `query`, `docno` and those of `text`. Columns out: the same and `score` and
    `rank`, rows by query and rank. `score` is from -m to m for a query of m tokens (including those
    that the model adds to short queries); -m for a blank document. Padding never takes part.

    Every distinct text is encoded once per call. Its vectors are freed when it is scored, so memory
    does not grow with the number of documents.

    Args:
        model: a `sentence_transformers.MultiVectorEncoder` or its name, such as
            ``"colbert-ir/colbertv2.0"``; or any `encoders.TokenEncoder`.
        text: the column with the document's text, or several to join by blanks, such as
            ``("title", "text")``.
        batch_size: texts per batch; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra.
        OSError: an unknown model; says what to download.
        ValueError: an empty query, a text that is NaN, vectors with NaN; names the rows.

    [Khattab2020] O. Khattab and M. Zaharia: ColBERT, SIGIR 2020.
    """

    model: EncoderLike
    text: str | Sequence[str] = "text"
    batch_size: Count = field(default=32, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        columns = [self.text] if isinstance(self.text, str) else list(self.text)
        results = frames.check(results, self, ["qid", "query", "docno", *columns], remedy=REMEDY)
        for column in columns:
            frames.check_texts(results, column, by="docno", blank=True)

        scores = np.zeros(0)
        if len(results):
            texts = _join_columns(results[columns])
            scores = self._score_rows(results["query"], texts)
        return frames.ranked(results.assign(score=scores))

    def _score_rows(self, queries: pd.Series, texts: list[str]) -> np.ndarray:
        """Return one score per row (n,), for its query and its document's text."""
        encoder = self.loaded(
            as_token_encoder, "model", batch_size=self.batch_size, verbose=self.verbose
        )
        query_of_row, distinct_queries = pd.factorize(queries)
        tokens_of_queries = token_vectors(encoder.encode_query_tokens, list(distinct_queries))

        # a blank document keeps this score: each token of the query has the lowest cosine
        token_counts = np.array([len(tokens) for tokens in tokens_of_queries], dtype=float)
        scores: np.ndarray = LOWEST * token_counts[query_of_row]

        # chunks of distinct texts, because the tokens of all would not fit into memory
        for chunk in _make_chunks(texts):
            tokens_of_texts = _encode_documents(encoder, chunk.texts)
            for rows_in_chunk in _split_by_query(query_of_row[chunk.rows]):
                rows = chunk.rows[rows_in_chunk]
                query_tokens = tokens_of_queries[query_of_row[rows[0]]]
                text_numbers = chunk.text_of_row[rows_in_chunk]
                document_tokens = [tokens_of_texts[number] for number in text_numbers]
                scores[rows] = _score_documents(query_tokens, document_tokens)
        return scores


class Chunk(NamedTuple):
    """Some distinct texts, and the rows of a frame that have them.

    Attributes:
        texts: distinct, CHUNK at most.
        rows: (r,), the numbers of the rows with one of these texts.
        text_of_row: (r,), the position in `texts` of the text of each of these rows.
    """

    texts: list[str]
    rows: np.ndarray
    text_of_row: np.ndarray


def _make_chunks(texts: Sequence[str]) -> Iterator[Chunk]:
    """Yield the distinct texts of all rows in chunks, without the empty text.

    texts: one for each row of a frame.
    """
    # by length, so that a batch has texts of like length and little padding
    distinct_texts = sorted(Distinct(text for text in texts if text).keys, key=len)
    number_by_text = {text: number for number, text in enumerate(distinct_texts)}
    text_of_row = np.array([number_by_text.get(text, NO_TEXT) for text in texts])

    # sorted by the numbers of their texts, the rows of a chunk are neighbours: a binary search
    # finds the first of them, and the first beyond
    sorted_rows = np.argsort(text_of_row, kind="stable")
    for start in range(0, len(distinct_texts), CHUNK):
        end = start + CHUNK
        first, beyond = np.searchsorted(text_of_row, [start, end], sorter=sorted_rows)
        rows = sorted_rows[first:beyond]
        yield Chunk(distinct_texts[start:end], rows, text_of_row[rows] - start)


def _join_columns(columns: pd.DataFrame) -> list[str]:
    """Join the texts of each row by blanks, without those that are empty."""
    texts = []
    for row in columns.itertuples(index=False, name=None):
        parts = [text for text in row if text]
        texts.append(" ".join(parts).strip())
    return texts


def _encode_documents(encoder: TokenEncoder, texts: list[str]) -> list[np.ndarray]:
    """Return the vectors (t, d) of each text's tokens."""
    return token_vectors(encoder.encode_document_tokens, texts)


def _score_documents(query: np.ndarray, documents: Sequence[np.ndarray]) -> np.ndarray:
    """Return the scores (k,) of documents: sums of the best cosine of each token of the query.

    Args:
        query: (m, d), the vectors of its tokens.
        documents: arrays (t, d), the vectors of each document's tokens.
    """
    lengths = [len(tokens) for tokens in documents]
    best_cosines = best_matches(query, np.concatenate(documents), lengths)  # (m, k)
    return best_cosines.sum(axis=0)


def _split_by_query(query_of_row: np.ndarray) -> list[np.ndarray]:
    """Return the rows of each query, as one array per query.

    query_of_row: (r,), the number of each row's query.
    """
    sorted_rows = np.argsort(query_of_row, kind="stable")
    steps = np.diff(query_of_row[sorted_rows])  # not 0 where the next query begins
    first_rows_of_others = np.flatnonzero(steps) + 1  # of all queries but the first
    return np.split(sorted_rows, first_rows_of_others)
