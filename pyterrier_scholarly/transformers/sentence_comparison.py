"""What scorers of sentences compare: the sentences that ask, and those of candidates that count.

Conventions: a frame has q queries and a candidate in each row; distinct papers of candidates are
numbered from 0. A sentence counts if its position is among the row's `sentence_ids`, if the frame
has this column; and, for some scorers, if it is of the query's facet.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..paper import Paper
from ..step import find_first_rows
from .facet_query import Query


class EncodedPapers(NamedTuple):
    """The vectors of p papers' sentences.

    Attributes:
        vectors: (n, d), paper by paper; papers may share rows.
        first_rows: (p,), the row of each paper's first sentence.
    """

    vectors: np.ndarray
    first_rows: np.ndarray

    def select(self, number: int, positions: Sequence[int]) -> np.ndarray:
        """Return the vectors of the sentences at these positions, of the paper with a number."""
        return self.vectors[self.first_rows[number] + np.array(positions, dtype=np.intp)]

    def divide(self, count: int) -> "tuple[EncodedPapers, EncodedPapers]":
        """Return the first `count` papers, and the others."""
        first_papers = EncodedPapers(self.vectors, self.first_rows[:count])
        other_papers = EncodedPapers(self.vectors, self.first_rows[count:])
        return first_papers, other_papers


class Comparison(NamedTuple):
    """What is compared in a frame: q queries, and the papers of the candidates in its rows.

    Attributes:
        queries: their rows are sorted by the number of the row's paper.
        query_vectors: (m, d) of each query, of the sentences that ask.
        papers: distinct papers of candidates; the others go by their numbers.
        encoded_papers: the vectors of all their sentences.
        paper_of_row: (rows,), the number of each row's paper.
        chosen_of_row: the positions of each row's sentences that count; None if all do.
        by_facet: whether only sentences of the query's facet count, if a paper has any.
    """

    queries: list[Query]
    query_vectors: list[np.ndarray]
    papers: list[Paper]
    encoded_papers: EncodedPapers
    paper_of_row: np.ndarray
    chosen_of_row: list[Sequence[int] | None] | None
    by_facet: bool

    def group_queries(self) -> list[list[int]]:
        """Group the numbers of queries whose candidates are the same, to compare them at once.

        Where sentences were chosen row by row, each query is a group of its own.
        """
        if self.chosen_of_row is not None:
            return [[number] for number in range(len(self.queries))]

        groups: dict[tuple[bytes, str], list[int]] = defaultdict(list)
        for number, query in enumerate(self.queries):
            candidates = self.paper_of_row[query.rows].tobytes()  # arrays have no hash
            groups[candidates, query.facet if self.by_facet else ""].append(number)
        return list(groups.values())

    def stack_candidates(self, query: Query) -> tuple[np.ndarray, np.ndarray]:
        """Stack the sentences of a query's k candidates that count, candidate by candidate.

        Returns:
            Their vectors (n, d), and how many each candidate has (k,).
        """
        paper_numbers = self.paper_of_row[query.rows]
        first_rows = self.encoded_papers.first_rows[paper_numbers]
        if self.chosen_of_row is None and not self.by_facet:  # all sentences count
            lengths = np.array([len(self.papers[number].sentences) for number in paper_numbers])
            vector_rows = join_ranges(first_rows, lengths)
        else:
            counted_positions = [self.find_counted(query, row) for row in query.rows]
            lengths = np.array([len(positions) for positions in counted_positions])
            all_positions = np.array(list(chain.from_iterable(counted_positions)), dtype=np.intp)
            vector_rows = np.repeat(first_rows, lengths) + all_positions
        return self.encoded_papers.vectors[vector_rows], lengths

    def find_counted(self, query: Query, row: int) -> list[int]:
        """Return the positions of the sentences that count, of the candidate in a row."""
        paper = self.papers[self.paper_of_row[row]]
        chosen_positions = None if self.chosen_of_row is None else self.chosen_of_row[row]
        return choose_positions(paper, chosen_positions, query.facet if self.by_facet else "")


def number_papers(column: pd.Series) -> tuple[np.ndarray, list[Paper]]:
    """Return the number of each row's paper (n,), and the papers by number.

    Papers are told apart by identity, since rows share them: to hash one takes as long as it is.
    """
    papers = column.tolist()
    addresses = np.fromiter(map(id, papers), dtype=np.int64, count=len(papers))
    paper_of_row, _ = pd.factorize(addresses)
    return paper_of_row, [papers[row] for row in find_first_rows(paper_of_row)]


def find_first_sentences(papers: Sequence[Paper]) -> np.ndarray:
    """Return the row of each paper's first sentence (p,), if their sentences are one array."""
    lengths = np.array([len(paper.sentences) for paper in papers], dtype=np.intp)
    return np.cumsum(lengths) - lengths


def join_ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the numbers of ranges, one after the other: [5, 0], [2, 3] gives [5, 6, 0, 1, 2]."""
    starts_in_result = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - starts_in_result, lengths)


def list_chosen(frame: pd.DataFrame) -> list[Sequence[int] | None]:
    """Return for each row the positions of its sentences that count; None where all do."""
    if "sentence_ids" in frame.columns:
        return frame["sentence_ids"].tolist()
    return [None] * len(frame)


def choose_positions(paper: Paper, chosen: Sequence[int] | None, facet: str = "") -> list[int]:
    """Return the positions of a document's sentences that count.

    They are the chosen ones, or all; of these those of the facet, if it has any.

    Raises:
        ValueError: no list, a position outside of the paper, twice, or a mask of True and False.
    """
    if chosen is None:
        positions = list(range(len(paper.sentences)))
    else:
        if not paper.has_positions(chosen) or len(set(chosen)) < len(chosen):
            raise ValueError(
                f"sentence_ids is {chosen!s:.60} for document {paper.doc_id!r} of "
                f"{len(paper.sentences)} sentences: pass a list of positions from 0, each once."
            )
        positions = list(chosen)
    if not facet:
        return positions

    positions_of_facet = set(paper.find(facet))
    return [position for position in positions if position in positions_of_facet] or positions
