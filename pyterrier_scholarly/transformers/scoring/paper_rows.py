"""Papers, queries and passages in the rows of a frame, for scorers that read papers.

    rows = read_paper_rows(results, step, PaperColumns(titles=True))
    rows.papers[0].sentences  # of the first row's candidate
    rows.queries[0].positions  # of the sentences that ask, in the query's paper

Conventions: a list has one item for each of n rows. Rows of a document share one `Paper`, and rows
of a query one `Query`: the same object, so that it can be numbered by its identity. To hash a
paper takes as long as it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...distinct import Distinct
from ...text.contexts import Paper, Passage
from ...text.facet_sentences import positions_of
from ..step import Step

WEIGHTS = "query_sentence_weights"  # the column of weights of the sentences that ask
#: the columns that a `Query` is made of, if the frame has them
QUERY_COLUMNS = ("query_sentence_ids", *frames.QUERY_PAPER, "facet", WEIGHTS)
REMEDY = "Put FacetQuery(…) and Sentences(…) before it."


class Query(NamedTuple):
    """A query: some sentences of a paper ask.

    Attributes:
        paper: the whole paper.
        positions: of the sentences that ask, from 0.
        facet: theirs, or "".
        weights: one for each of them, or None.
    """

    paper: Paper
    positions: list[int]
    facet: str
    weights: np.ndarray | None = None


class PaperRows(NamedTuple):
    """A checked frame, and for each of its n rows the candidate's paper and the query."""

    frame: pd.DataFrame
    papers: list[Paper]
    queries: list[Query]


@dataclass(frozen=True)
class PaperColumns:
    """What a scorer reads of papers, besides the sentences of both sides.

    Attributes:
        asking: which sentences of the query's paper ask.
        titles: the titles of both sides.
        labels, query_labels: the labels of the candidate's, or of the query's sentences.
        facet: the query's facet.
    """

    asking: bool = True
    titles: bool = False
    labels: bool = False
    query_labels: bool = False
    facet: bool = False

    def list_names(self) -> list[str]:
        """List the columns that hold it, besides `qid` and `docno`."""
        names = ["query_paper_sentences", "sentences"]
        if self.asking:
            names.append("query_sentence_ids")
        if self.titles:
            names += ["query_title", "title"]
        if self.labels:
            names.append("labels")
        if self.query_labels:
            names.append("query_paper_labels")
        if self.facet:
            names.append("facet")
        return names


def read_paper_rows(results: pd.DataFrame, step: Step, needed: PaperColumns) -> PaperRows:
    """Check a frame, and make papers and queries of it; errors as of `check_paper_frame`."""
    results = check_paper_frame(results, step, needed)
    return PaperRows(results, make_papers(results), make_queries(results))


def check_paper_frame(
    results: pd.DataFrame, step: Step, needed: PaperColumns, takes_weights: bool = False
) -> pd.DataFrame:
    """Return the frame, after checking the columns that papers and queries are made of.

    Titles, labels and positions that are present are read even if they are not needed, so that
    steps with other needs make equal papers and share their vectors.

    Args:
        results: the frame.
        step: the scorer; errors name it.
        needed: what it cannot do without.
        takes_weights: whether it uses weights of the query's sentences, if there are any.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: see `frames.check`.
    """
    columns = ["qid", "docno", *needed.list_names()]
    optional = ["query_sentence_ids", *frames.QUERY_PAPER, *frames.CANDIDATE]
    if takes_weights:
        optional.append(WEIGHTS)
    return frames.check(results, step, columns, optional=optional, remedy=REMEDY)


def make_papers(results: pd.DataFrame) -> list[Paper]:
    """Make the candidate's paper for each row of a checked frame."""
    columns = [name for name in frames.CANDIDATE if name in results.columns]
    paper_of_row, first_rows = frames.numbered(results, columns)

    # column by column: a dict for each row takes longer than the paper
    candidates = results[columns].iloc[first_rows]
    titles: Iterable[str] = repeat("")
    if "title" in columns:
        titles = candidates["title"].tolist()
    labels: Iterable[Sequence[str] | None] = repeat(None)
    if "labels" in columns:
        labels = candidates["labels"].tolist()

    papers = list(map(make_paper, candidates["sentences"].tolist(), titles, labels))
    return [papers[number] for number in paper_of_row.tolist()]


def make_paper(
    sentences: Sequence[str], title: str = "", labels: Sequence[str] | None = None
) -> Paper:
    """Make a paper of the values of columns; without labels, these are ""."""
    if labels is None:
        labels = [""] * len(sentences)
    return Paper(title, tuple(sentences), tuple(labels))


def make_queries(frame: pd.DataFrame) -> list[Query]:
    """Make the query for each row of a checked frame, of results or of topics."""
    columns = [name for name in ("qid", *QUERY_COLUMNS) if name in frame.columns]
    first_rows = frame[columns].drop_duplicates("qid")
    query_by_id = {}
    for row in first_rows.to_dict("records"):
        query_by_id[row["qid"]] = _make_query(row)
    return [query_by_id[qid] for qid in frame["qid"].tolist()]  # to iterate over a column is slow


def _make_query(row: Mapping) -> Query:
    """Make a query of the values of its columns; without positions, all sentences ask."""
    sentences = row["query_paper_sentences"]
    paper = make_paper(sentences, row.get("query_title", ""), row.get("query_paper_labels"))
    positions = row.get("query_sentence_ids", range(len(sentences)))
    weights = None
    if WEIGHTS in row:
        weights = np.array(list(row[WEIGHTS]), dtype=np.float64)
    return Query(paper, list(positions), row.get("facet", ""), weights)


class PassagePairs(NamedTuple):
    """The passages that the rows of a frame compare.

    Attributes:
        passages: distinct passages: a title, and the sentences that are read.
        pairs: (n, 2), the numbers in `passages` of each row's query and candidate.
    """

    passages: list[Passage]
    pairs: np.ndarray


def number_passages(rows: PaperRows, is_whole: bool) -> PassagePairs:
    """Number the distinct passages of candidates and queries, and pair them row by row.

    is_whole: passages have all sentences of their papers; otherwise see `choose_positions`.
    """
    passages = Distinct[Passage]()
    # Rows share the objects of queries and papers. So a passage is made and hashed once for each
    # object, which `id` tells apart: to hash a passage takes as long as its text.
    number_by_query: dict[int, int] = {}
    number_by_paper: dict[tuple[int, str], int] = {}

    pairs = np.empty((len(rows.papers), 2), dtype=np.intp)
    for row, (paper, query) in enumerate(zip(rows.papers, rows.queries)):
        query_key = id(query)
        if query_key not in number_by_query:
            positions = choose_query_positions(query, is_whole)
            number_by_query[query_key] = passages.add(query.paper.passage(positions))

        # unless it is whole, a paper's passage depends on the facet that the query asks for
        facet = "" if is_whole else query.facet
        paper_key = id(paper), facet
        if paper_key not in number_by_paper:
            positions = choose_positions(paper, facet, is_whole)
            number_by_paper[paper_key] = passages.add(paper.passage(positions))

        pairs[row] = number_by_query[query_key], number_by_paper[paper_key]
    return PassagePairs(passages.keys, pairs)


def choose_query_positions(query: Query, is_whole: bool) -> list[int]:
    """Return the positions of the sentences in a query's passage: all, or those that ask."""
    if is_whole:
        return list(range(len(query.paper.sentences)))
    return query.positions


def choose_positions(paper: Paper, facet: str, is_whole: bool) -> list[int]:
    """Return the positions of the sentences in a candidate's passage: all, or the facet's."""
    if is_whole:
        return list(range(len(paper.sentences)))
    return find_facet_or_all(paper.labels, facet)


def find_facet_or_all(labels: Sequence[str], facet: str) -> list[int]:
    """Return the positions of a facet's sentences, or all positions if it has none.

    labels: of all sentences, one each.
    """
    positions = positions_of(facet, labels)
    if positions:
        return positions
    return list(range(len(labels)))
