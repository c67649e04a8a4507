"""The sentences of queries and candidates, with their vectors."""

from typing import NamedTuple

import numpy as np

from .. import frames
from ..encoders import vectors


class Side(NamedTuple):
    """The sentences of n rows: the numbers of each row's (int arrays) among vectors (u, d)."""

    numbers: list
    vectors: np.ndarray

    def of(self, row):
        """The vectors of a row's sentences."""
        return self.vectors[self.numbers[row]]


def apart(results, encoder, sparse) -> tuple[Side, Side]:
    """Both sides, every distinct sentence encoded alone, once; in a sparse array, if allowed."""
    query_texts = _Texts()
    symmetric = getattr(encoder, "symmetric", False)
    document_texts = query_texts if symmetric else _Texts()
    queries = [query_texts.numbers(sentences) for sentences in results["query_sentences"]]
    documents = [document_texts.numbers(sentences) for sentences in results["sentences"]]
    found = other = vectors(encoder.encode_queries, query_texts.number, sparse)
    if not symmetric:
        other = vectors(encoder.encode_documents, document_texts.number, sparse)
    return Side(queries, found), Side(documents, other)


def in_context(papers, asked, encode) -> tuple[Side, Side]:
    """Both sides, every distinct paper read once.

    Args:
        papers, asked: a `Paper` and an `Asked` for each row.
        encode: from n papers to n arrays (sentences, d).
    """
    distinct = list(dict.fromkeys([*papers, *(one.paper for one in asked)]))
    made = encode(distinct)
    ends = np.cumsum([len(own) for own in made])
    spans = {paper: np.arange(end - len(own), end) for paper, own, end in zip(distinct, made, ends)}
    rows = np.concatenate(made)
    queries = [spans[one.paper][one.places] for one in asked]
    return Side(queries, rows), Side([spans[paper] for paper in papers], rows)


def alike(results, documents):
    """Groups of queries with the same candidates: for each query its rows, in one order."""
    code = {}
    codes = np.array([code.setdefault(own.tobytes(), len(code)) for own in documents])
    groups = {}
    for rows in frames.rows_by_query(results):
        rows = rows[np.argsort(codes[rows], kind="stable")]
        groups.setdefault(codes[rows].tobytes(), []).append(rows)
    return groups.values()


class _Texts:
    """Numbers distinct texts in the order in which they are first seen."""

    def __init__(self):
        self.number = {}
        self._known = {}

    def numbers(self, texts):
        """The numbers of `texts`; the same list object, shared by many rows, is read once."""
        if id(texts) not in self._known:
            found = [self.number.setdefault(text, len(self.number)) for text in texts]
            # with the list itself, so that no later one can get its id
            self._known[id(texts)] = texts, np.array(found, dtype=np.intp)
        return self._known[id(texts)][1]
