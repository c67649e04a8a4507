"""Rank by late interaction: models that compare each token of the query with each of the document.

    TokenMaxSim("colbert-ir/colbertv2.0")(results)  # with columns qid, query, docno and text

An encoder of tokens returns a vector for each token, and none for padding.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, field

import numpy as np
import pandas as pd
from more_itertools import always_iterable, chunked

from ..encoders import EncoderLike, as_token_encoder, token_vectors
from ..similarity.vectors import LOWEST, cosines
from .scorer import Scorer
from .sentence_maxsim import best_matches

CHUNK = 1_024  # documents whose tokens are in memory at once: about 120 MB of ColBERT's vectors


class TokenMaxSim(Scorer):
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
    _: KW_ONLY
    verbose: bool = field(default=False, compare=False, repr=False)

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        return self.check(results, ["qid", "query", "docno", *always_iterable(self.text)])

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,)."""
        texts = self._join_texts(results)
        encoder = self.loaded(as_token_encoder, "model", verbose=self.verbose)
        query_of_row, distinct_queries = pd.factorize(results["query"])
        # (m, d) of each query, the vectors of its m tokens
        tokens_of_queries = token_vectors(encoder, list(distinct_queries), "query")

        # a blank document keeps this score: each token of the query has the lowest cosine
        token_counts = np.array([len(tokens) for tokens in tokens_of_queries], dtype=float)
        scores: np.ndarray = LOWEST * token_counts[query_of_row]

        # by length, so that a batch has texts of like length and little padding
        distinct_texts = sorted(dict.fromkeys(filter(None, texts)), key=len)
        rows = pd.DataFrame({"query": query_of_row, "text": texts})
        # in chunks, because the tokens of all would not fit into memory
        for texts_of_chunk in chunked(distinct_texts, CHUNK):
            tokens_of_chunk = token_vectors(encoder, texts_of_chunk, "document")
            tokens_of_text = dict(zip(texts_of_chunk, tokens_of_chunk))

            rows_of_chunk = rows[rows["text"].isin(texts_of_chunk)]
            for query, candidates in rows_of_chunk.groupby("query"):
                documents = [tokens_of_text[text] for text in candidates["text"]]
                lengths = [len(tokens) for tokens in documents]
                similarities = cosines(tokens_of_queries[query], np.concatenate(documents))
                best_cosines = best_matches(similarities, lengths)  # (m, documents)
                scores[candidates.index] = best_cosines.sum(axis=0)
        return scores

    def _join_texts(self, results: pd.DataFrame) -> list[str]:
        """Return the text of each row's document: what its columns of texts hold, if not empty."""
        text_columns = results[list(always_iterable(self.text))]
        texts = []
        for parts in text_columns.itertuples(index=False, name=None):
            present_parts = [part for part in parts if part]
            texts.append(" ".join(present_parts).strip())
        return texts
