"""Make papers and queries of columns, and encode each distinct one once, for all scorers."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...encoders import Encoder, vectors
from ...text.contexts import Paper, Passage, positions_of
from ..step import Step

COUNTED = ["sentences", "labels", "facet"]  # the columns that say which sentences count
ASKED = ["qid", "query_sentence_ids", "facet", *frames.QUERY_PAPER]
REMEDY = "Put FacetQuery(…) and Sentences(…) before it."


class Asked(NamedTuple):
    """A query: the positions of some sentences of a paper, and their facet, or ""."""

    paper: Paper
    places: list[int]
    facet: str


def papers_of(results: pd.DataFrame, step: Step) -> tuple[pd.DataFrame, list[Paper], list[Asked]]:
    """Check a frame; return it, and a Paper and an Asked for each of its rows.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a query without sentences, or with a position outside its paper; names it.
    """
    results = frames.check(results, step, ["docno", *ASKED, *frames.CANDIDATE], remedy=REMEDY)
    return results, frames.per_key(results, frames.CANDIDATE, _paper), asked_of(results)


def asked_of(frame: pd.DataFrame) -> list[Asked]:
    """Make an Asked for each row of a frame with the columns ASKED; see `papers_of` for errors.

    All rows of a query share one.
    """
    first = frame.drop_duplicates("qid")
    asked = dict(zip(first["qid"], map(_asked, *(first[column] for column in ASKED))))
    return [asked[qid] for qid in frame["qid"].tolist()]  # iterating over a column of str is slow


def passage_pairs(
    papers: Sequence[Paper], asked: Sequence[Asked], whole: bool
) -> tuple[list[Passage], np.ndarray]:
    """Number the passages of candidates and queries: titles and the sentences at `places_read`.

    Args:
        papers, asked: of n rows, from `papers_of`.
        whole: passages have all sentences of their papers.

    Returns:
        The m distinct passages, and an int array (n, 2): the numbers of the query's and of the
        candidate's passage for each row.
    """
    number: dict[Passage, int] = {}
    known: dict[Hashable, int] = {}

    def numbered(key: Hashable, paper: Paper, facet: str, chosen: list[int] | None = None) -> int:
        if key not in known:
            passage = paper.passage(places_read(paper, whole, facet, chosen))
            known[key] = number.setdefault(passage, len(number))
        return known[key]

    ours = [numbered(id(query), query.paper, query.facet, query.places) for query in asked]
    theirs = [numbered((id(p), query.facet), p, query.facet) for p, query in zip(papers, asked)]
    return list(number), np.array([ours, theirs], dtype=np.intp).T


def places_read(
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
    return np.array(of_facet_or_all(_paper("", sentences, labels), facet), dtype=np.intp)


def _paper(title: str, sentences: Sequence[str], labels: Sequence[str]) -> Paper:
    return Paper(title, tuple(sentences), tuple(labels))


def _asked(
    qid: str,
    places: Sequence[int],
    facet: str,
    title: str,
    sentences: Sequence[str],
    labels: Sequence[str],
) -> Asked:
    outside = set(places) - set(range(len(sentences)))
    if outside or not len(places):
        raise ValueError(
            f"Query {qid} asks with sentences {list(places)} of a paper of {len(sentences)}: "
            "query_sentence_ids must be some of these, counted from 0; FacetQuery(…) sets them."
        )
    return Asked(_paper(title, sentences, labels), list(places), facet)


class Side(NamedTuple):
    """The queries or the candidates of a frame with n rows, and their sentences' vectors."""

    items: np.ndarray  # (n,): the number of each row's item; rows may share an item
    sentences: list[np.ndarray]  # of each item: the numbers of its sentences' vectors
    vectors: np.ndarray  # (u, d), one per distinct sentence

    def of(self, row: int) -> np.ndarray:
        """Return the vectors of a row's sentences."""
        return self.vectors[self.sentences[self.items[row]]]


def only_counted(results: pd.DataFrame, document: Side) -> Side:
    """Return the candidates' sentences that count; see `counted_of`."""
    items, first = frames.numbered(results, COUNTED)
    papers = results[COUNTED].iloc[first].itertuples(index=False)
    every = [document.sentences[item] for item in document.items[first]]
    counted = [sentences[counted_of(*paper)] for sentences, paper in zip(every, papers)]
    return Side(items, counted, document.vectors)


def apart(results: pd.DataFrame, encoder: Encoder, sparse: bool) -> tuple[Side, Side]:
    """Encode every distinct sentence once, alone; sparse vectors are kept sparse if allowed."""
    symmetric = getattr(encoder, "symmetric", False)
    asked: dict[str, int] = {}
    offered = asked if symmetric else {}
    queries = _numbered(results, "query_sentences", asked)
    documents = _numbered(results, "sentences", offered)
    ours = vectors(encoder.encode_queries, asked, sparse)
    theirs = ours if symmetric else vectors(encoder.encode_documents, offered, sparse)
    return Side(*queries, ours), Side(*documents, theirs)


def _numbered(
    results: pd.DataFrame, column: str, number: dict[str, int]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the first two fields of a Side; new sentences of `column` are added to `number`."""
    items, first = frames.numbered(results, [column])
    numbers = [
        [number.setdefault(text, len(number)) for text in texts]
        for texts in results[column].iloc[first].tolist()
    ]
    return items, [np.array(one, dtype=np.intp) for one in numbers]


def in_context(
    papers: list[Paper],
    asked: list[Asked],
    encode: Callable[[list[Paper]], list[np.ndarray]],
) -> tuple[Side, Side]:
    """Encode every distinct paper once, with `encode`: from n papers to n arrays (sentences, d)."""
    # by identity first: to hash a paper takes as long as it is, and rows share papers
    offers, offering = frames.by_identity(papers)
    asks, asking = frames.by_identity(asked)
    candidates = [papers[row] for row in offering]
    queries = [asked[row] for row in asking]
    distinct = list(dict.fromkeys([*candidates, *(query.paper for query in queries)]))
    encoded = encode(distinct)
    ends = np.cumsum([len(rows) for rows in encoded])
    spans = {
        paper: np.arange(end - len(rows), end) for paper, rows, end in zip(distinct, encoded, ends)
    }
    rows = np.concatenate(encoded)
    chosen = [spans[query.paper][query.places] for query in queries]
    return Side(asks, chosen, rows), Side(offers, [spans[paper] for paper in candidates], rows)


def same_candidates(results: pd.DataFrame, document: Side) -> Iterable[list[np.ndarray]]:
    """Group queries with the same candidates: for each query its rows, in one order."""
    number: dict[bytes, int] = {}
    known = [number.setdefault(one.tobytes(), len(number)) for one in document.sentences]
    codes = np.array(known)[document.items]
    groups: dict[bytes, list[np.ndarray]] = {}
    for rows in frames.rows_by_query(results):
        rows = rows[np.argsort(codes[rows], kind="stable")]
        groups.setdefault(codes[rows].tobytes(), []).append(rows)
    return groups.values()
