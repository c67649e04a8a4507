"""The base of scorers by one vector per paper, of the whole or of title and facet.

    class ByLength(PassageScorer):
        def encode(self, passages):
            lengths = [len(passage) for passage in passages]
            return unit(np.array([[1.0, length] for length in lengths]))

A *passage* is the title and some sentences of a paper, which are read together: a tuple of texts.
"""

from dataclasses import field
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ..paper import Passage
from ..similarity.document_pairs import products
from ..step import Step, ranked
from .facet_query import Query, read_queries
from .sentence_comparison import choose_positions, list_chosen, number_papers

NO_TEXT = -1  # the number of a passage without text


class PassageScorer(Step):
    """Score candidates by the product of two vectors; a scorer says how to `encode` passages.

    Columns in: `qid`, `docno`, `query_paper` and `paper`; with `facet_only` also
    `query_sentence_ids` and `facet`; optional `sentence_ids`, the candidate's sentences that count,
    without which all do. Columns out: the same and `score` and `rank`, rows by query and rank.
    """

    facet_only: bool = field(default=False, kw_only=True)

    #: the score of a candidate whose passage has no text
    empty_score: ClassVar[float] = 0.0

    def encode(self, passages: list[Passage]) -> np.ndarray:
        """Return vectors (n, d) of length 1, or 0, dense or sparse; each passage has a text."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self._check(results)
        pairs = self._pair_passages(results)

        if pairs.passages:
            vectors = self.encode(pairs.passages)
            scores = self._score_pairs(pairs, vectors)
        else:  # without any text, no encoder is loaded
            scores = np.full(len(results), self.empty_score)
        return ranked(results.assign(score=scores))

    def _check(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        needed_columns = ["qid", "docno", "query_paper", "paper"]
        if self.facet_only:  # else whole papers are compared, whichever sentences ask
            needed_columns += ["query_sentence_ids", "facet"]
        return self.check(results, needed_columns)

    def _pair_passages(self, results: pd.DataFrame) -> "PassagePairs":
        """Number the distinct passages of queries and candidates, and pair them row by row."""
        paper_of_row, papers = number_papers(results["paper"])
        chosen_positions = list_chosen(results)  # of each row

        # rows share papers, so a passage is made once for each paper and choice of sentences
        passage_of_candidate: dict[tuple, Passage] = {}
        passages_of_row: dict[int, tuple[Passage, Passage]] = {}  # the query's, the candidate's
        for query in read_queries(results):
            query_passage = query.paper.passage(self.choose_query_positions(query))
            facet = query.facet if self.facet_only else ""
            for row in query.rows.tolist():
                paper = papers[paper_of_row[row]]
                positions = choose_positions(paper, chosen_positions[row], facet)
                candidate = paper_of_row[row], tuple(positions)
                if candidate not in passage_of_candidate:
                    passage_of_candidate[candidate] = paper.passage(positions)
                passages_of_row[row] = query_passage, passage_of_candidate[candidate]

        return _number_passages(passages_of_row)

    def _score_pairs(self, pairs: "PassagePairs", vectors: np.ndarray) -> np.ndarray:
        """Return the scores of all rows (n,). vectors: of `pairs.passages`, as from `encode`."""
        scores = np.full(len(pairs.numbers), self.empty_score)
        have_texts = (pairs.numbers != NO_TEXT).all(axis=1)
        scores[have_texts] = products(vectors, vectors, pairs.numbers[have_texts])
        return scores

    def choose_query_positions(self, query: Query) -> list[int]:
        """Return the positions of the sentences in a query's passage: those that ask, or all."""
        return query.positions if self.facet_only else list(range(len(query.paper.sentences)))


class PassagePairs(NamedTuple):
    """The distinct passages with a text, and those that each of n rows compares.

    Attributes:
        passages: by number.
        numbers: (n, 2), of each row's query and candidate; NO_TEXT for a passage without text.
    """

    passages: list[Passage]
    numbers: np.ndarray


def _number_passages(passages_of_row: dict[int, tuple[Passage, Passage]]) -> PassagePairs:
    """Number the distinct passages with a text, in the order in which they occur.

    passages_of_row: the query's and the candidate's passage of each row; the rows in any order.
    """
    number_of_passage: dict[Passage, int] = {}
    for passages in passages_of_row.values():
        for passage in passages:
            if passage in number_of_passage:
                continue
            has_text = any(text.strip() for text in passage)
            if has_text:
                number_of_passage[passage] = len(number_of_passage)

    numbers = np.empty((len(passages_of_row), 2), dtype=np.intp)
    for row, (query_passage, candidate_passage) in passages_of_row.items():
        numbers[row, 0] = number_of_passage.get(query_passage, NO_TEXT)
        numbers[row, 1] = number_of_passage.get(candidate_passage, NO_TEXT)
    return PassagePairs(list(number_of_passage), numbers)
