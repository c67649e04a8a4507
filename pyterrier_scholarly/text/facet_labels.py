"""Label the sentences of abstracts with facets: a linear model, and the best sequence.

    label_sentences(model, [["Trees are slow.", "We prune them."]])  # [["background", "method"]]

A sentence's score for a label is linear in its features. These are its own terms, the terms of the
sentences before and behind it, and its place in the abstract. A term is a word or two neighbouring
words, in lower case; its weight in a sentence is (1 + ln count) · idf, at length 1.

Conventions: *abstracts* are lists of lists of sentences; a *row* is one sentence, in order; t
terms, l labels, f = SOURCES · t + PLACES features.
"""

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

Abstracts = Sequence[Sequence[str]]

WORD = re.compile(r"\w+|%")
NEIGHBOUR = 0.5  # weight of the sentences before and behind, relative to the sentence itself
SOURCES = 3  # of a sentence's terms: itself, the sentence before, the one behind
PLACES = 6  # features that describe the place of a sentence in its abstract


class LabelModel(NamedTuple):
    """The parameters of the model; `FacetLabeller` reads and writes them.

    Attributes:
        labels: l names.
        vectorizer: of the t terms, see `make_vectorizer`.
        weights: (f, l), of the features, see `describe_sentences`.
        bias: (l,), added to the scores of every row.
        start: (l,), log probabilities of the first label.
        steps: (l, l), log probabilities of a label (row) being followed by another (column).
    """

    labels: Sequence[str]
    vectorizer: "TfidfVectorizer"
    weights: np.ndarray
    bias: np.ndarray
    start: np.ndarray
    steps: np.ndarray


def label_sentences(model: LabelModel, abstracts: Abstracts) -> list[list[str]]:
    """Label the sentences of each abstract: a list of names per abstract."""
    lengths = [len(sentences) for sentences in abstracts]
    if not any(lengths):  # scikit-learn refuses zero rows
        return [[] for _ in abstracts]
    features = describe_sentences(abstracts, model.vectorizer)
    scores = features @ model.weights + model.bias
    label_numbers = find_best_sequences(scores, lengths, model.start, model.steps)

    names = [model.labels[number] for number in label_numbers]
    ends = np.cumsum([0, *lengths]).tolist()
    return [names[start:end] for start, end in pairwise(ends)]


def make_vectorizer(terms: Sequence[str], idf: np.ndarray) -> "TfidfVectorizer":
    """Return what weighs the terms of sentences (rows, t); other terms are skipped.

    idf: (t,), of the terms.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=list_terms, vocabulary=terms, sublinear_tf=True)
    vectorizer.idf_ = idf
    return vectorizer


def describe_sentences(abstracts: Abstracts, vectorizer: "TfidfVectorizer") -> "csr_matrix":
    """Return the features of all sentences, of which there are some: sparse (rows, f).

    They are the weights of each term in the sentence itself, in the one before and in the one
    behind (0 if its abstract has none), and the sentence's place.
    """
    from scipy.sparse import csr_matrix, hstack, vstack

    terms = vectorizer.transform(chain.from_iterable(abstracts))  # (rows, t)
    places = describe_places([len(sentences) for sentences in abstracts])
    is_first = places[:, 2] == 1
    is_last = places[:, 5] == 1

    row_count, term_count = terms.shape
    rows = np.arange(row_count)
    rows_before = np.where(is_first, row_count, rows - 1)  # none before the first sentence
    rows_behind = np.where(is_last, row_count, rows + 1)  # and none behind the last one
    terms_or_none = vstack([terms, csr_matrix((1, term_count))], format="csr")  # none: the last row
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

    All abstracts are computed together, step by step along their sentences; shorter ones are
    padded.

    Args:
        scores: (rows, l).
        lengths: rows of each abstract, 0 or more.
        start, steps: see `LabelModel`.
    """
    longest = max([1, *lengths])
    is_sentence = np.arange(longest) < np.reshape(lengths, (-1, 1))  # (abstracts, longest)
    padded_scores = np.zeros((*is_sentence.shape, len(start)))  # (abstracts, longest, l)
    padded_scores[is_sentence] = scores

    # forwards: the sum of the best sequence that ends in each label, and the label before it
    best_sums = padded_scores[:, 0] + start  # (abstracts, l)
    previous_labels = []  # for each place but the first: (abstracts, l)
    same_label = np.arange(len(start))
    for place in range(1, longest):
        sums = best_sums[:, :, None] + steps  # (abstracts, label before, label here)
        new_sums = sums.max(axis=1) + padded_scores[:, place]

        # in the padding, sums stay, and each label follows itself
        is_here = is_sentence[:, place, None]
        best_sums = np.where(is_here, new_sums, best_sums)
        previous_labels.append(np.where(is_here, sums.argmax(axis=1), same_label))

    # backwards: from the best last label to the one before it, and so on
    labels = [best_sums.argmax(axis=1)]
    for previous_label in reversed(previous_labels):
        label_behind = labels[-1][:, None]
        labels.append(np.take_along_axis(previous_label, label_behind, axis=1)[:, 0])
    return np.stack(labels[::-1], axis=1)[is_sentence]
