"""Label the sentences of abstracts with facets: a linear model, and the best sequence.

    label_sentences(model, [["Trees are slow.", "We prune them."]])  # [["background", "method"]]

A sentence's score for a label is linear in its features. These are its own terms, the terms of the
sentences before and behind it, and its place in the abstract. A term is a word or two neighbouring
words, in lower case; its weight in a sentence is (1 + ln count) · idf, at length 1.

Conventions: *abstracts* are lists of lists of sentences; a *row* is one sentence, in order; t
terms, l labels, f = SOURCES · t + PLACES features.
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
SOURCES = 3  # of a sentence's terms: itself, the sentence before, the one behind
PLACES = 6  # features that describe the place of a sentence in its abstract


class LabelModel(NamedTuple):
    """The parameters of the model; `FacetLabeller` reads and writes them.

    Attributes:
        labels: l names.
        number: term -> its number, from 0.
        idf: (t,), of the terms.
        weights: (f, l), of the features, see `describe_sentences`.
        bias: (l,), added to the scores of every row.
        start: (l,), log probabilities of the first label.
        steps: (l, l), log probabilities of a label (row) being followed by another (column).
    """

    labels: Sequence[str]
    number: Mapping[str, int]
    idf: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    start: np.ndarray
    steps: np.ndarray


def label_sentences(model: LabelModel, abstracts: Abstracts) -> list[list[str]]:
    """Label the sentences of each abstract: a list of names per abstract."""
    lengths = [len(sentences) for sentences in abstracts]
    if not any(lengths):  # scikit-learn refuses zero rows
        return [[] for _ in abstracts]
    features = describe_sentences(abstracts, model.number, model.idf)
    scores = features @ model.weights + model.bias
    label_numbers = find_best_sequences(scores, lengths, model.start, model.steps)

    names = [model.labels[number] for number in label_numbers]
    ends = np.cumsum([0, *lengths]).tolist()
    return [names[start:end] for start, end in pairwise(ends)]


def describe_sentences(
    abstracts: Abstracts, number: Mapping[str, int], idf: np.ndarray
) -> "csr_matrix":
    """Return the features of all sentences, of which there are some: sparse (rows, f).

    They are the weights of each term in the sentence itself, in the one before and in the one
    behind (0 if its abstract has none), and the sentence's place.

    Args:
        abstracts: see the module.
        number: term -> its column; other terms are skipped.
        idf: (t,).
    """
    from scipy.sparse import csr_matrix, hstack, vstack
    from sklearn.feature_extraction.text import TfidfTransformer

    columns_of_rows = []
    for sentence in chain.from_iterable(abstracts):
        columns_of_rows.append([number[term] for term in list_terms(sentence) if term in number])

    # a one for each occurrence; those of one term in one row are added up to its count
    columns = np.fromiter(chain.from_iterable(columns_of_rows), dtype=np.int32)
    ends = np.cumsum([0, *map(len, columns_of_rows)])
    row_count = len(columns_of_rows)
    counts = csr_matrix((np.ones(len(columns)), columns, ends), shape=(row_count, len(idf)))
    counts.sum_duplicates()
    weighting = TfidfTransformer(sublinear_tf=True)
    weighting.idf_ = idf
    terms = weighting.transform(counts)  # (rows, t)

    places = describe_places([len(sentences) for sentences in abstracts])
    is_first = places[:, 2] == 1
    is_last = places[:, 5] == 1
    rows = np.arange(row_count)
    rows_before = np.where(is_first, row_count, rows - 1)  # none before the first sentence
    rows_behind = np.where(is_last, row_count, rows + 1)  # and none behind the last one
    no_terms = csr_matrix((1, len(idf)))
    terms_or_none = vstack([terms, no_terms], format="csr")  # row `row_count` has no terms
    terms_before = NEIGHBOUR * terms_or_none[rows_before]
    terms_behind = NEIGHBOUR * terms_or_none[rows_behind]
    return hstack([terms, terms_before, terms_behind, csr_matrix(places)], format="csr")


def list_terms(sentence: str) -> list[str]:
    """List the words, then the pairs of neighbouring words, in lower case.

    >>> list_terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    """
    words = WORD.findall(sentence.lower())
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return words + pairs


def describe_places(lengths: Sequence[int]) -> np.ndarray:
    """Describe the places of sentences in abstracts of these lengths: (rows, PLACES).

    >>> describe_places([3])[:, 0]
    array([0. , 0.5, 1. ])

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


def find_best_sequences(
    scores: np.ndarray, lengths: Sequence[int], start: np.ndarray, steps: np.ndarray
) -> np.ndarray:
    """Find the labels with the largest sum of scores, start and steps [Viterbi1967]: (rows,).

    Abstracts of the same length are computed together, sentence by sentence.

    Args:
        scores: (rows, l).
        lengths: rows of each abstract, 0 or more.
        start, steps: see `LabelModel`.
    """
    sizes = np.array(lengths, dtype=int)
    first_rows = np.cumsum(sizes) - sizes  # of each abstract
    labels = np.zeros(len(scores), dtype=int)
    for length in np.unique(sizes[sizes > 0]).tolist():
        rows = first_rows[sizes == length][:, None] + np.arange(length)  # (abstracts, length)

        # forwards: the sum of the best sequence that ends in each label, and the label before it
        best_sums = scores[rows[:, 0]] + start  # (abstracts, l)
        previous_labels = []  # for each place but the first: (abstracts, l)
        for place in range(1, length):
            sums = best_sums[:, :, None] + steps  # (abstracts, label before, label here)
            previous_labels.append(sums.argmax(axis=1))
            best_sums = sums.max(axis=1) + scores[rows[:, place]]

        # backwards: from the best last label to the one before it, and so on
        best_labels = [best_sums.argmax(axis=1)]
        for previous_label in reversed(previous_labels):
            label_behind = best_labels[-1][:, None]
            best_labels.append(np.take_along_axis(previous_label, label_behind, axis=1)[:, 0])
        labels[rows] = np.stack(best_labels[::-1], axis=1)
    return labels
