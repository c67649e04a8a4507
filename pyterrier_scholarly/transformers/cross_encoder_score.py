"""Rank by cross-encoders: models that read the query's and the document's text as one.

    CrossEncoderScore("cross-encoder/ms-marco-MiniLM-L6-v2", dataset="litsearch")(results)

Each distinct pair of texts is scored once.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, field
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..encoders import as_pair_scorer, pair_scores
from .facet_query import read_queries
from .text_templates import DOCUMENTS, QUERIES, Side, TemplatedStep

PairScorer: TypeAlias = Callable[[list[tuple[str, str]]], ArrayLike]


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
    _: KW_ONLY
    sentences: bool = False
    verbose: bool = field(default=False, compare=False, repr=False)

    def list_columns(self, side: Side) -> list[str]:
        """Return the columns that a side needs: those of its template, or of sentences that ask."""
        if self.sentences and side is QUERIES:
            return ["query_paper", "query_sentence_ids"]
        return super().list_columns(side)

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the mean score of each row's pairs (rows,)."""
        # of each row, what is paired with its document: its query's sentences, or text
        if self.sentences:
            sentences_of_qid = {query.qid: query.sentences for query in read_queries(results)}
            asking_texts = [sentences_of_qid[qid] for qid in results["qid"]]
        else:
            asking_texts = [[text] for text in self.fill(results, QUERIES)]

        document_texts = self.fill(results, DOCUMENTS)
        pairs: list[tuple[str, str]] = []
        for texts, document_text in zip(asking_texts, document_texts):
            pairs += [(text, document_text) for text in texts]
        scorer: PairScorer = self.loaded(as_pair_scorer, "scorer", verbose=self.verbose)
        scores_of_pairs = pair_scores(scorer, pairs)

        # the pairs of a row follow one another; reduceat adds up from each row's first pair on
        pair_counts = np.array([len(texts) for texts in asking_texts])
        first_pairs = np.cumsum(pair_counts) - pair_counts
        return np.add.reduceat(scores_of_pairs, first_pairs) / pair_counts
