"""Rank by cross-encoders: models that read the query's and the document's text as one.

    CrossEncoderScore("cross-encoder/ms-marco-MiniLM-L6-v2", dataset="litsearch")(results)

Each distinct pair of texts is scored once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ... import frames
from ...arguments import Template
from ...datasets import DatasetLike
from ...encoders import as_pair_scorer, pair_scores
from ..step import Step
from .text_templates import list_fields, read_document_texts, read_texts

PairScorer: TypeAlias = Callable[[list[tuple[str, str]]], ArrayLike]


class PairedRows(NamedTuple):
    """A checked frame, and for each of its n rows what asks and what answers.

    Attributes:
        frame: the frame.
        queries: the texts that ask, at least one for each row.
        documents: the document's text for each row.
    """

    frame: pd.DataFrame
    queries: list[list[str]]
    documents: list[str]


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
        rows = self._read_sentences(results) if self.sentences else self._read_texts(results)
        scores = np.zeros(len(rows.frame))
        if len(rows.frame):
            scores = self._score_rows(rows)
        return frames.ranked(rows.frame.assign(score=scores))

    def _read_texts(self, results: pd.DataFrame) -> PairedRows:
        """Return the rows' texts to pair: the query's one text, and the document's text."""
        rows = read_texts(results, self)
        lists_of_one = [[query] for query in rows.queries]
        return PairedRows(rows.frame, lists_of_one, rows.documents)

    def _read_sentences(self, results: pd.DataFrame) -> PairedRows:
        """Return the rows' texts to pair: each of the query's sentences, and the document's text.

        The frame's columns are checked first.
        """
        needed = ["qid", "docno", "query_sentences"]
        if self.dataset is None:  # the document's text is made from columns of the frame
            needed += list_fields(self.document)
        remedy = "Put FacetQuery(…) before it for query_sentences."
        results = frames.check(results, self, needed, remedy=remedy)

        query_sentences = list(results["query_sentences"])
        document_texts = read_document_texts(results, self)
        return PairedRows(results, query_sentences, document_texts)

    def _score_rows(self, rows: PairedRows) -> np.ndarray:
        """Return the mean score of each row's pairs (n,)."""
        pairs: list[tuple[str, str]] = []
        for queries, document in zip(rows.queries, rows.documents):
            pairs += [(query, document) for query in queries]

        scorer: PairScorer = self.loaded(as_pair_scorer, "scorer", verbose=self.verbose)
        scores_of_pairs = pair_scores(scorer, pairs)

        # the pairs of a row follow one another; reduceat adds up from each row's first pair on
        pair_counts = np.array([len(queries) for queries in rows.queries])
        first_pairs = np.cumsum(pair_counts) - pair_counts
        return np.add.reduceat(scores_of_pairs, first_pairs) / pair_counts
