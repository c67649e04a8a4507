"""Label the sentences of abstracts with facets: a linear model, and the best sequence.

    label_sentences(model, [["Trees are slow.", "We prune them."]])  # [["background", "method"]]

A row's score for a label is linear in three things: its terms, the terms of the sentences before
and behind, and its position.

Conventions: see `label_features`; l labels.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .label_features import Abstracts, describe_places, shift_rows, weigh_terms

NEIGHBOUR = 0.5  # weight of the sentences before and behind, relative to the sentence itself


class LabelModel(NamedTuple):
    """The parameters of the model; `FacetLabeller` reads and writes them.

    Attributes:
        labels: l names.
        number: term -> its number, from 0.
        idf: (t,), of the terms.
        weights: (3, t, l), of a term in the sentence itself, before it, and behind it.
        places: (PLACES, l), weights of the sentence's position, see `describe_places`.
        bias: (l,), added to the scores of every row.
        start: (l,), log probabilities of the first label.
        steps: (l, l), log probabilities of a label (row) being followed by another (column).
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
    scores = score_labels(model, abstracts)
    label_numbers = find_best_sequences(scores, lengths, model.start, model.steps)

    names = [model.labels[number] for number in label_numbers]
    ends = np.cumsum([0, *lengths]).tolist()
    return [names[start:end] for start, end in pairwise(ends)]


def score_labels(model: LabelModel, abstracts: Abstracts) -> np.ndarray:
    """Score each label for each sentence: (rows, l), log probabilities up to a constant."""
    lengths = [len(sentences) for sentences in abstracts]
    rows = weigh_terms(abstracts, model.number, model.idf)

    weights_of_sentence, weights_before, weights_behind = model.weights
    own_scores = rows @ weights_of_sentence
    # what a sentence says of the label of the next one, moved there; and of the one before
    scores_from_before = shift_rows(rows @ weights_before, lengths, 1)
    scores_from_behind = shift_rows(rows @ weights_behind, lengths, -1)
    neighbour_scores = NEIGHBOUR * (scores_from_before + scores_from_behind)
    place_scores = describe_places(lengths) @ model.places
    return own_scores + neighbour_scores + place_scores + model.bias


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

    last_sums, previous_labels = _sum_forwards(padded_scores, is_sentence, start, steps)
    labels = _follow_backwards(last_sums.argmax(axis=1), previous_labels)
    return labels[is_sentence]


def _sum_forwards(
    padded_scores: np.ndarray, is_sentence: np.ndarray, start: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the best sequence of labels that ends in each label, sentence by sentence.

    Args:
        padded_scores: (abstracts, longest, l), a score for each label of each sentence.
        is_sentence: (abstracts, longest); False in the padding of a shorter abstract.
        start, steps: see `LabelModel`.

    Returns:
        For each label of the last sentence, the sum of the best sequence that ends in it:
        (abstracts, l). And for each label of each sentence, the label before it in the best
        sequence up to there: (abstracts, longest, l).
    """
    best_sums = padded_scores[:, 0] + start  # (abstracts, l)
    previous_labels = np.zeros(padded_scores.shape, dtype=int)
    same_label = np.arange(len(start))
    for place in range(1, padded_scores.shape[1]):
        sums = best_sums[:, :, None] + steps  # (abstracts, label before, label here)
        new_sums = sums.max(axis=1) + padded_scores[:, place]

        # in the padding, sums stay, and each label follows itself
        is_here = is_sentence[:, place, None]
        best_sums = np.where(is_here, new_sums, best_sums)
        previous_labels[:, place] = np.where(is_here, sums.argmax(axis=1), same_label)
    return best_sums, previous_labels


def _follow_backwards(last_labels: np.ndarray, previous_labels: np.ndarray) -> np.ndarray:
    """Return the labels of each sequence by its last one: (abstracts, longest).

    Args:
        last_labels: (abstracts,).
        previous_labels: (abstracts, longest, l), the label before each label of each sentence.
    """
    abstract_count, longest, _ = previous_labels.shape
    labels = np.zeros((abstract_count, longest), dtype=int)
    labels[:, -1] = last_labels
    every_abstract = np.arange(abstract_count)
    for place in range(longest - 1, 0, -1):
        labels_here = labels[:, place]
        labels[:, place - 1] = previous_labels[every_abstract, place, labels_here]
    return labels
