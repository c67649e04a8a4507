"""The base of scorers by vectors of sentences: it checks, encodes, has scored, and ranks.

    class Nearest(SentenceScorer):
        def score(self, query, rows, lengths):
            ends = np.cumsum(lengths)
            return products(query, rows).max(axis=0)[ends - 1]  # each candidate's last sentence

Conventions: a query has m sentences that ask, (m, d). The sentences of its k candidates are one
array of n rows (n, d), one candidate after the other; `lengths` (k,) says how many each has,
perhaps none.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from itertools import chain
from typing import Any, ClassVar

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
    plain,
    sentence_vectors,
    vectors,
)
from ..encoders.contexts import ContextName
from ..encoders.encoder_protocols import Side
from ..paper import Paper
from ..similarity.matches import Matches
from ..similarity.vectors import unit
from ..step import Count, Step, ranked
from .facet_query import Query, read_queries
from .sentence_comparison import (
    Comparison,
    EncodedPapers,
    find_first_sentences,
    list_chosen,
    number_papers,
)


class SentenceScorer(Step):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's candidates.

    The methods `score`, `score_many`, `split` and `prepare`, and the properties and class
    attributes here, are hooks: subclasses fill them, and only this file calls them.

    Columns in: `qid`, `docno`, `query_paper`, `query_sentence_ids` and `paper`; optional
    `sentence_ids`, the candidate's sentences that count, without which all do. Columns out: the
    same and `score` and `rank`, rows by query and rank.
    """

    encoder: EncoderLike | None = None
    context: ContextName = "sentence"
    dataset: DatasetLike | None = field(default=None, kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    #: whether only a candidate's sentences of the query's facet count, if it has any
    by_facet: ClassVar[bool] = False
    #: whether `score` takes sparse vectors
    takes_sparse: ClassVar[bool] = False

    @property
    def scales_vectors(self) -> bool:
        """Whether vectors are scaled to length 1."""
        return True

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

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self._check(results)
        comparison = self._compare(results)
        scores = self._score(comparison, row_count=len(results))
        return ranked(results.assign(score=scores))

    def explain_ranking(
        self, results: pd.DataFrame, docno: str
    ) -> tuple[pd.DataFrame, Matches | None]:
        """Rank one query's candidates, and say what pairs of sentences add to one's score.

        Both are by the same vectors: a model computes slightly other ones in another batch.

        Returns:
            The ranking; and the pairs of the document, None if no sentence of it counts.
        """
        results = self._check(results)
        comparison = self._compare(results)
        scores = self._score(comparison, row_count=len(results))
        ranking = ranked(results.assign(score=scores))

        (query,) = comparison.queries
        (query_vectors,) = comparison.query_vectors
        row = results["docno"].tolist().index(docno)
        counted_positions = comparison.find_counted(query, row)
        if not counted_positions:
            return ranking, None

        document_vectors = comparison.encoded_papers.select(
            comparison.paper_of_row[row], counted_positions
        )
        matches = self.split(query_vectors, document_vectors, query.weights)
        return ranking, matches._replace(columns=counted_positions)

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Return what pairs of sentences add to the score of a frame's one row."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

    @property
    def reads_sentences_alone(self) -> bool:
        """Whether each sentence is encoded alone, as a text, and not in its paper."""
        is_alone = self.context == "sentence"
        return is_alone and not isinstance(plain(self.encoder), PassageEncoder)

    def _check(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        needs = ["qid", "docno", "query_paper", "query_sentence_ids", "paper"]
        return self.check(results, [*needs, "facet"] if self.by_facet else needs)

    def _compare(self, results: pd.DataFrame) -> Comparison:
        """Encode the papers of both sides, each once, and return what is compared."""
        paper_of_row, papers = number_papers(results["paper"])
        queries = []
        for query in read_queries(results):
            # by the numbers of their papers, so that queries with the same candidates are alike
            order = np.argsort(paper_of_row[query.rows], kind="stable")
            queries.append(query._replace(rows=query.rows[order]))

        query_vectors, encoded_papers = self._encode(queries, papers)
        has_chosen = "sentence_ids" in results.columns
        return Comparison(
            queries=queries,
            query_vectors=query_vectors,
            papers=papers,
            encoded_papers=encoded_papers,
            paper_of_row=paper_of_row,
            chosen_of_row=list_chosen(results) if has_chosen else None,
            by_facet=self.by_facet,
        )

    def _score(self, comparison: Comparison, row_count: int) -> np.ndarray:
        """Return the scores of all rows of a frame (row_count,)."""
        scores = np.zeros(row_count)
        for query_numbers in comparison.group_queries():
            queries = [comparison.queries[number] for number in query_numbers]
            query_vectors = [comparison.query_vectors[number] for number in query_numbers]
            # all queries of a frame have weights, or none has
            weights = [query.weights for query in queries if query.weights is not None]

            # the candidates are the same for all queries of the group: those of its first
            candidate_vectors, lengths = comparison.stack_candidates(queries[0])
            scores_of_queries = self.score_many(
                query_vectors, candidate_vectors, lengths, weights or None
            )
            for query, scores_of_query in zip(queries, scores_of_queries):
                scores[query.rows] = scores_of_query
        return scores

    def _encode(
        self, queries: Sequence[Query], papers: Sequence[Paper]
    ) -> tuple[list[np.ndarray], EncodedPapers]:
        """Return the vectors (m, d) of the sentences that ask, by query, and those of papers."""
        if not queries:  # a frame without rows needs no encoder
            return [], EncodedPapers(np.zeros((0, 0)), np.zeros(0, dtype=np.intp))

        if self.reads_sentences_alone:
            # the other sentences of a query's paper need no vectors
            query_papers = [query.paper.only(query.positions) for query in queries]
            positions_of_queries = [list(range(len(query.positions))) for query in queries]
            encoded_queries, encoded_papers = self._encode_alone(query_papers, papers)
        else:
            query_papers = [query.paper for query in queries]
            positions_of_queries = [query.positions for query in queries]
            encoded_both = self._encode_in_context([*query_papers, *papers])
            encoded_queries, encoded_papers = encoded_both.divide(len(query_papers))

        query_vectors = []
        for number, positions in enumerate(positions_of_queries):
            query_vectors.append(encoded_queries.select(number, positions))
        return query_vectors, encoded_papers

    def _encode_alone(
        self, query_papers: Sequence[Paper], papers: Sequence[Paper]
    ) -> tuple[EncodedPapers, EncodedPapers]:
        """Encode each sentence as a text of its own."""
        encoder = self._load(as_encoder, batch_size=self.batch_size, verbose=self.verbose)
        encoded_queries = self._encode_texts(encoder, query_papers, "query")
        if any(paper.sentences for paper in papers):
            return encoded_queries, self._encode_texts(encoder, papers, "document")
        # without a sentence there is nothing to encode: no rows, of the queries' width
        no_vectors = encoded_queries.vectors[:0]
        return encoded_queries, EncodedPapers(no_vectors, find_first_sentences(papers))

    def _encode_texts(self, encoder: Encoder, papers: Sequence[Paper], side: Side) -> EncodedPapers:
        """Encode the sentences of papers, each distinct one once."""
        sentences = list(chain.from_iterable(paper.sentences for paper in papers))
        distinct_sentences = list(dict.fromkeys(sentences))
        distinct_vectors = vectors(encoder, distinct_sentences, side, sparse=self.takes_sparse)
        if self.scales_vectors:
            distinct_vectors = unit(distinct_vectors)

        number_of_sentence = {text: number for number, text in enumerate(distinct_sentences)}
        numbers = [number_of_sentence[sentence] for sentence in sentences]
        return EncodedPapers(distinct_vectors[numbers], find_first_sentences(papers))

    def _encode_in_context(self, papers: Sequence[Paper]) -> EncodedPapers:
        """Encode papers as wholes, each distinct one once; take the vectors of their sentences."""
        encoder = self._load(as_passage_encoder)
        # a paper can be several candidates, and several queries can ask with it
        distinct_papers = list(dict.fromkeys(papers))
        prepared_papers = [self.prepare(paper) for paper in distinct_papers]
        arrays = sentence_vectors(encoder, prepared_papers, self.context, self.scales_vectors)

        first_rows = dict(zip(distinct_papers, find_first_sentences(distinct_papers)))
        first_row_of_paper = np.array([first_rows[paper] for paper in papers])
        return EncodedPapers(np.concatenate(arrays), first_row_of_paper)

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
