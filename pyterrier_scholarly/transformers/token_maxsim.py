"""Rank by late interaction: models that compare each token of the query with each of the document.

    TokenMaxSim("colbert-ir/colbertv2.0")(results)  # with columns qid, query, docno and text

An encoder of tokens returns a vector for each token, and none for padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..encoders import EncoderLike, as_token_encoder, token_vectors
from ..similarity.vectors import LOWEST
from ..step import Step, ranked
from .lexical_score import check_not_blank
from .sentence_maxsim import best_matches

CHUNK = 1_024  # documents whose tokens are in memory at once: about 120 MB of ColBERT's vectors
NO_TEXT = -1  # the number of the text of a blank document


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
        verbose: show the encoder's progress.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra.
        OSError: an unknown model; says what to download.
        ValueError: an empty query, a text that is NaN, vectors with NaN; names the rows.

    [Khattab2020] O. Khattab and M. Zaharia: ColBERT, SIGIR 2020.
    """

    model: EncoderLike
    text: str | Sequence[str] = "text"
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        text_columns = [self.text] if isinstance(self.text, str) else list(self.text)
        results = self.check(results, ["qid", "query", "docno", *text_columns])
        check_not_blank(results, "query")

        scores = np.zeros(0)
        if len(results):  # zero rows need no encoder
            texts = _join_columns(results[text_columns])
            scores = self._score_rows(results["query"], texts)
        return ranked(results.assign(score=scores))

    def _score_rows(self, queries: pd.Series, texts: list[str]) -> np.ndarray:
        """Return one score per row (n,), for its query and its document's text."""
        encoder = self.loaded(as_token_encoder, "model", verbose=self.verbose)
        query_of_row, distinct_queries = pd.factorize(queries)
        # (m, d) of each query, the vectors of its m tokens
        tokens_of_queries = token_vectors(encoder, list(distinct_queries), "query")

        # a blank document keeps this score: each token of the query has the lowest cosine
        token_counts = np.array([len(tokens) for tokens in tokens_of_queries], dtype=float)
        token_count_of_row = token_counts[query_of_row]
        scores: np.ndarray = LOWEST * token_count_of_row

        # chunks of distinct texts, because the tokens of all would not fit into memory
        for chunk in _make_chunks(texts):
            tokens_of_texts = token_vectors(encoder, chunk.texts, "document")
            query_of_chunk_row = query_of_row[chunk.rows]
            for chunk_rows in _split_by_query(query_of_chunk_row):
                query = query_of_chunk_row[chunk_rows[0]]  # the same in all of these rows
                text_numbers = chunk.text_of_row[chunk_rows]
                document_tokens = [tokens_of_texts[number] for number in text_numbers]
                frame_rows = chunk.rows[chunk_rows]
                scores[frame_rows] = _score_documents(tokens_of_queries[query], document_tokens)
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
    filled_texts = [text for text in texts if text]
    distinct_texts = sorted(dict.fromkeys(filled_texts), key=len)
    number_by_text = {text: number for number, text in enumerate(distinct_texts)}
    text_of_row = np.array([number_by_text.get(text, NO_TEXT) for text in texts])

    # sorted by the numbers of their texts, the rows of a chunk are neighbours: a binary search
    # finds the first of them, and the first beyond
    sorted_rows = np.argsort(text_of_row, kind="stable")
    for start in range(0, len(distinct_texts), CHUNK):
        end = start + CHUNK
        first, beyond = np.searchsorted(text_of_row, [start, end], sorter=sorted_rows)
        rows = sorted_rows[first:beyond]
        positions_in_chunk = text_of_row[rows] - start
        yield Chunk(distinct_texts[start:end], rows, positions_in_chunk)


def _join_columns(columns: pd.DataFrame) -> list[str]:
    """Join the texts of each row by blanks, without those that are empty."""
    texts = []
    for row in columns.itertuples(index=False, name=None):
        parts = [text for text in row if text]
        texts.append(" ".join(parts).strip())
    return texts


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
    sorted_queries = query_of_row[sorted_rows]
    is_next_query = np.diff(sorted_queries) != 0
    split_points = np.flatnonzero(is_next_query) + 1  # where each query but the first begins
    return np.split(sorted_rows, split_points)
