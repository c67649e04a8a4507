"""Label the sentences of abstracts with facets: a linear model, and the best sequence.

Conventions: *abstracts* are lists of lists of sentences; a *row* is one sentence, in order; t
terms, l labels. A term is a word or two neighbouring words, in lower case. A term's weight in a row
is (1 + ln count) · idf; rows have length 1. A row's score for a label is linear in three things:
its terms, the terms of the sentences before and behind, and its position.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Abstracts = Sequence[Sequence[str]]

WORD = re.compile(r"\w+|%")
NEIGHBOUR = 0.5  # weight of the sentences before and behind, relative to the sentence itself
PLACES = 6  # numbers that describe the position of a sentence in its abstract


class LabelModel(NamedTuple):
    """The parameters of the model; `FacetLabeller` reads and writes them.

    labels: l names; number: term -> its index t; idf (t,); weights (3, t, l) of a term in the
    sentence itself, before it, and behind it; places (PLACES, l); bias (l,); start (l,) of the
    first label; steps (l, l) from a label (row) to the next (column). The last three are log
    probabilities.
    """

    labels: tuple[str, ...]
    number: dict[str, int]
    idf: np.ndarray
    weights: np.ndarray
    places: np.ndarray
    bias: np.ndarray
    start: np.ndarray
    steps: np.ndarray


def terms(sentence: str) -> list[str]:
    """List the words, then the pairs of neighbouring words, in lower case.

    >>> terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    """
    words = WORD.findall(sentence.lower())
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def term_rows(abstracts: Abstracts, number: Mapping[str, int], idf: np.ndarray) -> "csr_matrix":
    """Weight the terms of all sentences: sparse (rows, t), rows of length 1, or 0 without terms."""
    from scipy.sparse import csr_matrix, diags

    numbers = [
        [number[term] for term in terms(sentence) if term in number]
        for sentence in chain.from_iterable(abstracts)
    ]
    columns = np.fromiter(chain.from_iterable(numbers), dtype=np.int32)
    ends = np.cumsum([0, *map(len, numbers)])
    counts = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(numbers), len(idf)))
    counts.sum_duplicates()
    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    return diags(1 / np.where(norms > 0, norms, 1)) @ counts


def place_rows(lengths: Sequence[int]) -> np.ndarray:
    """Describe the positions of sentences in abstracts of these lengths: (rows, PLACES).

    The share of the abstract before it (0 for the first sentence, 1 for the last) and its square;
    whether it is the first, the second, the second to last, the last.
    """
    sizes = np.asarray(lengths, dtype=int)
    last = np.repeat(sizes, sizes) - 1
    at = np.arange(len(last)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = at / np.maximum(last, 1)
    return np.stack([share, share**2, *(at == place for place in (0, 1, last - 1, last))], axis=1)


def beside(rows: np.ndarray, lengths: Sequence[int], step: int) -> np.ndarray:
    """Move `rows` by `step` (1 or -1) within each abstract; 0 without a neighbour."""
    moved = np.roll(rows, step, axis=0)
    ends = np.cumsum(lengths)
    moved[(ends - lengths if step > 0 else ends - 1)[np.asarray(lengths) > 0]] = 0
    return moved


def label_scores(model: LabelModel, abstracts: Abstracts) -> np.ndarray:
    """Score each label for each sentence: (rows, l), log probabilities up to a constant."""
    lengths = [len(sentences) for sentences in abstracts]
    rows = term_rows(abstracts, model.number, model.idf)
    own, before, behind = (rows @ weights for weights in model.weights)
    near = beside(before, lengths, 1) + beside(behind, lengths, -1)
    return own + NEIGHBOUR * near + place_rows(lengths) @ model.places + model.bias


def best_sequences(
    scores: np.ndarray, lengths: Sequence[int], start: np.ndarray, steps: np.ndarray
) -> np.ndarray:
    """Find the labels with the largest sum of scores, start and steps [Viterbi1967]: (rows,).

    scores: (rows, l). lengths: rows of each abstract, 0 or more. start, steps: see `LabelModel`.
    """
    longest = max([1, *lengths])
    filled = np.arange(longest) < np.reshape(lengths, (-1, 1))  # (abstracts, longest)
    padded = np.zeros((*filled.shape, len(start)))
    padded[filled] = scores
    chosen = np.zeros(filled.shape, dtype=int)
    best, previous = padded[:, 0] + start, np.zeros(padded.shape, dtype=int)
    for place in range(1, longest):
        through = best[:, :, None] + steps
        here = filled[:, place, None]  # a shorter abstract keeps its last label
        previous[:, place] = np.where(here, through.argmax(axis=1), np.arange(len(start)))
        best = np.where(here, through.max(axis=1) + padded[:, place], best)
    chosen[:, -1] = best.argmax(axis=1)
    for place in range(longest - 1, 0, -1):
        chosen[:, place - 1] = previous[np.arange(len(previous)), place, chosen[:, place]]
    return chosen[filled]


def label_sentences(model: LabelModel, abstracts: Abstracts) -> list[list[str]]:
    """Label the sentences of each abstract: a list of names per abstract."""
    lengths = [len(sentences) for sentences in abstracts]
    numbers = best_sequences(label_scores(model, abstracts), lengths, model.start, model.steps)
    names = [model.labels[number] for number in numbers]
    return [names[one:two] for one, two in pairwise(np.cumsum([0, *lengths]))]
