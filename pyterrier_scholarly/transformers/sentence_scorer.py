"""The base of scorers by vectors of sentences: it checks, encodes, has scored, and ranks.

    class Nearest(SentenceScorer):
        def score(self, query, rows, lengths):
            ends = np.cumsum(lengths)
            return products(query, rows).max(axis=0)[ends - 1]  # each candidate's last sentence

Conventions: a frame has q queries and a candidate in each row. A query has m sentences that ask,
(m, d). The sentences of its k candidates are one array of n rows (n, d), one candidate after the
other; `lengths` (k,) says how many each has, perhaps none. A sentence counts if its position is
among the row's `sentence_ids`, if the frame has this column; and, for some scorers, if it is of the
query's facet.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, field
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ..datasets import DatasetLike
from ..encoders import (
    LSA,
    Encoder,
    EncoderLike,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    sentence_vectors,
    vectors,
)
from ..encoders.contexts import ContextName
from ..encoders.encoder_protocols import Side
from ..paper import Paper
from ..similarity.matches import Matches
from ..similarity.vectors import unit
from ..step import Count, list_chosen, number_papers, ranked
from .facet_query import Query, read_queries
from .scorer import Scorer


class SentenceScorer(Scorer):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's candidates.

    The methods `score`, `score_many`, `split` and `prepare`, and the class attributes here, are
    hooks: subclasses fill them, and only this file reads them.

    Columns in: `qid`, `docno`, `query_paper`, `query_sentence_ids` and `paper`; optional
    `sentence_ids`, the candidate's sentences that count, without which all do. Columns out: the
    same and `score` and `rank`, rows by query and rank.
    """

    encoder: EncoderLike | None = None
    context: ContextName = "sentence"
    _: KW_ONLY
    dataset: DatasetLike | None = None
    batch_size: Count = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    #: whether only a candidate's sentences of the query's facet count, if it has any
    by_facet: ClassVar[bool] = False
    #: whether `score` takes sparse vectors
    takes_sparse: ClassVar[bool] = False
    #: whether vectors are scaled to length 1
    scales_vectors: ClassVar[bool] = True

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return the scores (k,) of a query's k candidates."""
        raise NotImplementedError

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: np.ndarray,
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Return the scores of q queries with the same candidates: q arrays (k,).

        weights: q arrays (m,), of the queries' sentences; None unless `uses_weights`.
        """
        return [self.score(query, rows, lengths) for query in queries]

    def split(self, query: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> Matches:
        """Return what pairs of sentences add to the score of one candidate, of n > 0 sentences."""
        raise NotImplementedError(f"{type(self).__name__} has no method `split`, for `explain`.")

    def prepare(self, paper: Paper) -> Paper:
        """Return a paper as the encoder reads it."""
        return paper

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        facet = ["facet"] if self.by_facet else []
        needs = ["qid", "docno", "query_paper", "query_sentence_ids", "paper", *facet]
        return self.check(results, needs)

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,)."""
        return self._score(self._compare(results))

    def explain_ranking(
        self, results: pd.DataFrame, docno: str
    ) -> tuple[pd.DataFrame, Matches | None]:
        """Rank one query's candidates, and say what pairs of sentences add to one's score.

        Both are by the same vectors: a model computes slightly other ones in another batch.

        Returns:
            The ranking; and the pairs of the document, None if no sentence of it counts.
        """
        results = self.check_results(results)
        comparison = self._compare(results)
        ranking = ranked(results.assign(score=self._score(comparison)))

        (query,) = comparison.queries
        (query_vectors,) = comparison.query_vectors
        row = results["docno"].tolist().index(docno)
        document_vectors, _ = comparison.stack_candidates([row])
        if not document_vectors.shape[0]:
            return ranking, None

        matches = self.split(query_vectors, document_vectors, query.weights)
        if comparison.counted_positions is not None:
            # only some sentences were compared: say which of the paper's they are
            matches = matches._replace(columns=comparison.counted_positions[row])
        return ranking, matches

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Return what pairs of sentences add to the score of a frame's one row."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

    def _compare(self, results: pd.DataFrame) -> "Comparison":
        """Encode the papers of both sides, each once, and return what is compared."""
        paper_numbers, distinct_papers = number_papers(results["paper"].tolist())
        queries = read_queries(results)
        papers_with_sentences = [paper for paper in distinct_papers if paper.sentences]
        if self.context == "sentence" and not isinstance(self.encoder, PassageEncoder):
            query_vectors, vectors = self._encode_isolated(queries, papers_with_sentences)
        else:
            query_vectors, vectors = self._encode_in_context(queries, papers_with_sentences)

        paper_lengths = np.array([len(paper.sentences) for paper in distinct_papers])
        return Comparison(
            queries=queries,
            query_vectors=query_vectors,
            vectors=vectors,
            paper_lengths=paper_lengths,
            paper_starts=find_starts(paper_lengths),
            paper_numbers=paper_numbers,
            counted_positions=self._find_counted_positions(results),
        )

    def _find_counted_positions(self, results: pd.DataFrame) -> list[list[int]] | None:
        """Return for each row the positions of the sentences that count; None if all do."""
        if not self.by_facet and "sentence_ids" not in results:
            return None

        papers = results["paper"].tolist()
        facets = results["facet"].tolist() if self.by_facet else [""] * len(papers)
        chosen_of_rows = list_chosen(results)
        return [
            paper.find_or_all(facet, chosen)
            for paper, facet, chosen in zip(papers, facets, chosen_of_rows)
        ]

    def _score(self, comparison: "Comparison") -> np.ndarray:
        """Return the scores of a frame's rows (rows,) by what is compared."""
        scores = np.zeros(len(comparison.paper_numbers))
        for query_numbers in comparison.group_queries():
            query_vectors = [comparison.query_vectors[number] for number in query_numbers]
            weights_of_queries = [comparison.queries[number].weights for number in query_numbers]
            # all queries of a frame have weights, or none has
            present_weights = [weights for weights in weights_of_queries if weights is not None]

            # all queries of a group have the candidates of its first one
            rows_of_queries = [comparison.sort_rows(number) for number in query_numbers]
            vectors, lengths = comparison.stack_candidates(rows_of_queries[0])
            scores_of_queries = self.score_many(
                query_vectors, vectors, lengths, present_weights or None
            )
            for rows, scores_of_query in zip(rows_of_queries, scores_of_queries):
                scores[rows] = scores_of_query
        return scores

    def _encode_isolated(
        self, queries: Sequence[Query], papers: Sequence[Paper]
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the vectors of sentences: those that ask, by query; and all of papers, (n, d).

        Each sentence is encoded as a text of its own. papers: distinct, with sentences.
        """
        encoder = self._load(as_encoder, batch_size=self.batch_size, verbose=self.verbose)

        # all queries' sentences are encoded at once, and divided by query
        asking_sentences = [query.sentences for query in queries]
        asking_vectors = self._encode_texts(encoder, asking_sentences, "query")
        boundaries = np.cumsum([0, *map(len, asking_sentences)])
        query_vectors = [asking_vectors[start:end] for start, end in pairwise(boundaries)]
        if not papers:
            no_rows = asking_vectors[:0]
            return query_vectors, no_rows

        sentences = [paper.sentences for paper in papers]
        return query_vectors, self._encode_texts(encoder, sentences, "document")

    def _encode_texts(
        self, encoder: Encoder, groups: Iterable[Sequence[str]], side: Side
    ) -> np.ndarray:
        """Encode the sentences of groups (n, d) as texts of their own, each distinct one once."""
        sentences = np.array(list(chain.from_iterable(groups)), dtype=object)
        numbers, distinct_sentences = pd.factorize(sentences)
        distinct_vectors = vectors(encoder, list(distinct_sentences), side, self.takes_sparse)
        if self.scales_vectors:
            distinct_vectors = unit(distinct_vectors)
        return distinct_vectors[numbers]

    def _encode_in_context(
        self, queries: Sequence[Query], papers: Sequence[Paper]
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """Return what `_encode_isolated` does, of sentences that are read in their papers."""
        # the papers of both sides are encoded together, because a query's can be a candidate too
        distinct_papers = list(dict.fromkeys([*(query.paper for query in queries), *papers]))
        prepared_papers = [self.prepare(paper) for paper in distinct_papers]
        encoder = self._load(as_passage_encoder)
        arrays = sentence_vectors(encoder, prepared_papers, self.context, self.scales_vectors)
        vectors_of_paper = dict(zip(distinct_papers, arrays))  # (its sentences, d)

        query_vectors = [vectors_of_paper[query.paper][query.positions] for query in queries]
        candidate_vectors = [vectors_of_paper[paper] for paper in papers]
        # perhaps no candidate has a sentence: then there are no rows, of the queries' width
        no_rows = query_vectors[0][:0]
        return query_vectors, np.concatenate([no_rows, *candidate_vectors])

    def _load(self, make: Callable[..., Any], **arguments: Any) -> Any:
        """Return the encoder, of the kind that `make` returns; `LSA` if none was passed."""
        if self.encoder is not None:
            return self.loaded(make, **arguments)
        if self.dataset is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs an encoder (a sentence-transformers model or its name, a "
                "pyterrier_dr bi-encoder, a function), or a dataset to fit the light default on: "
                f"{name}(dataset='csfcube')."
            )
        return make(LSA(self.dataset))


class Comparison(NamedTuple):
    """What is compared in a frame: q queries, and the distinct papers of the candidates.

    Attributes:
        queries: with the rows of their candidates.
        query_vectors: (m, d) of each query, of the sentences that ask.
        vectors: (n, d), of all sentences of the papers, one paper after the other.
        paper_lengths: (papers,), the number of each paper's sentences.
        paper_starts: (papers,), the row in `vectors` of each paper's first sentence.
        paper_numbers: (rows,), the number of each row's paper.
        counted_positions: for each row, the positions of the sentences that count; None if all do.
    """

    queries: list[Query]
    query_vectors: list[np.ndarray]
    vectors: np.ndarray
    paper_lengths: np.ndarray
    paper_starts: np.ndarray
    paper_numbers: np.ndarray
    counted_positions: list[list[int]] | None

    def sort_rows(self, query_number: int) -> np.ndarray:
        """Return a query's rows by the numbers of their papers.

        So the rows of queries with the same candidates come in the same order.
        """
        rows = self.queries[query_number].rows
        return rows[np.argsort(self.paper_numbers[rows], kind="stable")]

    def group_queries(self) -> list[list[int]]:
        """Group the numbers of queries with the same candidates, which are scored at once.

        If sentences were chosen row by row, each query is a group of its own.
        """
        query_numbers = range(len(self.queries))
        if self.counted_positions is not None:
            return [[number] for number in query_numbers]

        groups: dict[bytes, list[int]] = defaultdict(list)
        for number in query_numbers:
            candidates = self.paper_numbers[self.sort_rows(number)]
            groups[candidates.tobytes()].append(number)  # an array itself can be no key
        return list(groups.values())

    def stack_candidates(self, rows: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Stack the vectors of the sentences that count, of the candidates in k rows.

        Returns:
            Their vectors (n, d), candidate by candidate, and how many each candidate has (k,).
        """
        paper_numbers = self.paper_numbers[rows]  # (k,)
        starts = self.paper_starts[paper_numbers]
        if self.counted_positions is None:
            lengths = self.paper_lengths[paper_numbers]
            return self.vectors[number_ranges(starts, lengths)], lengths

        positions_of_candidates = [self.counted_positions[row] for row in rows]
        lengths = np.array([len(positions) for positions in positions_of_candidates])
        positions = np.array(list(chain.from_iterable(positions_of_candidates)), dtype=np.intp)
        # a position counts from the row in `vectors` where its paper starts
        return self.vectors[np.repeat(starts, lengths) + positions], lengths


def find_starts(lengths: np.ndarray) -> np.ndarray:
    """Return where each document starts, if each starts where the one before it ends.

    >>> find_starts(np.array([3, 1, 2])).tolist()
    [0, 3, 4]
    """
    return np.cumsum(lengths) - lengths  # the ends, less the lengths


def number_ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the numbers of several ranges, one range after the other.

    >>> number_ranges(starts=np.array([10, 50]), lengths=np.array([3, 2])).tolist()
    [10, 11, 12, 50, 51]
    """
    # count on through all ranges (0, 1, 2, 3, 4), then shift each to its start (by 10 and 47)
    numbers = np.arange(lengths.sum())
    shifts = starts - find_starts(lengths)
    return numbers + np.repeat(shifts, lengths)
