"""Rank by cross-encoders: models that read the query's and the document's text as one.

    CrossEncoderScore("cross-encoder/ms-marco-MiniLM-L6-v2", dataset="litsearch")(results)

Each distinct pair of texts is scored once.
"""

from collections.abc import Callable
from dataclasses import field
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..encoders import as_pair_scorer, pair_scores
from ..step import ranked
from .facet_query import read_queries
from .text_templates import TemplatedStep, list_fields, read_document_texts, read_texts

PairScorer: TypeAlias = Callable[[list[tuple[str, str]]], ArrayLike]


class PairedRows(NamedTuple):
    """A checked frame, and for each of its n rows what asks and what answers.

    Attributes:
        frame: the frame.
        asking_texts: of each row's query, at least one.
        documents: the document's text for each row.
    """

    frame: pd.DataFrame
    asking_texts: list[list[str]]
    documents: list[str]


class CrossEncoderScore(TemplatedStep):
    """Score documents by a cross-encoder, which reads the query's and the document's text as one.

    Two templates make the texts, as in `TextSimilarity`. With `sentences`, each sentence of the
    query is paired with the whole document, and the score is the mean, as DORIS-MAE ran RocketQA-v2
    [Wang2023].

    Columns in: `qid`, `docno`, and the templates' fields (see `TextSimilarity`); with `sentences`,
    `query_paper` and `query_sentence_ids` instead of the fields of `query`. Columns out: the same
    and `score`, the model's own (a logit of any size from `encoders.CrossEncoder`), and `rank`,
    rows by query and rank.

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
    sentences: bool = field(default=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        if self.sentences:
            rows = self._read_sentences(results)
        else:
            rows = self._read_texts(results)

        scores = np.zeros(0)
        if len(rows.frame):  # zero rows need no model
            scores = self._score_rows(rows)
        return ranked(rows.frame.assign(score=scores))

    def _read_texts(self, results: pd.DataFrame) -> PairedRows:
        """Return the rows' texts to pair: the query's one text, and the document's text."""
        rows = read_texts(results, self)
        asking_texts = [[query_text] for query_text in rows.queries]
        return PairedRows(rows.frame, asking_texts, rows.documents)

    def _read_sentences(self, results: pd.DataFrame) -> PairedRows:
        """Return the rows' texts to pair: each of the query's sentences, and the document's text.

        The frame's columns are checked first.
        """
        needed_columns = ["qid", "docno", "query_paper", "query_sentence_ids"]
        if self.dataset is None:  # the document's text is made from columns of the frame
            needed_columns += list_fields(self.document)
        results = self.check(results, needed_columns)

        asking_texts: list[list[str]] = [[] for _ in range(len(results))]  # filled query by query
        for query in read_queries(results):
            sentences = [query.paper.sentences[position] for position in query.positions]
            for row in query.rows.tolist():
                asking_texts[row] = sentences
        document_texts = read_document_texts(results, self)
        return PairedRows(results, asking_texts, document_texts)

    def _score_rows(self, rows: PairedRows) -> np.ndarray:
        """Return the mean score of each row's pairs (n,)."""
        pairs: list[tuple[str, str]] = []
        for asking_texts, document_text in zip(rows.asking_texts, rows.documents):
            pairs += [(asking_text, document_text) for asking_text in asking_texts]

        scorer: PairScorer = self.loaded(as_pair_scorer, "scorer", verbose=self.verbose)
        scores_of_pairs = pair_scores(scorer, pairs)

        # the pairs of a row follow one another; reduceat adds up from each row's first pair on
        pair_counts = np.array([len(asking_texts) for asking_texts in rows.asking_texts])
        first_pairs = np.cumsum(pair_counts) - pair_counts
        sums_of_rows = np.add.reduceat(scores_of_pairs, first_pairs)
        return sums_of_rows / pair_counts
