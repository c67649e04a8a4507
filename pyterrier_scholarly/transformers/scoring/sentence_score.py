"""Score candidates by vectors of sentences: what SentenceMaxSim and its siblings share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...encoders import (
    LSA,
    Encoder,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    plain,
    sentence_vectors,
    vectors,
)
from ...similarity.contributions import Matches
from ...text.contexts import Paper, context_named
from ..step import Step
from .in_context import Asked, counted_of, papers_of

ISOLATED = ["qid", "docno", "query_sentences", "sentences"]
REMEDY = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
Papers = tuple[list[Paper], list[Asked]]  # of each row; empty lists if sentences are isolated


class Side(NamedTuple):
    """The sentences of n rows: for each row an int array of numbers of rows of `vectors` (u, d)."""

    numbers: list[np.ndarray]
    vectors: np.ndarray

    def of(self, row: int) -> np.ndarray:
        """Return the vectors of a row's sentences."""
        return self.vectors[self.numbers[row]]


@dataclass(eq=False, repr=False)
class SentenceScore(Step):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's pool.

    An encoder of texts encodes each sentence alone. An encoder of passages reads whole papers, the
    query's and the candidates', and the vectors of the query's sentences are taken from its paper.
    """

    encoder: object = None
    context: str = "sentence"
    dataset: object = field(default=None, kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    OF_FACET = False  #: whether only a candidate's sentences of the query's facet count
    SPARSE = False  #: whether `score` takes sparse vectors

    @property
    def scaled(self) -> bool:
        """Return whether vectors in context have length 1; only such vectors are shared."""
        return True

    def check(self) -> None:
        """Raise ValueError for an unknown setting."""

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return the scores (k,) of a query's pool.

        Args:
            query: (m, d), vectors of the query's sentences.
            rows: (n, d), of all its candidates' sentences, one candidate after the other.
            lengths: (k,), sentences per candidate; they sum to n.
        """
        raise NotImplementedError

    def score_many(
        self, queries: Sequence[np.ndarray], rows: np.ndarray, lengths: Sequence[int]
    ) -> Iterable[np.ndarray]:
        """Return the same for q queries that share their candidates: (q, k)."""
        return [self.score(query, rows, lengths) for query in queries]

    def matches(
        self, query: np.ndarray, document: np.ndarray, counted: np.ndarray | None
    ) -> Matches:
        """Return what pairs of sentences add to a score.

        Args:
            query, document: (m, d) and (n, d), vectors of a query's and of a candidate's sentences.
            counted: positions of the candidate's sentences that count; None for all.
        """
        raise NotImplementedError

    def read(self, paper: Paper) -> Paper:
        """Return the paper as an encoder of passages reads it."""
        return paper

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results, papers = self._door(results)
        scores = np.zeros(0)  # zero rows need neither encoder nor dataset
        if len(results):
            scores = self._scores(results, *self._sides(results, papers))
        return frames.ranked(results.assign(score=scores))

    def explained(self, row: pd.DataFrame) -> Matches:
        """Explain the score of a frame's one row; see `matches`."""
        query, document, counted = self._sides(*self._door(row))
        return self.matches(query.of(0), document.of(0), counted[0] if counted else None)

    def encoder_used(self) -> Encoder | PassageEncoder:
        """Return the encoder of the settings, or `LSA` of the dataset."""
        if self.encoder is None and self.dataset is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs an encoder (a sentence-transformers model or its name, a "
                "pyterrier_dr bi-encoder, a function), or a dataset to fit the light default on: "
                f"{name}(dataset='csfcube')."
            )
        if self.encoder is None:
            return LSA(self.dataset) if self.isolated else as_passage_encoder(LSA(self.dataset))
        if self.isolated:
            return self.loaded(as_encoder, batch_size=self.batch_size, verbose=self.verbose)
        return self.loaded(as_passage_encoder)

    @property
    def isolated(self) -> bool:
        """Return whether each sentence is encoded alone, as a text."""
        return self.context == "sentence" and not isinstance(plain(self.encoder), PassageEncoder)

    def _door(self, results: pd.DataFrame) -> tuple[pd.DataFrame, Papers]:
        """Check settings and frame; return the frame, and its papers and queries."""
        context_named(self.context)
        self.check()
        if not self.isolated:
            results, papers, asked = papers_of(results, self)
            return results, (papers, asked)
        needed = [*ISOLATED, *(["labels", "facet"] if self.OF_FACET else [])]
        return frames.check(results, self, needed, remedy=REMEDY), ([], [])

    def _sides(
        self, results: pd.DataFrame, papers: Papers
    ) -> tuple[Side, Side, list[np.ndarray] | None]:
        """Return the sides of queries and candidates, and which sentences of candidates count."""
        encoder = self.encoder_used()
        if isinstance(encoder, PassageEncoder):
            sides = _in_context(*papers, partial(self._encoded, encoder))
        else:
            sides = _apart(results, encoder, self.SPARSE)
        if not self.OF_FACET:
            return *sides, None
        columns = ["sentences", "labels", "facet"]
        return *sides, frames.per_key(results, columns, counted_of)

    def _encoded(self, encoder: PassageEncoder, papers: list[Paper]) -> list[np.ndarray]:
        return sentence_vectors(encoder, list(map(self.read, papers)), self.context, self.scaled)

    def _scores(
        self, results: pd.DataFrame, query: Side, document: Side, counted: list[np.ndarray] | None
    ) -> np.ndarray:
        """Return one score per row (n,)."""
        documents = document.numbers
        if counted is not None:
            documents = [numbers[kept] for numbers, kept in zip(documents, counted)]
        scores = np.empty(len(results))
        for pools in _alike(results, documents):
            candidates = [documents[row] for row in pools[0]]
            rows = document.vectors[np.concatenate(candidates)]
            asked = [query.of(pool[0]) for pool in pools]
            lengths = [len(numbers) for numbers in candidates]
            if len(pools) == 1:
                scores[pools[0]] = self.score(asked[0], rows, lengths)
                continue
            for pool, row in zip(pools, self.score_many(asked, rows, lengths)):
                scores[pool] = row
        return scores


def _apart(results: pd.DataFrame, encoder: Encoder, sparse: bool) -> tuple[Side, Side]:
    """Encode every distinct sentence once, alone; sparse vectors are kept sparse if allowed."""
    symmetric = getattr(encoder, "symmetric", False)
    asked: dict[str, int] = {}
    offered = asked if symmetric else {}
    queries = frames.per_key(results, ["query_sentences"], partial(_numbers, asked))
    documents = frames.per_key(results, ["sentences"], partial(_numbers, offered))
    ours = theirs = vectors(encoder.encode_queries, asked, sparse)
    if not symmetric:
        theirs = vectors(encoder.encode_documents, offered, sparse)
    return Side(queries, ours), Side(documents, theirs)


def _numbers(number: dict[str, int], texts: Sequence[str]) -> np.ndarray:
    """Return the numbers of `texts`; new ones are added to `number`."""
    return np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.intp)


def _in_context(
    papers: list[Paper],
    asked: list[Asked],
    encode: Callable[[list[Paper]], list[np.ndarray]],
) -> tuple[Side, Side]:
    """Encode every distinct paper once, with `encode`: from n papers to n arrays (sentences, d)."""
    # by identity first: to hash a paper takes as long as it is, and rows share papers
    by_id = {id(paper): paper for paper in [*papers, *(query.paper for query in asked)]}
    distinct = list(dict.fromkeys(by_id.values()))
    encoded = encode(distinct)
    ends = np.cumsum([len(rows) for rows in encoded])
    spans = {
        paper: np.arange(end - len(rows), end) for paper, rows, end in zip(distinct, encoded, ends)
    }
    span_of = {key: spans[paper] for key, paper in by_id.items()}
    queries = [span_of[id(query.paper)][query.places] for query in asked]
    rows = np.concatenate(encoded)
    return Side(queries, rows), Side([span_of[id(paper)] for paper in papers], rows)


def _alike(results: pd.DataFrame, documents: list[np.ndarray]) -> Iterable[list[np.ndarray]]:
    """Group queries with the same candidates: for each query its rows, in one order."""
    keys = list(map(id, documents))  # rows of a document share an array, which is read once
    number: dict[bytes, int] = {}
    code = {
        key: number.setdefault(row.tobytes(), len(number))
        for key, row in dict(zip(keys, documents)).items()
    }
    codes = np.fromiter(map(code.__getitem__, keys), np.intp, len(keys))
    groups: dict[bytes, list[np.ndarray]] = {}
    for rows in frames.rows_by_query(results):
        rows = rows[np.argsort(codes[rows], kind="stable")]
        groups.setdefault(codes[rows].tobytes(), []).append(rows)
    return groups.values()
