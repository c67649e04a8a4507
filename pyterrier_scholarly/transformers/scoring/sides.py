"""Make papers and queries of columns, and encode each distinct one once, for all scorers.

rows = read_rows(results, step, needed_in_context(title=True))
query, document = in_context(rows.papers, rows.queries, encode)
query.of(0) @ document.of(0).T  # the similarities of the first row's sentences
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from ... import frames
from ...encoders import Encoder, vectors
from ...text.contexts import Paper, Passage, positions_of
from ..step import Step

COUNTED = ["sentences", "labels", "facet"]  # the columns that say which sentences count
WEIGHTS = "query_sentence_weights"
REMEDY = "Put FacetQuery(…) and Sentences(…) before it."

Key = TypeVar("Key", bound=Hashable)


class Distinct(Generic[Key]):
    """Values in the order of their first appearance, each with its number from 0."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}

    def number(self, value: Key) -> int:
        """Return the number of a value; a new value gets the next one."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[Key]:
        """All values, by their numbers."""
        return list(self._numbers)


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


class Rows(NamedTuple):
    """A checked frame, and for each of its n rows the candidate's paper and the query."""

    frame: pd.DataFrame
    papers: list[Paper]
    queries: list[Query]


def needed_in_context(
    *,
    asks: bool = True,
    title: bool = False,
    labels: bool = False,
    query_labels: bool = False,
    facet: bool = False,
) -> list[str]:
    """Name the columns that a scorer of papers needs, besides `qid` and `docno`.

    Args:
        asks: it distinguishes the sentences of the query's paper that ask.
        title: it reads the titles of both sides.
        labels, query_labels: it reads the labels of the candidate's, or of the query's sentences.
        facet: it reads the query's facet.
    """
    needed = ["query_paper_sentences", "sentences"]
    if asks:
        needed.append("query_sentence_ids")
    if title:
        needed += ["query_title", "title"]
    if labels:
        needed.append("labels")
    if query_labels:
        needed.append("query_paper_labels")
    if facet:
        needed.append("facet")
    return needed


def read_rows(
    results: pd.DataFrame, step: Step, needed: Sequence[str], weighted: bool = False
) -> Rows:
    """Check a frame, and make papers and queries of it.

    Titles, labels and positions that are present are read even if they are not needed, so that
    steps with other needs make equal papers and share their vectors.

    Args:
        needed: see `needed_in_context`.
        weighted: whether `step` uses weights of the query's sentences.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: see `frames.check`.
    """
    optional = ["query_sentence_ids", *frames.QUERY_PAPER, *frames.CANDIDATE]
    if weighted:
        optional.append(WEIGHTS)
    results = frames.check(
        results, step, ["qid", "docno", *needed], optional=optional, remedy=REMEDY
    )
    return Rows(results, make_papers(results), make_queries(results, [*needed, *optional]))


def make_papers(frame: pd.DataFrame) -> list[Paper]:
    """Make the candidate's paper for each row of a checked frame; rows of a document share it."""
    columns = [name for name in frames.CANDIDATE if name in frame.columns]
    return frames.per_key(frame, columns, lambda *values: make_paper(**dict(zip(columns, values))))


def make_paper(
    sentences: Sequence[str], title: str = "", labels: Sequence[str] | None = None
) -> Paper:
    """Make a paper of the values of columns; without labels, these are ""."""
    known_labels = [""] * len(sentences) if labels is None else labels
    return Paper(title, tuple(sentences), tuple(known_labels))


def make_queries(frame: pd.DataFrame, columns: Iterable[str]) -> list[Query]:
    """Make the query for each row of a checked frame, of these columns; its rows share it."""
    known = [name for name in dict.fromkeys(["qid", *columns]) if name in frame.columns]
    first_rows = frame[known].drop_duplicates("qid")
    query_of = {row["qid"]: _make_query(row) for row in first_rows.to_dict("records")}
    return [query_of[qid] for qid in frame["qid"].tolist()]  # to iterate over a column is slow


def _make_query(row: dict) -> Query:
    """Make a query of the values of its columns; without positions, all sentences ask."""
    sentences = row["query_paper_sentences"]
    paper = make_paper(sentences, row.get("query_title", ""), row.get("query_paper_labels"))
    positions = row.get("query_sentence_ids", range(len(sentences)))
    weights = np.array(list(row[WEIGHTS]), dtype=np.float64) if WEIGHTS in row else None
    return Query(paper, list(positions), row.get("facet", ""), weights)


def passage_pairs(
    papers: Sequence[Paper], queries: Sequence[Query], whole: bool
) -> tuple[list[Passage], np.ndarray]:
    """Number the passages of candidates and queries: titles with the sentences that are read.

    Args:
        papers, queries: of n rows, from `read_rows`.
        whole: passages have all sentences of their papers; see `positions_read`.

    Returns:
        The distinct passages, and an int array (n, 2): the numbers of the query's and of the
        candidate's passage for each row.
    """
    passages = Distinct[Passage]()
    # by identity first: to hash a passage takes as long as it is, and rows share papers
    number_of_query: dict[int, int] = {}
    number_of_paper: dict[tuple[int, str], int] = {}
    pairs = np.empty((len(papers), 2), dtype=np.intp)
    for row, (paper, query) in enumerate(zip(papers, queries)):
        if id(query) not in number_of_query:
            positions = positions_read(query.paper, whole, query.facet, query.positions)
            number_of_query[id(query)] = passages.number(query.paper.passage(positions))

        key = id(paper), query.facet
        if key not in number_of_paper:
            positions = positions_read(paper, whole, query.facet)
            number_of_paper[key] = passages.number(paper.passage(positions))

        pairs[row] = number_of_query[id(query)], number_of_paper[key]
    return passages.values, pairs


def positions_read(
    paper: Paper, whole: bool, facet: str, chosen: list[int] | None = None
) -> list[int]:
    """Return the positions of a passage's sentences: all, or `chosen`, or without it the facet's.

    A paper without a sentence of the facet is read as a whole.
    """
    if whole:
        return list(range(len(paper.sentences)))
    return of_facet_or_all(paper, facet) if chosen is None else chosen


def of_facet_or_all(paper: Paper, facet: str) -> list[int]:
    """Return the positions of a facet's sentences, or all positions if it has none."""
    return positions_of(facet, paper.labels) or list(range(len(paper.sentences)))


def counted_of(sentences: Sequence[str], labels: Sequence[str], facet: str) -> np.ndarray:
    """Return the positions (int array) that `of_facet_or_all` gives for a candidate's row."""
    return np.array(of_facet_or_all(make_paper(sentences, "", labels), facet), dtype=np.intp)


class Side(NamedTuple):
    """The queries or the candidates of a frame with n rows, and their sentences' vectors.

    Attributes:
        items: (n,), the number of each row's item; rows may share an item.
        sentences: of each item, the numbers of its sentences' vectors.
        vectors: (u, d), one per distinct sentence.
        weights: of each item, those of its sentences; None if all weigh the same.
    """

    items: np.ndarray
    sentences: list[np.ndarray]
    vectors: np.ndarray
    weights: list[np.ndarray] | None = None

    def of(self, row: int) -> np.ndarray:
        """Return the vectors of a row's sentences."""
        return self.vectors[self.sentences[self.items[row]]]

    def weights_of(self, row: int) -> np.ndarray | None:
        """Return the weights of a row's sentences, or None."""
        return None if self.weights is None else self.weights[self.items[row]]


def only_counted(results: pd.DataFrame, document: Side) -> Side:
    """Return the candidates' sentences that count; see `counted_of`."""
    items, first_rows = frames.numbered(results, COUNTED)
    counted = []
    for row in first_rows:
        sentences = document.sentences[document.items[row]]
        columns = [results[name].iloc[row] for name in COUNTED]
        counted.append(sentences[counted_of(*columns)])
    return Side(items, counted, document.vectors)


def apart(results: pd.DataFrame, encoder: Encoder, sparse: bool) -> tuple[Side, Side]:
    """Encode every distinct sentence once, alone; sparse vectors are kept sparse if allowed."""
    query_texts = Distinct[str]()
    symmetric = getattr(encoder, "symmetric", False)
    document_texts = query_texts if symmetric else Distinct[str]()  # both sides in one call

    is_weighted = WEIGHTS in results.columns
    query_columns = ["query_sentences", WEIGHTS] if is_weighted else ["query_sentences"]
    queries, query_rows = frames.numbered(results, query_columns)
    query_sentences = _number_texts(results["query_sentences"].iloc[query_rows], query_texts)
    weights = None
    if is_weighted:
        weight_lists = results[WEIGHTS].iloc[query_rows].tolist()
        weights = [np.array(list(own), dtype=np.float64) for own in weight_lists]

    documents, document_rows = frames.numbered(results, ["sentences"])
    document_sentences = _number_texts(results["sentences"].iloc[document_rows], document_texts)

    query_vectors = vectors(encoder.encode_queries, query_texts.values, sparse)
    document_vectors = query_vectors
    if not symmetric:
        document_vectors = vectors(encoder.encode_documents, document_texts.values, sparse)
    return (
        Side(queries, query_sentences, query_vectors, weights),
        Side(documents, document_sentences, document_vectors),
    )


def _number_texts(column: pd.Series, texts: Distinct[str]) -> list[np.ndarray]:
    """Return the numbers of each list's sentences in `texts`, which gets the new ones."""
    return [
        np.array([texts.number(text) for text in sentences], dtype=np.intp)
        for sentences in column.tolist()
    ]


def in_context(
    papers: list[Paper],
    queries: list[Query],
    encode: Callable[[list[Paper]], list[np.ndarray]],
) -> tuple[Side, Side]:
    """Encode every distinct paper once, with `encode`: from n papers to n arrays (sentences, d)."""
    # by identity first: to hash a paper takes as long as it is, and rows share papers
    paper_of_row, paper_rows = frames.by_identity(papers)
    query_of_row, query_rows = frames.by_identity(queries)
    candidates = [papers[row] for row in paper_rows]
    distinct_queries = [queries[row] for row in query_rows]

    read = list(dict.fromkeys([*candidates, *(query.paper for query in distinct_queries)]))
    encoded = encode(read)
    ends = np.cumsum([len(rows) for rows in encoded])
    numbers_of = {
        paper: np.arange(end - len(rows), end) for paper, rows, end in zip(read, encoded, ends)
    }
    sentence_vectors = np.concatenate(encoded)

    chosen = [numbers_of[query.paper][query.positions] for query in distinct_queries]
    # all queries have weights, or none has
    weights = [query.weights for query in distinct_queries if query.weights is not None]
    offered = [numbers_of[paper] for paper in candidates]
    return (
        Side(query_of_row, chosen, sentence_vectors, weights or None),
        Side(paper_of_row, offered, sentence_vectors),
    )


def same_candidates(results: pd.DataFrame, document: Side) -> Iterable[list[np.ndarray]]:
    """Group queries with the same candidates: for each query its rows, in one order.

    Their common candidates are multiplied with all their sentences at once.
    """
    contents = Distinct[bytes]()
    content_of_item = np.array([contents.number(own.tobytes()) for own in document.sentences])
    content_of_row = content_of_item[document.items]
    groups: dict[bytes, list[np.ndarray]] = {}
    for rows in frames.rows_by_query(results):
        ordered_rows = rows[np.argsort(content_of_row[rows], kind="stable")]
        pool = content_of_row[ordered_rows].tobytes()
        groups.setdefault(pool, []).append(ordered_rows)
    return groups.values()
