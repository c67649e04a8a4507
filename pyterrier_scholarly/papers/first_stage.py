"""The first stage over a large library: the papers whose sentences are nearest to the query's.

Exact: every sentence of the library is compared with every sentence that asks. It reads all vectors
from disk once, in blocks, and keeps one number per sentence and sentence that asks.
"""

from typing import NamedTuple

import numpy as np

#: of the papers that are ranked. It was chosen among four shares, on ten queries of one made-up
#: library, by how many of the ten best of everything were found; it may differ for other libraries
NEAREST_SHARE = 0.5
SEED = 0
SENTENCES_AT_ONCE = 2**16  # 100 MB of vectors with 384 dimensions


class Candidates(NamedTuple):
    """The papers of a library that are ranked.

    rows: their positions, ascending (n,).
    represented: the number of papers that each stands for (n,), see `ZScore`.
    """

    rows: np.ndarray
    represented: np.ndarray


def score_by_sentences(
    query_vectors: np.ndarray,
    vectors: np.ndarray,
    lengths: np.ndarray,
    sentence_ends: np.ndarray,
) -> np.ndarray:
    """Score every paper as `SentenceMaxSim` with ``aggregate="mean"`` does: (N,).

    Args:
        query_vectors: (m, d), of the sentences that ask.
        vectors: (S, d), of all sentences of N papers; may be on disk.
        lengths: (S,), of these vectors.
        sentence_ends: (N + 1,), where the rows of each paper end, 0 first; each has one or more.
    """
    query_lengths = np.linalg.norm(query_vectors, axis=1)
    unit_queries = query_vectors / np.where(query_lengths > 0, query_lengths, 1)[:, None]
    divisors = np.where(lengths > 0, lengths, 1)

    cosines = np.empty((len(vectors), len(query_vectors)), dtype=np.float32)
    for start in range(0, len(vectors), SENTENCES_AT_ONCE):
        block = slice(start, start + SENTENCES_AT_ONCE)
        products = vectors[block] @ unit_queries.T.astype(np.float32)  # (block, m)
        cosines[block] = products / divisors[block, None]

    # the maximum over each paper's rows, which stand one behind the other: (N, m)
    best_cosines = np.maximum.reduceat(cosines, sentence_ends[:-1], axis=0)
    return best_cosines.mean(axis=1)


def choose_candidates(
    scores: np.ndarray, count: int, excluded_row: int | None = None
) -> Candidates:
    """Choose the `count` papers of a library that are ranked, without the one that asks.

    Half are those with the highest scores. The others are drawn at random from the rest, always the
    same ones. Each drawn one counts for several papers when scores are standardised, so that mean
    and standard deviation are about those of the whole library.

    Args:
        scores: (N,), of the first stage, a row for each paper of the library.
        count: at most so many papers are chosen.
        excluded_row: of the paper that asks; None for a text.
    """
    rows = np.arange(len(scores))
    if excluded_row is not None:
        rows = np.delete(rows, excluded_row)
    count = min(count, len(rows))
    nearest_count = min(count, max(1, int(NEAREST_SHARE * count)))

    # equal scores: the earlier paper, so that a copy of the library chooses the same
    rows_best_first = rows[np.argsort(-scores[rows], kind="stable")]
    nearest_rows = rows_best_first[:nearest_count]

    other_rows = np.sort(rows_best_first[nearest_count:])
    drawn_count = count - nearest_count
    drawn_rows = np.random.default_rng(SEED).choice(other_rows, drawn_count, replace=False)

    # a nearest paper stands for itself, the drawn ones in equal shares for all others
    represented = np.ones(len(scores))
    if drawn_count:
        represented[drawn_rows] = len(other_rows) / drawn_count

    chosen_rows = np.sort(np.concatenate([nearest_rows, drawn_rows]))
    return Candidates(chosen_rows, represented[chosen_rows])
