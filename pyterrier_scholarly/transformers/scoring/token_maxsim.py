"""Rank by models that compare tokens of both texts: late interaction, and cross-encoders."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count, Template
from ...datasets import DatasetLike
from ...encoders import as_pair_scorer, as_token_encoder, pair_scores, token_vectors
from ...similarity import LOWEST
from ...similarity.maxsim import best_matches
from ..step import Step
from . import both_texts, document_texts, fields

CHUNK = 1_024  # documents whose tokens are in memory at once: about 120 MB of ColBERT's vectors
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

    model: object
    text: str | Sequence[str] = "text"
    batch_size: Count = field(default=32, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        columns = [self.text] if isinstance(self.text, str) else list(self.text)
        results = frames.check(results, self, ["qid", "query", "docno", *columns], remedy=REMEDY)
        for column in columns:
            frames.check_texts(results, column, by="docno", blank=True)
        scores = self._scores(results, columns) if len(results) else np.zeros(0)
        return frames.ranked(results.assign(score=scores))

    def _scores(self, results: pd.DataFrame, columns: list[str]) -> np.ndarray:
        """Return one score per row (n,)."""
        encoder = self.loaded(
            as_token_encoder, "model", batch_size=self.batch_size, verbose=self.verbose
        )
        asked, queries = pd.factorize(results["query"])
        query_tokens = token_vectors(encoder.encode_query_tokens, list(queries))
        scores: np.ndarray = LOWEST * np.array(list(map(len, query_tokens)), dtype=float)[asked]
        texts = [" ".join(filter(None, row)).strip() for row in zip(*(results[c] for c in columns))]
        distinct = sorted(filter(None, dict.fromkeys(texts)), key=len)  # batches of like length
        number = {text: n for n, text in enumerate(distinct)}
        numbers = np.array([number.get(text, -1) for text in texts])
        order = np.argsort(numbers, kind="stable")
        for start in range(0, len(distinct), CHUNK):
            tokens = token_vectors(encoder.encode_document_tokens, distinct[start : start + CHUNK])
            begin, end = np.searchsorted(numbers, [start, start + CHUNK], sorter=order)
            for rows in _by_query(order[begin:end], asked):
                documents = [tokens[n - start] for n in numbers[rows]]
                query, lengths = query_tokens[asked[rows[0]]], list(map(len, documents))
                scores[rows] = best_matches(query, np.concatenate(documents), lengths).sum(axis=0)
        return scores


def _by_query(rows: np.ndarray, asked: np.ndarray) -> list[np.ndarray]:
    """Split the numbers of `rows` (k,) into one array per query; `asked` (n,) is each row's."""
    rows = rows[np.argsort(asked[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(asked[rows])) + 1)


@dataclass(eq=False, repr=False)
class CrossEncoderScore(Step):
    """Score documents by a cross-encoder, which reads the query's and the document's text as one.

    Two templates make the texts, as in `TextSimilarity`. With `sentences`, each sentence of the
    query is paired with the whole document, and the score is the mean, as DORIS-MAE ran RocketQA-v2
    [Wang2023].

    Columns in: `qid`, `docno`, and the templates' fields (see `TextSimilarity`); with `sentences`,
    `query_sentences` instead of the fields of `query`. Columns out: the same and `score`, the
    model's own (a logit of any size from `encoders.CrossEncoder`), and `rank`, rows by query and
    rank.

    Each distinct pair of texts is scored once per call, however many rows share it.

    Args:
        scorer: a sentence-transformers CrossEncoder or its name, `encoders.CrossEncoder` (for
            precision, device, length, batches), or a function from a list of pairs of texts to
            numbers, such as ``lambda pairs: list(rocketqa_model.matching(*zip(*pairs)))``.
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        query: template of a query's text.
        document: template of a document's text.
        sentences: pair the query's sentences instead of its text.
        verbose: show progress.

    Raises:
        ValueError: a template without a field or with an unknown one, texts that are NaN, a query
            (or one of its sentences) without text, NaN from a broken model, a model that returns
            several numbers for a pair; names rows or texts.
        OSError: an unknown model; says what to download.
    """

    scorer: object
    dataset: DatasetLike | None = field(default=None, kw_only=True)
    query: Template = field(default="{query}", kw_only=True)
    document: Template = field(default="{title} {text}", kw_only=True)
    sentences: bool = field(default=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results, asked, documents = self._sides(results)
        pairs = [[(query, text) for query in queries] for queries, text in zip(asked, documents)]
        scores = np.zeros(len(results))
        if pairs:
            score = self.loaded(as_pair_scorer, "scorer", verbose=self.verbose)
            every = pair_scores(score, list(chain.from_iterable(pairs)))
            sizes = np.array([len(row) for row in pairs])
            scores = np.add.reduceat(every, np.cumsum(sizes) - sizes) / sizes
        return frames.ranked(results.assign(score=scores))

    def _sides(self, results: pd.DataFrame) -> tuple[pd.DataFrame, list[list[str]], list[str]]:
        """Check the frame; return it, and for each row the texts that ask, and the document's."""
        if not self.sentences:
            results, queries, documents = both_texts(results, self)
            return results, [[query] for query in queries], documents
        columns = fields(self.document) if self.dataset is None else []
        needed = ["qid", "docno", "query_sentences", *columns]
        results = frames.check(
            results, self, needed, remedy="Put FacetQuery(…) before it for query_sentences."
        )
        return results, list(results["query_sentences"]), document_texts(results, self)
