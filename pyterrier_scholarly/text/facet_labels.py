"""Label the sentences of abstracts with facets: a linear model, and the best sequence.

    label_sentences(model, [["Trees are slow.", "We prune them."]])  # [["background", "method"]]

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


def label_sentences(model: LabelModel, abstracts: Abstracts) -> list[list[str]]:
    """Label the sentences of each abstract: a list of names per abstract."""
    lengths = [len(sentences) for sentences in abstracts]
    scores = label_scores(model, abstracts)
    label_numbers = best_sequences(scores, lengths, model.start, model.steps)

    names = [model.labels[number] for number in label_numbers]
    ends = np.cumsum([0, *lengths]).tolist()
    return [names[start:end] for start, end in pairwise(ends)]


def label_scores(model: LabelModel, abstracts: Abstracts) -> np.ndarray:
    """Score each label for each sentence: (rows, l), log probabilities up to a constant."""
    lengths = [len(sentences) for sentences in abstracts]
    rows = term_rows(abstracts, model.number, model.idf)

    of_sentence, of_sentence_before, of_sentence_behind = model.weights
    own_scores = rows @ of_sentence
    # what a sentence says of the label of the next one, moved there; and of the one before
    from_before = beside(rows @ of_sentence_before, lengths, 1)
    from_behind = beside(rows @ of_sentence_behind, lengths, -1)
    place_scores = place_rows(lengths) @ model.places
    return own_scores + NEIGHBOUR * (from_before + from_behind) + place_scores + model.bias


def best_sequences(
    scores: np.ndarray, lengths: Sequence[int], start: np.ndarray, steps: np.ndarray
) -> np.ndarray:
    """Find the labels with the largest sum of scores, start and steps [Viterbi1967]: (rows,).

    All abstracts together: step by step along their sentences, shorter ones padded.

    scores: (rows, l). lengths: rows of each abstract, 0 or more. start, steps: see `LabelModel`.
    """
    longest = max([1, *lengths])
    is_sentence = np.arange(longest) < np.reshape(lengths, (-1, 1))  # (abstracts, longest)
    padded_scores = np.zeros((*is_sentence.shape, len(start)))  # (abstracts, longest, l)
    padded_scores[is_sentence] = scores

    # forwards: the best sum of a sequence up to here, for each label of its last sentence
    best_sums = padded_scores[:, 0] + start  # (abstracts, l)
    previous_labels = np.zeros(padded_scores.shape, dtype=int)
    same_label = np.arange(len(start))
    for place in range(1, longest):
        sums = best_sums[:, :, None] + steps  # (abstracts, label before, label here)
        goes_on = is_sentence[:, place, None]  # a shorter abstract keeps its last label
        previous_labels[:, place] = np.where(goes_on, sums.argmax(axis=1), same_label)
        best_sums = np.where(goes_on, sums.max(axis=1) + padded_scores[:, place], best_sums)

    # backwards: the label that led to the next one
    labels = np.zeros(is_sentence.shape, dtype=int)
    labels[:, -1] = best_sums.argmax(axis=1)
    every_abstract = np.arange(len(labels))
    for place in range(longest - 1, 0, -1):
        labels[:, place - 1] = previous_labels[every_abstract, place, labels[:, place]]
    return labels[is_sentence]


def term_rows(abstracts: Abstracts, number: Mapping[str, int], idf: np.ndarray) -> "csr_matrix":
    """Weight the terms of all sentences: sparse (rows, t), rows of length 1, or 0 without terms."""
    from scipy.sparse import csr_matrix, diags

    numbers_of_rows = []
    for sentence in chain.from_iterable(abstracts):
        numbers_of_rows.append([number[term] for term in terms(sentence) if term in number])

    # a one for each occurrence; those of one term in one row are added up to its count
    columns = np.fromiter(chain.from_iterable(numbers_of_rows), dtype=np.int32)
    ends = np.cumsum([0, *map(len, numbers_of_rows)])
    shape = (len(numbers_of_rows), len(idf))
    rows = csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
    rows.sum_duplicates()

    rows.data = (1 + np.log(rows.data)) * idf[rows.indices]
    squared_lengths = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    norms = np.sqrt(squared_lengths)
    return diags(1 / np.where(norms > 0, norms, 1)) @ rows


def terms(sentence: str) -> list[str]:
    """List the words, then the pairs of neighbouring words, in lower case.

    >>> terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    """
    words = WORD.findall(sentence.lower())
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return words + pairs


def place_rows(lengths: Sequence[int]) -> np.ndarray:
    """Describe the positions of sentences in abstracts of these lengths: (rows, PLACES).

    The share of the abstract before it (0 for the first sentence, 1 for the last) and its square;
    whether it is the first, the second, the second to last, the last.
    """
    sizes = np.asarray(lengths, dtype=int)
    first_rows = np.cumsum(sizes) - sizes  # of each abstract
    position = np.arange(sizes.sum()) - np.repeat(first_rows, sizes)
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


def beside(rows: np.ndarray, lengths: Sequence[int], step: int) -> np.ndarray:
    """Move `rows` by `step` (1 or -1) within each abstract; 0 without a neighbour."""
    ends = np.cumsum(lengths)
    if step > 0:
        without_neighbour = ends - lengths  # the first rows
    else:
        without_neighbour = ends - 1  # the last rows
    is_filled = np.asarray(lengths) > 0  # an empty abstract has none of these rows

    moved = np.roll(rows, step, axis=0)  # also from one abstract into the next
    moved[without_neighbour[is_filled]] = 0
    return moved
