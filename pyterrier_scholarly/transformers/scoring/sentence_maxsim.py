"""Rank by vectors of sentences: by the best-matching ones, or by the mean one of a facet.

    scorer = SentenceMaxSim("sentence-transformers/all-MiniLM-L6-v2", aggregate="mean")
    (Pool(dataset) >> FacetQuery(dataset) >> Sentences(dataset) >> scorer)(topics)

This file is read in the order in which a frame is scored:

1. `SentenceScore` checks the frame, encodes, scores and ranks; `SentenceMaxSim`, `SentenceCentroid`
   and `SentenceTransport` (in a file of its own) say how a query's candidates are scored.
2. `SentencesAlone` and `SentencesInContext` say which columns are needed, and encode: each sentence
   alone, or whole papers, of which the vectors of sentences are taken.
3. `EncodedRows` holds what they encoded: every distinct sentence or paper once.
4. Queries with the same candidates are scored together.

Conventions: a frame has n rows, each a query with m sentences that ask and a candidate. Vectors
are float32 (u, d), one for each of u distinct sentences; a sentence is known by the number of its
vector.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...arguments import Count, one_of
from ...datasets import DatasetLike
from ...distinct import Distinct
from ...encoders import (
    LSA,
    Encoder,
    EncoderLike,
    PassageEncoder,
    as_encoder,
    as_passage_encoder,
    plain,
    sentence_vectors,
)
from ...similarity import SIMILARITIES
from ...similarity.contributions import Matches, split_centroid_cosine, split_max_sim
from ...similarity.maxsim import SCORINGS, SYMMETRIC, WEIGHTED, centroid_cosines, choose_scorer
from ...similarity.maxsim_blocks import max_sim_blocks
from ...text.contexts import CONTEXTS, Paper
from ..step import Step
from .paper_rows import (
    WEIGHTS,
    PaperColumns,
    check_paper_frame,
    find_facet_or_all,
    make_papers,
    make_queries,
)
from .side_texts import TextsOfSides

#: context -> what of a paper it reads beside the sentences
COLUMNS_OF_CONTEXT = {
    "sentence": PaperColumns(),
    "title": PaperColumns(titles=True),
    "abstract": PaperColumns(titles=True),
    "facet": PaperColumns(titles=True, labels=True, query_labels=True),
}


@dataclass(eq=False, repr=False)
class SentenceScore(Step):
    """Score candidates by sentence vectors; a scorer says how to `score` a query's candidates.

    The methods `score`, `score_many`, `split_score` and `prepare_paper`, and the properties
    `scales_vectors` and `takes_weights`, are hooks: subclasses fill them, and only this file calls
    them. Each says when.
    """

    encoder: EncoderLike | None = None
    context: Annotated[str, one_of(CONTEXTS)] = "sentence"
    dataset: DatasetLike | None = field(default=None, kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    FACET_ONLY = False  #: whether only a candidate's sentences of the query's facet count
    TAKES_SPARSE = False  #: whether `score` takes sparse vectors

    @property
    def scales_vectors(self) -> bool:
        """Return whether vectors in context have length 1; only such vectors are shared.

        Read when papers are encoded.
        """
        return True

    @property
    def takes_weights(self) -> bool:
        """Return whether weights of the query's sentences change the score; others refuse them.

        Read when a frame is checked.
        """
        return False

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return the scores (k,) of a query's k candidates; called once per query.

        Args:
            query: (m, d), vectors of the query's sentences.
            rows: (s, d), of all its candidates' sentences, one candidate after the other.
            lengths: (k,), sentences per candidate; they sum to s.
        """
        raise NotImplementedError

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: Sequence[int],
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Return the same for q queries with the same candidates: (q, k).

        Called once for each group of such queries; by default it calls `score` for each of them.
        `weights` (q arrays (m,)) are those of the queries' sentences; None unless `takes_weights`.
        """
        return [self.score(query, rows, lengths) for query in queries]

    def split_score(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return what pairs of sentences add to a score; called to explain it.

        Args:
            query, document: (m, d) and (n, d), vectors of a query's and of a candidate's sentences.
            counted: positions of the candidate's sentences that count; None for all.
            weights: (m,), as for `score_many`.
        """
        raise NotImplementedError

    def prepare_paper(self, paper: Paper) -> Paper:
        """Return the paper as an encoder of passages reads it; called before it is encoded."""
        return paper

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        reader = self._choose_reader()
        results = reader.check_frame(results)

        scores = np.zeros(0)
        if len(results):  # zero rows need neither encoder nor dataset
            encoded = reader.encode(results)
            scores = self._score_rows(results, encoded)
        return frames.ranked(results.assign(score=scores))

    def explain_ranking(self, results: pd.DataFrame, docno: str) -> tuple[pd.DataFrame, Matches]:
        """Score and rank one query's candidates, and explain the score of one of them.

        Both are by the same vectors: a model computes slightly other ones in another batch.
        """
        reader = self._choose_reader()
        results = reader.check_frame(results)
        encoded = reader.encode(results)
        scores = self._score_rows(results, encoded)

        row = results["docno"].tolist().index(docno)
        counted = None
        if self.FACET_ONLY:
            labels = results["labels"].iloc[row]
            counted = _find_counted_positions(labels, results["facet"].iloc[row])
        matches = self.split_score(
            encoded.query.vectors_of_row(row),
            encoded.document.vectors_of_row(row),
            counted,
            encoded.query.weights_of_row(row),
        )
        return frames.ranked(results.assign(score=scores)), matches

    def explained(self, row: pd.DataFrame) -> Matches:
        """Explain the score of a frame's one row; see `split_score`."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

    @property
    def reads_sentences_alone(self) -> bool:
        """Return whether each sentence is encoded alone, as a text, and not in its paper."""
        if self.context != "sentence":
            return False
        return not isinstance(plain(self.encoder), PassageEncoder)

    def make_default_encoder(self) -> LSA:
        """Return the encoder of a scorer without one; ValueError if there is no dataset either."""
        if self.dataset is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs an encoder (a sentence-transformers model or its name, a "
                "pyterrier_dr bi-encoder, a function), or a dataset to fit the light default on: "
                f"{name}(dataset='csfcube')."
            )
        return LSA(self.dataset)

    def _choose_reader(self) -> "SentencesAlone | SentencesInContext":
        """Check all settings, and return how the columns are read and encoded."""
        self.check_settings()
        if self.reads_sentences_alone:
            return SentencesAlone(self)
        return SentencesInContext(self)

    def _score_rows(self, results: pd.DataFrame, encoded: "EncodedRows") -> np.ndarray:
        """Return one score per row (n,)."""
        query = encoded.query
        document = encoded.document
        if self.FACET_ONLY:
            document = _keep_counted_sentences(results, document)

        scores = np.empty(len(results))
        for rows_of_queries in _group_queries(results, document):
            scores_of_queries = self._score_group(rows_of_queries, query, document)
            for rows, scores_of_query in zip(rows_of_queries, scores_of_queries):
                scores[rows] = scores_of_query
        return scores

    def _score_group(
        self, rows_of_queries: Sequence[np.ndarray], query: "Side", document: "Side"
    ) -> Iterable[np.ndarray]:
        """Return the scores (k,) of each query of a group: queries with the same k candidates.

        Args:
            rows_of_queries: for each query its k rows in the frame, in one order of candidates.
            query, document: the sides of the frame.
        """
        # the candidates are the same in each query's rows, so those of the first query will do
        candidates = document.item_of_row[rows_of_queries[0]]
        sentences_of_candidates = [document.sentences[candidate] for candidate in candidates]
        sentence_counts = [len(sentences) for sentences in sentences_of_candidates]
        candidate_vectors = document.vectors[np.concatenate(sentences_of_candidates)]

        # a query's sentences and weights are the same in all of its rows
        first_rows = [rows[0] for rows in rows_of_queries]
        query_vectors = [query.vectors_of_row(row) for row in first_rows]
        query_weights = None
        if query.weights is not None:
            weights_of_items = query.weights
            query_weights = [weights_of_items[query.item_of_row[row]] for row in first_rows]

        return self.score_many(query_vectors, candidate_vectors, sentence_counts, query_weights)


@dataclass(eq=False, repr=False)
class SentenceMaxSim(SentenceScore):
    """Score documents by how well their best sentences match the query's.

    It solves Definition 2 of [Mysore2021]: sentences ask, and all sentences of a candidate count,
    whatever their labels; behind ``Sentences(facet_only=True)`` it solves Definition 1.

    Columns in: `qid`, `docno` and `sentences`. Without a context, `query_sentences`; in a context,
    the paper that they are read in, `query_paper_sentences`, and their positions there,
    `query_sentence_ids`; in all but "sentence" also `query_title` and `title`; in "facet" also
    `query_paper_labels` and `labels`. Optional, for "mean" and "sum": `query_sentence_weights`, a
    number from 0 for each sentence that asks. Columns out: the same and `score` and `rank`, rows by
    query and rank. `score` is a cosine, from -1 to 1: the maximum over all pairs of a query's
    and a document's sentence [Mysore2021]; or the mean over query sentences of the maximum over the
    document's [Wang2023, eq. 4]; or their sum (from -m to m for m query sentences); or the mean of
    that mean and of its counterpart for the document's sentences. A document without sentences gets
    the lowest of these values. A zero vector has cosine 0 with every other. `similarity` replaces
    cosines by dot products, or by distances times -1. Weights multiply each sentence's maximum;
    for the mean, they are first divided by their sum, so that equal weights change nothing.

    Every distinct sentence or passage is encoded once per call. Steps with the same encoder object
    share its vectors.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; in a context also the
            name of any Hugging Face encoder, for `encoders.Contextual`, or an
            `encoders.PassageEncoder` (encoders of texts read no context). None for `LSA`, which
            needs no download and is fitted once on the documents of `dataset`.
        context: what the encoder reads together with a sentence: nothing, ``"sentence"``;
            ``"title"``; ``"facet"`` (title and the sentences of its facet); ``"abstract"`` (title
            and all).
        dataset: used if there is no encoder.
        aggregate: ``"max"``, ``"mean"``, ``"sum"`` or ``"symmetric"``.
        similarity: ``"cosine"``, ``"dot"``, ``"l2"`` (minus the distance), or ``"unit"``: the
            cosine of vectors that already have length 1.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, aggregate or similarity, a query
            without sentences, sentences that are NaN or empty; names the rows.
    """

    aggregate: Annotated[str, one_of(SCORINGS)] = field(default="max", kw_only=True)
    similarity: Annotated[str, one_of(SIMILARITIES)] = field(default="cosine", kw_only=True)

    TAKES_SPARSE = True

    @property
    def scales_vectors(self) -> bool:
        """Return whether vectors in context have length 1."""
        return self.similarity in ("cosine", "unit")

    @property
    def takes_weights(self) -> bool:
        """Return whether the query's sentences may have weights: for a mean or a sum."""
        return self.aggregate in WEIGHTED

    @property
    def _computed_similarity(self) -> str:
        """The similarity to compute: "unit" for cosines of vectors that already have length 1."""
        # scaling again would cost as much as scoring
        if self.scales_vectors and not self.reads_sentences_alone:
            return "unit"
        return self.similarity

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return max-sim scores (k,)."""
        compute_scores = choose_scorer(self.aggregate)
        return compute_scores(query, rows, lengths, similarity=self._computed_similarity)

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: Sequence[int],
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Score several queries in blocks; the last digit may differ from `score`."""
        # `score` takes no weights, so any query with weights is scored as a block
        is_single_without_weights = len(queries) == 1 and weights is None
        # blocks compare in one direction only; a symmetric score has no weights: `takes_weights`
        is_symmetric = self.aggregate == SYMMETRIC
        if is_single_without_weights or is_symmetric:
            return super().score_many(queries, rows, lengths, weights=None)

        return max_sim_blocks(
            queries, rows, lengths, self.aggregate, self._computed_similarity, weights=weights
        )

    def split_score(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return the best match of each sentence of the query; see `SentenceScore`."""
        return split_max_sim(query, document, self.aggregate, self.similarity, weights)


@dataclass(eq=False, repr=False)
class SentenceCentroid(SentenceScore):
    """Score papers by the cosine of two means: of the query's sentences and of the candidate's.

    Only the candidate's sentences of the query's facet count (Definition 1 of [Mysore2021]), or all
    if it has none. Columns in: as for `SentenceMaxSim`, without weights, and `facet` and `labels`.
    Columns out: the same and `score` (from -1 to 1; -1 for a candidate without any sentence) and
    `rank`, rows by query and rank. Sentence vectors have length 1.

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, a query without sentences,
            sentences that are NaN or empty, labels that are not one per sentence; names the rows.
    """

    FACET_ONLY = True

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return cosines (k,)."""
        return centroid_cosines(query, rows, lengths)

    def split_score(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return every pair that counts, with equal weights; see `SentenceScore`."""
        return split_centroid_cosine(query, document, counted)


class SentencesAlone:
    """Read and encode each sentence alone, as a text.

    It needs `query_sentences` and `sentences`.
    """

    def __init__(self, scorer: SentenceScore) -> None:
        self._scorer = scorer

    def check_frame(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that the scorer needs."""
        needed = ["qid", "docno", "query_sentences", "sentences"]
        if self._scorer.FACET_ONLY:
            needed += ["labels", "facet"]
        optional = [WEIGHTS] if self._scorer.takes_weights else []
        remedy = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
        return frames.check(results, self._scorer, needed, optional=optional, remedy=remedy)

    def encode(self, results: pd.DataFrame) -> "EncodedRows":
        """Encode every distinct sentence of a checked frame once, and return both sides."""
        # the rows of a query, or of a document, share lists, so each list is read once; queries
        # that share their sentences may still have different weights
        has_weights = WEIGHTS in results.columns
        query_columns = ["query_sentences", WEIGHTS] if has_weights else ["query_sentences"]
        query_of_row, first_rows_of_queries = frames.numbered(results, query_columns)
        document_of_row, first_rows_of_documents = frames.numbered(results, ["sentences"])
        query_lists = results["query_sentences"].iloc[first_rows_of_queries].tolist()
        document_lists = results["sentences"].iloc[first_rows_of_documents].tolist()

        texts = TextsOfSides(self._load_encoder(), shared_side="query")
        # all lists at once: to number each list alone takes twice as long
        numbers_in_queries = texts.queries.add_all(chain.from_iterable(query_lists))
        numbers_in_documents = texts.documents.add_all(chain.from_iterable(document_lists))
        query_sentences = _split_by_list(numbers_in_queries, query_lists)
        document_sentences = _split_by_list(numbers_in_documents, document_lists)

        query_weights = None
        if has_weights:
            query_weights = _make_weight_arrays(results[WEIGHTS].iloc[first_rows_of_queries])

        encoded = texts.encode(sparse=self._scorer.TAKES_SPARSE)
        return EncodedRows(
            query=Side(query_of_row, query_sentences, encoded.queries, query_weights),
            document=Side(document_of_row, document_sentences, encoded.documents),
        )

    def _load_encoder(self) -> Encoder:
        """Return the scorer's encoder, loaded once; the default one if none was passed."""
        scorer = self._scorer
        if scorer.encoder is None:
            return scorer.make_default_encoder()
        return scorer.loaded(as_encoder, batch_size=scorer.batch_size, verbose=scorer.verbose)


def _split_by_list(numbers: Sequence[int], lists: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Split the numbers of all lists' items, list after list, into an array for each list."""
    all_numbers = np.array(numbers, dtype=np.intp)
    lengths = [len(items) for items in lists]
    bounds = np.cumsum([0, *lengths]).tolist()  # each list starts where the one before it ends
    return [all_numbers[start:end] for start, end in pairwise(bounds)]


def _make_weight_arrays(lists: Iterable[Iterable[float]]) -> list[np.ndarray]:
    """Return the weights of each query's sentences as an array."""
    return [np.array(list(weights), dtype=np.float64) for weights in lists]


class SentencesInContext:
    """Read whole papers, the query's and the candidates', and encode sentences in their context.

    It needs `query_paper_sentences`, `query_sentence_ids`, `sentences`, and what the context reads.
    """

    def __init__(self, scorer: SentenceScore) -> None:
        self._scorer = scorer

    def check_frame(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that the scorer needs."""
        needed = COLUMNS_OF_CONTEXT[self._scorer.context]
        if self._scorer.FACET_ONLY:
            needed = replace(needed, labels=True, facet=True)
        return check_paper_frame(results, self._scorer, needed, self._scorer.takes_weights)

    def encode(self, results: pd.DataFrame) -> "EncodedRows":
        """Encode every distinct paper of a checked frame once, and return both sides."""
        candidate_in_row = make_papers(results)
        query_in_row = make_queries(results)

        # rows share the objects of candidates and queries, which are numbered by identity: to
        # compare papers by their texts would take as long as these are
        candidate_of_row, first_rows_of_candidates = frames.by_identity(candidate_in_row)
        query_of_row, first_rows_of_queries = frames.by_identity(query_in_row)
        candidates = [candidate_in_row[row] for row in first_rows_of_candidates]
        queries = [query_in_row[row] for row in first_rows_of_queries]

        # a paper can be several candidates, and several queries can ask with it
        papers = Distinct[Paper]()
        paper_of_candidate = papers.add_all(candidates)
        paper_of_query = papers.add_all(query.paper for query in queries)
        encoded = self._encode_papers(papers.keys)

        sentences_of_queries = []
        for query, paper in zip(queries, paper_of_query):
            sentences_of_paper = encoded.sentences[paper]
            sentences_of_queries.append(sentences_of_paper[query.positions])
        sentences_of_candidates = [encoded.sentences[paper] for paper in paper_of_candidate]

        weights_of_queries = [query.weights for query in queries if query.weights is not None]
        has_weights = len(weights_of_queries) > 0  # all queries have some, or none has
        return EncodedRows(
            query=Side(
                item_of_row=query_of_row,
                sentences=sentences_of_queries,
                vectors=encoded.vectors,
                weights=weights_of_queries if has_weights else None,
            ),
            document=Side(
                item_of_row=candidate_of_row,
                sentences=sentences_of_candidates,
                vectors=encoded.vectors,
            ),
        )

    def _encode_papers(self, papers: Sequence[Paper]) -> "EncodedPapers":
        """Return the vectors of all papers' sentences, and which of them are whose."""
        scorer = self._scorer
        prepared_papers = [scorer.prepare_paper(paper) for paper in papers]
        arrays = sentence_vectors(  # (sentences, d) of each paper
            self._load_encoder(), prepared_papers, scorer.context, scorer.scales_vectors
        )

        ends = np.cumsum([len(array) for array in arrays])  # of each paper in the joined array
        sentences = [np.arange(end - len(array), end) for array, end in zip(arrays, ends)]
        return EncodedPapers(np.concatenate(arrays), sentences)

    def _load_encoder(self) -> PassageEncoder:
        """Return the scorer's encoder, loaded once; the default one if none was passed."""
        if self._scorer.encoder is None:
            return as_passage_encoder(self._scorer.make_default_encoder())
        return self._scorer.loaded(as_passage_encoder)


class EncodedPapers(NamedTuple):
    """The vectors of some papers' sentences.

    Attributes:
        vectors: (u, d), of all sentences, paper by paper.
        sentences: of each paper, the numbers of its sentences' vectors.
    """

    vectors: np.ndarray
    sentences: list[np.ndarray]


class Side(NamedTuple):
    """The queries or the candidates of a frame with n rows, and their sentences' vectors.

    Attributes:
        item_of_row: (n,), the number of each row's query or candidate; rows may share it.
        sentences: of each item, the numbers of its sentences' vectors.
        vectors: (u, d), one per distinct sentence; a sparse array if the scorer takes it.
        weights: of each item, those of its sentences; None if all weigh the same.
    """

    item_of_row: np.ndarray
    sentences: list[np.ndarray]
    vectors: np.ndarray
    weights: list[np.ndarray] | None = None

    def vectors_of_row(self, row: int) -> np.ndarray:
        """Return the vectors of a row's sentences."""
        item = self.item_of_row[row]
        return self.vectors[self.sentences[item]]

    def weights_of_row(self, row: int) -> np.ndarray | None:
        """Return the weights of a row's sentences, or None."""
        if self.weights is None:
            return None
        return self.weights[self.item_of_row[row]]


class EncodedRows(NamedTuple):
    """Both sides of a frame."""

    query: Side
    document: Side


def _keep_counted_sentences(results: pd.DataFrame, document: Side) -> Side:
    """Return the side of the documents with only those sentences that count for the row's facet.

    Its items are pairs of a candidate and a facet. A candidate with a method and two results, in a
    row of facet "method" and in one of "result", becomes two items, of one and of two sentences.

    Args:
        results: the frame, with `sentences`, `labels` and `facet`.
        document: the rows' candidates with all sentences.
    """
    pair_of_row, first_rows = frames.numbered(results, ["sentences", "labels", "facet"])

    # of each pair: its candidate with all sentences, the labels of these, and its facet
    candidates = document.item_of_row[first_rows]
    labels_of_candidates = results["labels"].iloc[first_rows].tolist()
    facets = results["facet"].iloc[first_rows].tolist()

    sentences_of_pairs = []
    for candidate, labels, facet in zip(candidates, labels_of_candidates, facets):
        all_sentences = document.sentences[candidate]
        counted_positions = _find_counted_positions(labels, facet)
        sentences_of_pairs.append(all_sentences[counted_positions])
    return Side(pair_of_row, sentences_of_pairs, document.vectors)


def _find_counted_positions(labels: Sequence[str], facet: str) -> np.ndarray:
    """Return the positions (int array) of a candidate's sentences that count for a facet."""
    return np.array(find_facet_or_all(labels, facet), dtype=np.intp)


def _group_queries(results: pd.DataFrame, document: Side) -> Iterable[list[np.ndarray]]:
    """Group queries that have the same candidates, which are multiplied with all queries at once.

    Returns:
        For each group its queries' rows: an int array for each query, all in the same order of
        candidates. If one query has the candidates A and B in rows 0 and 1, and another one B and A
        in rows 2 and 3, they are a group of [0, 1] and [3, 2].
    """
    # candidates with equal sentences have equal numbers, so a query's candidates are its numbers
    number_of_row = _number_contents(document)[document.item_of_row]

    groups: dict[bytes, list[np.ndarray]] = defaultdict(list)
    for rows in frames.rows_by_query(results):
        # sorted, so that queries with the same candidates in another order have the same key
        sorted_rows = rows[np.argsort(number_of_row[rows], kind="stable")]
        key_of_candidates = number_of_row[sorted_rows].tobytes()  # arrays have no hash
        groups[key_of_candidates].append(sorted_rows)
    return groups.values()


def _number_contents(document: Side) -> np.ndarray:
    """Return a number for each candidate: the same for candidates with the same sentences."""
    # bytes, because arrays have no hash
    contents = [sentences.tobytes() for sentences in document.sentences]
    return np.array(Distinct[bytes]().add_all(contents))
