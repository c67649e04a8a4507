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

COUNTED = ["sentences", "labels", "facet"]
ISOLATED = ["qid", "docno", "query_sentences", "sentences"]
REMEDY = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
Papers = tuple[list[Paper], list[Asked]]  # of each row; empty lists if sentences are isolated


class Side(NamedTuple):
    """The sentences of n rows: rows of `vectors` (u, d), by the number of a row's paper or text."""

    items: np.ndarray  # (n,), ints: rows with equal sentences may share a number
    sentences: list[np.ndarray]  # of each number, an int array of rows of `vectors`
    vectors: np.ndarray

    def of(self, row: int) -> np.ndarray:
        """Return the vectors of a row's sentences."""
        return self.vectors[self.sentences[self.items[row]]]


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
        row, papers = self._door(row)
        query, document = self._sides(row, papers)
        counted = counted_of(*row[COUNTED].iloc[0]) if self.OF_FACET else None
        return self.matches(query.of(0), document.of(0), counted)

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

    def _sides(self, results: pd.DataFrame, papers: Papers) -> tuple[Side, Side]:
        """Return the sides of queries and candidates."""
        encoder = self.encoder_used()
        if isinstance(encoder, PassageEncoder):
            return _in_context(*papers, partial(self._encoded, encoder))
        return _apart(results, encoder, self.SPARSE)

    def _encoded(self, encoder: PassageEncoder, papers: list[Paper]) -> list[np.ndarray]:
        return sentence_vectors(encoder, list(map(self.read, papers)), self.context, self.scaled)

    def _scores(self, results: pd.DataFrame, query: Side, document: Side) -> np.ndarray:
        """Return one score per row (n,)."""
        if self.OF_FACET:
            document = _of_facet(results, document)
        scores = np.empty(len(results))
        for pools in _alike(results, document):
            candidates = [document.sentences[item] for item in document.items[pools[0]]]
            rows = document.vectors[np.concatenate(candidates)]
            asked = [query.of(pool[0]) for pool in pools]
            lengths = [len(sentences) for sentences in candidates]
            if len(pools) == 1:
                scores[pools[0]] = self.score(asked[0], rows, lengths)
                continue
            for pool, row in zip(pools, self.score_many(asked, rows, lengths)):
                scores[pool] = row
        return scores


def _of_facet(results: pd.DataFrame, document: Side) -> Side:
    """Return the candidates' sentences that count; see `counted_of`."""
    items, first = frames.numbered(results, COUNTED)
    papers = results[COUNTED].iloc[first].itertuples(index=False)
    every = [document.sentences[item] for item in document.items[first]]
    counted = [sentences[counted_of(*paper)] for sentences, paper in zip(every, papers)]
    return Side(items, counted, document.vectors)


def _apart(results: pd.DataFrame, encoder: Encoder, sparse: bool) -> tuple[Side, Side]:
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


def _in_context(
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


def _alike(results: pd.DataFrame, document: Side) -> Iterable[list[np.ndarray]]:
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
