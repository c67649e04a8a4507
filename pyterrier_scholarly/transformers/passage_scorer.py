"""The base of scorers by one vector per paper, of the whole or of title and facet.

    class ByLength(PassageScorer):
        def encode(self, passages):
            lengths = [len(passage) for passage in passages]
            return unit(np.array([[1.0, length] for length in lengths]))

A *passage* is the title and some sentences of a paper, which are read together: a tuple of texts.
"""

from dataclasses import KW_ONLY
from itertools import chain
from typing import ClassVar

import numpy as np
import pandas as pd

from ..paper import Passage
from ..similarity.document_pairs import products
from ..step import list_chosen
from .facet_query import read_queries
from .scorer import Scorer

NO_TEXT = -1  # the number of a passage without text


class PassageScorer(Scorer):
    """Score candidates by the product of two vectors; a scorer says how to `encode` passages.

    Columns in: `qid`, `docno`, `query_paper` and `paper`; with `facet_only` also
    `query_sentence_ids` and `facet`; optional `sentence_ids`, the candidate's sentences that count,
    without which all do. Columns out: the same and `score` and `rank`, rows by query and rank.
    """

    _: KW_ONLY
    facet_only: bool = False

    #: the score of a candidate whose passage has no text
    empty_score: ClassVar[float] = 0.0

    def encode(self, passages: list[Passage]) -> np.ndarray:
        """Return vectors (n, d) of length 1, or 0, dense or sparse; each passage has a text."""
        raise NotImplementedError

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        # whole papers are compared whichever sentences ask
        of_facet = ["query_sentence_ids", "facet"] if self.facet_only else []
        return self.check(results, ["qid", "docno", "query_paper", "paper", *of_facet])

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,)."""
        passages, numbers = self._pair_passages(results)
        if not passages:  # without any text, no encoder is loaded
            return np.full(len(results), self.empty_score)
        return self._score_pairs(self.encode(passages), numbers)

    def _pair_passages(self, results: pd.DataFrame) -> tuple[list[Passage], np.ndarray]:
        """Number the distinct passages of queries and candidates that have a text.

        A query's passage has the sentences that ask, or all; a candidate's those of the same facet,
        or all, of the sentences that count.

        Returns:
            The passages; and the numbers (rows, 2) of each row's query and candidate, NO_TEXT for a
            passage without text.
        """
        papers = results["paper"].tolist()
        chosen_of_row = list_chosen(results)
        passage_pairs: list[tuple[Passage, Passage]] = [((), ())] * len(results)
        for query in read_queries(results):
            facet = query.facet if self.facet_only else ""
            query_positions = query.positions if self.facet_only else query.paper.find("")
            query_passage = query.paper.passage(query_positions)
            for row in query.rows.tolist():
                positions = papers[row].find_or_all(facet, chosen_of_row[row])
                passage_pairs[row] = query_passage, papers[row].passage(positions)

        distinct_passages = dict.fromkeys(chain.from_iterable(passage_pairs))
        passages = [passage for passage in distinct_passages if any(map(str.strip, passage))]
        number_of_passage = {passage: number for number, passage in enumerate(passages)}
        number_pairs = [
            (number_of_passage.get(query_passage, NO_TEXT), number_of_passage.get(passage, NO_TEXT))
            for query_passage, passage in passage_pairs
        ]
        return passages, np.array(number_pairs, dtype=np.intp)

    def _score_pairs(self, vectors: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the scores (rows,) of pairs `numbers` (rows, 2) of passages with these vectors."""
        scores = np.full(len(numbers), self.empty_score)
        have_texts = (numbers != NO_TEXT).all(axis=1)
        scores[have_texts] = products(vectors, vectors, numbers[have_texts])
        return scores
