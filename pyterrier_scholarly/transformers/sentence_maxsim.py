"""Rank papers by vectors of their sentences: by the best matches, or by the mean of a facet.

    scorer = SentenceMaxSim("sentence-transformers/all-MiniLM-L6-v2", aggregate="mean")
    (Pool(dataset) >> FacetQuery(dataset) >> PaperLoader(dataset) >> scorer)(topics)

How a frame is read and encoded stands in `sentence_scorer`, with the conventions of arrays.

CSFCube [Mysore2021] ranks by the maximum cosine over all pairs of sentences, DORIS-MAE [Wang2023,
eq. 4] by the mean over the query's sentences of the maximum over the document's.

[Mysore2021] S. Mysore et al.: CSFCube, NeurIPS 2021 Datasets and Benchmarks.
[Wang2023] J. Wang et al.: DORIS-MAE, NeurIPS 2023 Datasets and Benchmarks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY
from typing import Any, Literal, TypeAlias

import numpy as np
from more_itertools import constrained_batches

from ..similarity.matches import Matches, mark_best
from ..similarity.vectors import LOWEST, SIMILARITIES, cosines, products, to_dense
from .sentence_scorer import SentenceScorer, find_starts

Lengths: TypeAlias = Sequence[int] | np.ndarray  #: of k documents, in sentences
#: from the best matches (m, k) of the query's m sentences to one score per document (k,)
AGGREGATES: dict[str, Any] = {"max": np.max, "mean": np.mean, "sum": np.sum}
WEIGHTED = ("mean", "sum")  # the aggregates that take weights of the query's sentences
#: how many sentences of queries, and of documents, are compared at once
QUERY_SENTENCES = 512
DOCUMENT_SENTENCES = 16_384


class SentenceMaxSim(SentenceScorer):
    """Score documents by how well their best sentences match the query's.

    It solves Definition 2 of [Mysore2021]: sentences ask, and all sentences of a candidate count,
    whatever their labels; behind ``PaperLoader(facet_only=True)`` it solves Definition 1.

    Columns in: `qid`, `docno`, `query_paper`, `query_sentence_ids` and `paper`; optional
    `sentence_ids`, the candidate's sentences that count, and (for "mean" and "sum")
    `query_sentence_weights`, a number from 0 for each sentence that asks. Columns out: the same and
    `score` and `rank`, rows by query and rank. `score` is a cosine, from -1 to 1: the maximum over
    all pairs of a query's and a document's sentence [Mysore2021]; or the mean over query sentences
    of the maximum over the document's [Wang2023, eq. 4]; or their sum (from -m to m for m query
    sentences); or the mean of that mean and of its counterpart for the document's sentences. A
    document without sentences gets the lowest of these values. A zero vector has cosine 0 with
    every other. `similarity` replaces cosines by dot products, or by distances times -1. Weights
    multiply each sentence's maximum; for the mean, they are first divided by their sum, so that
    equal weights change nothing.

    Every distinct sentence or paper is encoded once per call. Steps with the same encoder object
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
        batch_size: texts per call of a function or a bi-encoder; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown context, aggregate or similarity, a query
            without sentences, a position outside of a paper; names the rows.
    """

    _: KW_ONLY
    aggregate: Literal["max", "mean", "sum", "symmetric"] = "max"
    similarity: Literal["cosine", "dot", "l2", "unit"] = "cosine"

    takes_sparse = True

    @property
    def uses_weights(self) -> bool:  # type: ignore[override]  # a setting decides
        """Whether the query's sentences may have weights: for a mean or a sum."""
        return self.aggregate in WEIGHTED

    @property
    def scales_vectors(self) -> bool:  # type: ignore[override]  # a setting decides
        """Whether vectors are scaled to length 1: for cosines."""
        return self.similarity == "cosine"

    @property
    def _similarity_of_scaled(self) -> str:
        """The similarity to compute, of vectors that are scaled already."""
        return "unit" if self.similarity == "cosine" else self.similarity

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return max-sim scores (k,)."""
        return max_sim(query, rows, lengths, self.aggregate, self._similarity_of_scaled)

    def score_many(
        self,
        queries: Sequence[np.ndarray],
        rows: np.ndarray,
        lengths: np.ndarray,
        weights: Sequence[np.ndarray] | None,
    ) -> Iterable[np.ndarray]:
        """Score several queries in blocks; the last digit may differ from `score`."""
        is_single_without_weights = len(queries) == 1 and weights is None
        if is_single_without_weights or self.aggregate == "symmetric":  # which has no weights
            return [self.score(query, rows, lengths) for query in queries]
        return max_sim_blocks(
            queries, rows, lengths, self.aggregate, self._similarity_of_scaled, weights
        )

    def split(self, query: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> Matches:
        """Return the match of each sentence of the query; see `split_max_sim`."""
        return split_max_sim(query, rows, self.aggregate, self._similarity_of_scaled, weights)


class SentenceCentroid(SentenceScorer):
    """Score papers by the cosine of two means: of the query's sentences and of the candidate's.

    Only the candidate's sentences of the query's facet count (Definition 1 of [Mysore2021]), or all
    if it has none. Columns in: as for `SentenceMaxSim`, without weights, and `facet`. Columns out:
    the same and `score` (from -1 to 1; -1 for a candidate without any sentence) and `rank`, rows by
    query and rank. Sentence vectors have length 1.

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`.

    Raises:
        ValueError: see `SentenceMaxSim`.
    """

    by_facet = True

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return cosines (k,)."""
        scores = np.full(len(lengths), LOWEST)
        has_sentences = lengths > 0
        # a sum of sentences has the direction of their mean, and so the same cosine
        document_sums = np.add.reduceat(rows, find_segments(lengths), axis=0)
        query_sum = query.sum(axis=0, keepdims=True)
        scores[has_sentences] = cosines(query_sum, document_sums)[0]
        return scores

    def split(self, query: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> Matches:
        """Return every pair, with equal weights.

        The cosine of two sums of unit vectors is the sum of all their cosines, divided by the
        lengths of the two sums.
        """
        similarities = products(query, rows).astype(np.float64)
        lengths = np.linalg.norm(query.sum(axis=0)) * np.linalg.norm(rows.sum(axis=0))
        pair_weight = 1 / lengths if lengths > 0 else 0.0
        weights_of_pairs = np.full_like(similarities, pair_weight)
        return Matches(similarities, weights_of_pairs, matched=weights_of_pairs > 0)


def find_segments(lengths: np.ndarray) -> np.ndarray:
    """Return the first row of each document with sentences, for ``ufunc.reduceat``.

    Others are left out, for which `reduceat` would take the next document's first sentence.
    """
    return find_starts(lengths)[lengths > 0]


def best_matches(similarities: np.ndarray, lengths: Lengths, lowest: float = LOWEST) -> np.ndarray:
    """Compute the best match of each sentence of a query in each document.

    Args:
        similarities: (m, n), of the query's sentences and of all documents', one document after the
            other.
        lengths: (k,), sentences per document.
        lowest: for a document without sentences.

    Returns:
        (m, k).
    """
    lengths = np.asarray(lengths, dtype=np.intp)
    best = np.full((len(similarities), len(lengths)), lowest, dtype=similarities.dtype)
    best_in_documents = np.maximum.reduceat(similarities, find_segments(lengths), axis=1)
    best[:, lengths > 0] = best_in_documents  # (m, documents with sentences)
    return best


def max_sim(
    query: np.ndarray,
    rows: np.ndarray,
    lengths: Lengths,
    aggregate: str = "max",
    similarity: str = "cosine",
) -> np.ndarray:
    """Score documents (k,) by an aggregate of the best matches of a query's sentences.

    Args:
        query: (m, d).
        rows: (n, d), of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document, perhaps none.
        aggregate, similarity: see `SentenceMaxSim`.

    >>> query = np.array([[1.0, 0.0], [0.0, 1.0]])  # two sentences
    >>> rows = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]])  # of two documents
    >>> max_sim(query, rows, lengths=[2, 1], aggregate="mean")
    array([0.9, 0.5])

    The first document's best cosines are 1 and 4/5, and their mean is .9. The aggregate "symmetric"
    is the mean of both directions: of the query's best matches, and of the document's. So sentences
    of the document that do not match the query lower the score, and both can be exchanged.
    """
    compare, lowest, _ = SIMILARITIES[similarity]
    similarities = compare(query, rows)  # (m, n)
    best_of_query = best_matches(similarities, lengths, lowest)  # (m, k)
    if aggregate != "symmetric":
        return AGGREGATES[aggregate](best_of_query, axis=0)

    # the other direction: the best match in the query of each sentence of the documents
    best_of_documents = similarities.max(axis=0)  # (n,)
    sentence_counts = np.asarray(lengths, dtype=np.intp)
    has_sentences = sentence_counts > 0
    sums = np.add.reduceat(best_of_documents, find_segments(sentence_counts))
    document_means = sums / sentence_counts[has_sentences]

    # a document without sentences has one direction only, and keeps the lowest score
    scores = best_of_query.mean(axis=0)
    scores[has_sentences] = (scores[has_sentences] + document_means) / 2
    return scores


def max_sim_blocks(
    queries: Sequence[np.ndarray],
    rows: np.ndarray,
    lengths: Lengths,
    aggregate: str = "max",
    similarity: str = "cosine",
    weights: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """Return the scores (q, k) of the same k documents for q queries, as `max_sim` defines them.

    One product for many queries is several times faster than one per query. Blocks bound the
    memory: apart from vectors and scores, it does not grow with queries or documents.

    Args:
        queries: q arrays (m_i, d).
        rows, lengths, aggregate, similarity: see `max_sim`.
        weights: q arrays (m_i,), from 0, of each query's sentences, for "mean" and "sum"; for the
            mean they are divided by their sum. None for 1.
    """
    query_sizes = np.array([query.shape[0] for query in queries])
    query_groups = group_by_size(query_sizes, range(len(queries)), QUERY_SENTENCES)

    # documents of similar lengths are compared together, longest first
    lengths = np.asarray(lengths, dtype=np.intp)
    first_rows = find_starts(lengths)
    longest_first = np.argsort(-lengths, kind="stable")

    scores = np.empty((len(queries), len(lengths)))
    for documents in group_by_size(lengths, longest_first, DOCUMENT_SENTENCES):
        rows_by_position, position_counts = order_by_position(
            first_rows[documents], lengths[documents]
        )
        document_sentences = rows[rows_by_position]  # (n, d)

        for query_numbers in query_groups:
            query_sentences = np.concatenate(
                [to_dense(queries[number]) for number in query_numbers]
            )
            sentence_weights = None
            if weights is not None:
                sentence_weights = np.concatenate([weights[number] for number in query_numbers])

            matches = match_by_position(
                query_sentences, document_sentences, position_counts, len(documents), similarity
            )
            group_scores = _aggregate(
                matches, query_sizes[query_numbers], aggregate, sentence_weights
            )
            scores[np.ix_(query_numbers, documents)] = group_scores.T
    return scores


def group_by_size(sizes: np.ndarray, numbers: Iterable[int], most: int) -> list[np.ndarray]:
    """Divide numbers into groups whose sizes add up to at most `most`; a larger one is alone."""
    groups = constrained_batches(numbers, most, get_len=sizes.__getitem__, strict=False)
    return [np.array(group) for group in groups]


def order_by_position(first_rows: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all first sentences of k documents, then of all second ones, and so on.

    Args:
        first_rows: (k,), the row of each document's first sentence.
        lengths: (k,), sentences per document, the longest first.

    Returns:
        The numbers of the rows (n,), and how many documents have a first, a second, … sentence.

    >>> rows, counts = order_by_position(first_rows=np.array([0, 3]), lengths=np.array([3, 2]))
    >>> rows.tolist(), counts.tolist()
    ([0, 3, 1, 4, 2], [2, 2, 1])
    """
    # at each position, all documents have a sentence but those of no more than so many sentences
    document_counts = np.bincount(lengths)  # by the number of sentences
    ended_counts = np.cumsum(document_counts)[:-1]
    position_counts = len(lengths) - ended_counts

    row_numbers = [np.zeros(0, dtype=np.intp)]  # perhaps no document has a sentence
    for position, count in enumerate(position_counts):
        # the documents that have one come first, because they are longer
        row_numbers.append(first_rows[:count] + position)
    return np.concatenate(row_numbers), position_counts


def match_by_position(
    query: np.ndarray,
    rows: np.ndarray,
    position_counts: np.ndarray,
    document_count: int,
    similarity: str,
) -> np.ndarray:
    """Return the best match (k, m) of each sentence of a query in each of k documents.

    It exists for its speed: `best_matches` compares sentences document by document, this function
    those at one position in all documents at once.

    Args:
        query: (m, d).
        rows: (n, d), of all first sentences, then of all second ones, and so on, each from the
            longest document to the shortest: of A, B, C of 3, 2 and 1 sentences, A1 B1 C1 A2 B2 A3.
        position_counts: how many documents have a first, a second, … sentence; here 3, 2, 1.
        document_count: k.
        similarity: of SIMILARITIES.
    """
    compare, lowest, _ = SIMILARITIES[similarity]
    similarities = compare(query, rows).T  # (n, m)

    best = np.full((document_count, len(query)), lowest, similarities.dtype)
    first_row = 0
    for count in position_counts:
        similarities_there = similarities[first_row : first_row + count]
        # the first documents have a sentence there, as they are the longest; a view, to change it
        best_so_far = best[:count]
        np.maximum(best_so_far, similarities_there, out=best_so_far)
        first_row += count
    return best


def _aggregate(
    matches: np.ndarray, query_sizes: np.ndarray, aggregate: str, weights: np.ndarray | None
) -> np.ndarray:
    """Return the scores (k, q) of k documents for q queries, by the best matches of sentences.

    Args:
        matches: (k, m), for the m sentences of all queries, one query after the other.
        query_sizes: (q,), the number of each query's sentences, from 1.
        aggregate: "max", "mean" or "sum".
        weights: (m,), of the sentences; None for 1.
    """
    # a query's sentences are the columns from its first one to the first one of the next query,
    # and `reduceat` takes the maximum or the sum of each such piece
    first_columns = find_starts(query_sizes)  # (q,)
    if aggregate == "max":
        return np.maximum.reduceat(matches, first_columns, axis=1)

    if weights is None:
        weighted_matches = matches
        weight_sums = query_sizes
    else:
        # a weight of 0 leaves a match out, even the lowest, -inf: times 0 it would be NaN
        counted_matches = np.where(weights > 0, matches, 0)
        weighted_matches = counted_matches * weights
        weight_sums = np.add.reduceat(weights, first_columns)

    sums = np.add.reduceat(weighted_matches, first_columns, axis=1)
    return sums / weight_sums if aggregate == "mean" else sums


def split_max_sim(
    query: np.ndarray,
    rows: np.ndarray,
    aggregate: str = "max",
    similarity: str = "cosine",
    weights: np.ndarray | None = None,
) -> Matches:
    """Return what each pair of sentences adds to a max-sim score.

    Each sentence of the query has one match. Its weight is 1 (sum), or 1/m or its share of all
    weights (mean); for max it is 1 for the best pair. For symmetric it is 1/(2m), and 1/(2n) for
    the matches of the document's sentences.

    Args:
        query, rows: (m, d) and (n, d), n above 0.
        aggregate, similarity: see `SentenceMaxSim`.
        weights: (m,), of the query's sentences.
    """
    compare, _, unit_name = SIMILARITIES[similarity]
    similarities = compare(query, rows).astype(np.float64)
    query_size, document_size = similarities.shape
    matched = mark_best(similarities)  # the match of each sentence of the query

    if aggregate == "max":
        best_pair = np.zeros_like(similarities)
        best_pair.flat[similarities.argmax()] = 1  # the first of equal ones
        return Matches(similarities, best_pair, matched, unit_name)

    if aggregate == "symmetric":
        matched_of_document = mark_best(similarities.T).T
        pair_weights = matched / (2 * query_size) + matched_of_document / (2 * document_size)
        return Matches(similarities, pair_weights, matched | matched_of_document, unit_name)

    sentence_weights = np.ones(query_size) if weights is None else weights
    if aggregate == "mean":
        sentence_weights = sentence_weights / sentence_weights.sum()
    pair_weights = matched * sentence_weights[:, None]
    return Matches(similarities, pair_weights, matched, unit_name)
