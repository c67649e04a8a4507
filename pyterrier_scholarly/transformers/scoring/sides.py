"""Number the sentences of a frame's queries and candidates, and encode each distinct one once."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...encoders import Encoder, vectors
from ...text.contexts import Paper
from .in_context import Asked, counted_of

COUNTED = ["sentences", "labels", "facet"]  # the columns that say which sentences count


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


def sides_apart(results: pd.DataFrame, encoder: Encoder, sparse: bool) -> tuple[Side, Side]:
    """Encode every distinct sentence once, alone; sparse vectors are kept sparse if allowed."""
    symmetric = getattr(encoder, "symmetric", False)
    asked: dict[str, int] = {}
    offered = asked if symmetric else {}
    queries = _numbered(results, "query_sentences", asked)
    documents = _numbered(results, "sentences", offered)
    ours = theirs = vectors(encoder.encode_queries, asked, sparse)
    if not symmetric:
        theirs = vectors(encoder.encode_documents, offered, sparse)
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


def sides_in_context(
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
    contents = [sentences.tobytes() for sentences in document.sentences]
    codes = np.array([number.setdefault(content, len(number)) for content in contents])
    codes = codes[document.items]
    groups: dict[bytes, list[np.ndarray]] = {}
    for rows in frames.rows_by_query(results):
        rows = rows[np.argsort(codes[rows], kind="stable")]
        groups.setdefault(codes[rows].tobytes(), []).append(rows)
    return groups.values()
