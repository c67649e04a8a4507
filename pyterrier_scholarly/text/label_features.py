"""What a label model reads of the sentences of abstracts: their terms, and their places.

    >>> list_terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    >>> describe_places([3])[:, 0]
    array([0. , 0.5, 1. ])

Conventions: *abstracts* are lists of lists of sentences; a *row* is one sentence, in order; t
terms. A term is a word or two neighbouring words, in lower case. A term's weight in a row is
(1 + ln count) · idf; rows have length 1.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Abstracts = Sequence[Sequence[str]]

WORD = re.compile(r"\w+|%")
PLACES = 6  # numbers that describe the position of a sentence in its abstract


def weigh_terms(abstracts: Abstracts, number: Mapping[str, int], idf: np.ndarray) -> "csr_matrix":
    """Weight the terms of all sentences: sparse (rows, t), rows of length 1, or 0 without terms.

    Args:
        abstracts: see the module.
        number: term -> its column; other terms are skipped.
        idf: (t,).
    """
    from scipy.sparse import csr_matrix, diags

    columns_of_rows = []
    for sentence in chain.from_iterable(abstracts):
        columns_of_rows.append([number[term] for term in list_terms(sentence) if term in number])

    # a one for each occurrence; those of one term in one row are added up to its count
    columns = np.fromiter(chain.from_iterable(columns_of_rows), dtype=np.int32)
    ends = np.cumsum([0, *map(len, columns_of_rows)])
    shape = (len(columns_of_rows), len(idf))
    rows = csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
    rows.sum_duplicates()

    rows.data = (1 + np.log(rows.data)) * idf[rows.indices]
    squared_lengths = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    lengths = np.sqrt(squared_lengths)
    factors = 1 / np.where(lengths > 0, lengths, 1)  # a row without terms stays 0
    return diags(factors) @ rows


def list_terms(sentence: str) -> list[str]:
    """List the words, then the pairs of neighbouring words, in lower case.

    >>> list_terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    """
    words = WORD.findall(sentence.lower())
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return words + pairs


def describe_places(lengths: Sequence[int]) -> np.ndarray:
    """Describe the positions of sentences in abstracts of these lengths: (rows, PLACES).

    The share of the abstract before it (0 for the first sentence, 1 for the last) and its square;
    whether it is the first, the second, the second to last, the last.
    """
    sizes = np.asarray(lengths, dtype=int)
    first_rows = np.cumsum(sizes) - sizes  # of each abstract
    position = np.arange(sizes.sum()) - np.repeat(first_rows, sizes)  # in its abstract
    last_position = np.repeat(sizes, sizes) - 1

    share = position / np.maximum(last_position, 1)
    columns = [
        share,
        share**2,
        position == 0,
        position == 1,
        position == last_position - 1,
        position == last_position,
    ]
    return np.stack(columns, axis=1)


def shift_rows(rows: np.ndarray, lengths: Sequence[int], step: int) -> np.ndarray:
    """Move each row to the next sentence of its abstract (step 1), or to the one before (-1).

    A sentence without such a neighbour gets 0.

    Args:
        rows: (rows, …), a row for each sentence.
        lengths: sentences of each abstract, 0 or more.
        step: 1 or -1.
    """
    moved = np.roll(rows, step, axis=0)  # also from one abstract into the next: 0 below

    ends = np.cumsum(lengths)
    if step > 0:
        rows_without_neighbour = ends - lengths  # the first rows
    else:
        rows_without_neighbour = ends - 1  # the last rows
    has_sentences = np.asarray(lengths) > 0  # an empty abstract has neither
    moved[rows_without_neighbour[has_sentences]] = 0
    return moved
