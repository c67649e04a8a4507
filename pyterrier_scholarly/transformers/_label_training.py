"""Train the model that labels sentences: logistic regression, and how labels follow each other.

    model = train(check_abstracts(frame), size=20_000)

Conventions as in `text.label_features`: rows are the sentences of all abstracts, t terms, l labels.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from ..paper import Paper
from ..text.facet_labels import NEIGHBOUR, LabelModel
from ..text.label_features import PLACES, describe_places, list_terms, shift_rows, weigh_terms

# chosen on a held-out quarter of CSAbstruct's train and dev parts
LEAST_COUNT = 2  # rarer terms, by number of sentences, are left out
STRENGTH = 2.0  # inverse of the regularisation (scikit-learn's C)
PRIOR_WEIGHT = 0.5  # of how labels follow each other
UNSEEN_COUNT = 0.1  # added to the count of every label behind every other
SENTENCES_READ = 3  # whose terms the regression reads: the sentence, the one before, the one behind
MOST_ROUNDS = 300  # of the optimisation
TOLERANCE = 1e-3  # of the optimisation
#: CSFCube's labels in the order of an abstract
USUAL_LABELS = ("background", "objective", "method", "result", "other")

Texts = Sequence[Sequence[str]]  # a list of sentences, or of labels, for each abstract


class LabelledAbstracts(NamedTuple):
    """Sentences, labels and weights (numbers above 0: how sure a label is) of each abstract."""

    sentences: Texts
    labels: Texts
    weights: Sequence[Sequence[float]]


class Vocabulary(NamedTuple):
    """The terms of a model, each with its number, and their idf (t,)."""

    number: dict[str, int]
    idf: np.ndarray


class Targets(NamedTuple):
    """What the regression has to predict: arrays (rows,)."""

    label_numbers: np.ndarray
    weights: np.ndarray  #: how sure each label is


class Coefficients(NamedTuple):
    """What the regression has learned for each label."""

    terms: np.ndarray  #: (3, t, l): of a sentence's terms, those before, those behind
    places: np.ndarray  #: (PLACES, l)
    bias: np.ndarray  #: (l,)


class Transitions(NamedTuple):
    """How labels follow each other: log probabilities."""

    start: np.ndarray  #: of an abstract's first label, (l,)
    steps: np.ndarray  #: of a label (column) behind another (row), (l, l)


def check_abstracts(frame: pd.DataFrame) -> LabelledAbstracts:
    """Return sentences, labels and weights of the argument of `FacetLabeller.train`.

    Raises:
        ValueError: see `FacetLabeller.train`.
    """
    missing = [name for name in ("sentences", "labels") if name not in frame.columns]
    if missing:
        raise ValueError(
            f"FacetLabeller.train needs columns 'sentences' and 'labels': no {missing}."
        )

    papers = []  # which check that there is one label for each sentence
    for row, (sentences, own_labels) in enumerate(zip(frame["sentences"], frame["labels"])):
        papers.append(Paper(f"row {row}", "", sentences, own_labels))
    labels = [paper.labels for paper in papers]
    weights = [[1.0] * len(own_labels) for own_labels in labels]
    if "weights" in frame.columns:
        weights = frame["weights"].tolist()
    for row, (own_weights, own_labels) in enumerate(zip(weights, labels)):
        if not _are_weights(own_weights, own_labels):
            raise ValueError(
                f"Column 'weights' must hold one number above 0 per sentence; it does not for row "
                f"{row}: correct it, or drop the column."
            )

    names = sorted(set(chain.from_iterable(labels)))
    if len(names) < 2:
        raise ValueError(f"Training needs two labels or more, not {names}.")
    return LabelledAbstracts([paper.sentences for paper in papers], labels, weights)


def train(abstracts: LabelledAbstracts, size: int | None = None) -> LabelModel:
    """Train a model on sentences and their labels.

    size: how many terms to keep, those of the largest weights; None for all.
    """
    names = _order_labels(set(chain.from_iterable(abstracts.labels)))
    label_numbers = [names.index(label) for label in chain.from_iterable(abstracts.labels)]
    targets = Targets(
        label_numbers=np.array(label_numbers),
        weights=np.fromiter(chain.from_iterable(abstracts.weights), dtype=float),
    )

    vocabulary = _make_vocabulary(abstracts.sentences)
    regression = _fit(abstracts.sentences, targets, vocabulary)
    if size is not None and size < len(vocabulary.number):
        vocabulary = _keep_heaviest(vocabulary, regression, size)
        regression = _fit(abstracts.sentences, targets, vocabulary)

    coefficients = _read_coefficients(regression, len(vocabulary.number), len(names))
    transitions = _count_transitions(abstracts.labels, names)

    # A label's frequency is in the regression's bias, and again in the transitions to the label,
    # which count by PRIOR_WEIGHT. So that it counts once, the bias loses as much.
    label_weights = np.bincount(targets.label_numbers, weights=targets.weights)
    label_shares = label_weights / label_weights.sum()
    bias = coefficients.bias - PRIOR_WEIGHT * np.log(label_shares)

    return LabelModel(
        labels=tuple(names),
        number=vocabulary.number,
        idf=vocabulary.idf,
        weights=coefficients.terms,
        places=coefficients.places,
        bias=bias,
        start=PRIOR_WEIGHT * transitions.start,
        steps=PRIOR_WEIGHT * transitions.steps,
    )


def _are_weights(weights: Sequence[float], labels: Sequence[str]) -> bool:
    """Return whether there is a finite number above 0 for each label."""
    try:
        numbers = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        return False
    if numbers.shape != (len(labels),):
        return False
    return bool((np.isfinite(numbers) & (numbers > 0)).all())


def _order_labels(names: set[str]) -> list[str]:
    """Sort CSFCube's labels in the order of an abstract, then others by name."""
    usual = [name for name in USUAL_LABELS if name in names]
    others = sorted(names - set(USUAL_LABELS))
    return usual + others


def _make_vocabulary(abstracts: Texts) -> Vocabulary:
    """Number the common terms, and compute their idf by scikit-learn's formula."""
    sentences = list(chain.from_iterable(abstracts))
    counts: Counter[str] = Counter()  # of sentences with a term
    for sentence in sentences:
        counts.update(set(list_terms(sentence)))

    common_terms = sorted(term for term, count in counts.items() if count >= LEAST_COUNT)
    sentence_counts = np.array([counts[term] for term in common_terms], dtype=float)
    idf = np.log((1 + len(sentences)) / (1 + sentence_counts)) + 1
    return Vocabulary({term: number for number, term in enumerate(common_terms)}, idf)


def _fit(abstracts: Texts, targets: Targets, vocabulary: Vocabulary) -> LogisticRegression:
    """Fit a logistic regression over a sentence's terms, its neighbours' terms, and its place."""
    lengths = [len(sentences) for sentences in abstracts]
    own_terms = weigh_terms(abstracts, vocabulary.number, vocabulary.idf)
    terms_before = NEIGHBOUR * _move_rows(own_terms, lengths, 1)
    terms_behind = NEIGHBOUR * _move_rows(own_terms, lengths, -1)
    places = csr_matrix(describe_places(lengths))

    features = hstack([own_terms, terms_before, terms_behind, places]).tocsr()
    regression = LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS, tol=TOLERANCE)
    return regression.fit(features, targets.label_numbers, sample_weight=targets.weights)


def _move_rows(rows: csr_matrix, lengths: list[int], step: int) -> csr_matrix:
    """Return for each sentence the row of its neighbour: `shift_rows` for a sparse matrix.

    A sentence without this neighbour in its abstract gets a row of zeros.

    Args:
        rows: (rows, t), a row for each sentence of all abstracts.
        lengths: sentences of each abstract.
        step: 1 for the sentence before, -1 for the one behind.
    """
    row_count = rows.shape[0]
    has_neighbour = shift_rows(np.ones(row_count, dtype=bool), lengths, step)  # else False
    sentences = np.flatnonzero(has_neighbour)
    neighbours = sentences - step

    # a product with a matrix of ones at (sentence, neighbour) copies each neighbour's row
    ones = np.ones(len(sentences))
    moves = csr_matrix((ones, (sentences, neighbours)), shape=(row_count, row_count))
    return moves @ rows


def _keep_heaviest(vocabulary: Vocabulary, regression: LogisticRegression, size: int) -> Vocabulary:
    """Return a vocabulary of the `size` terms with the largest weights, in their old order.

    A term counts by its largest weight for any label, in a sentence, before it or behind it.
    """
    term_count = len(vocabulary.number)
    # (labels, 3 t): each term in the sentence, before it, behind it; other columns are of places
    term_weights = np.abs(regression.coef_[:, : SENTENCES_READ * term_count])
    weights_by_term = term_weights.reshape(-1, term_count)  # (labels * 3, t)
    largest_weights = weights_by_term.max(axis=0)  # (t,)

    heaviest_first = np.argsort(-largest_weights, kind="stable")
    kept_numbers = np.sort(heaviest_first[:size])

    number_of_term = vocabulary.number
    all_terms = sorted(number_of_term, key=number_of_term.__getitem__)  # by number
    kept_terms = [all_terms[number] for number in kept_numbers]
    new_number_of_term = {term: number for number, term in enumerate(kept_terms)}
    return Vocabulary(new_number_of_term, vocabulary.idf[kept_numbers])


def _read_coefficients(
    regression: LogisticRegression, term_count: int, label_count: int
) -> Coefficients:
    """Return the coefficients that the regression has learned, by kind of feature.

    Its features are, in this order: each term in the sentence itself, in the one before, and in the
    one behind (SENTENCES_READ); and at last the sentence's place in the abstract.

    Args:
        regression: fitted.
        term_count: number of terms.
        label_count: number of labels, l.
    """
    coefficients = regression.coef_.T  # (features, l)
    bias = regression.intercept_
    if label_count == 2:  # scikit-learn has one row for two classes: half of it for each
        coefficients = np.hstack([-coefficients, coefficients]) / 2
        bias = np.concatenate([-bias, bias]) / 2

    term_coefficients = coefficients[: SENTENCES_READ * term_count]
    return Coefficients(
        terms=term_coefficients.reshape(SENTENCES_READ, term_count, label_count),
        places=coefficients[-PLACES:],
        bias=bias,
    )


def _count_transitions(labels: Texts, names: Sequence[str]) -> Transitions:
    """Count which labels abstracts begin with, and which label follows which."""
    start_counts = np.full(len(names), UNSEEN_COUNT)
    step_counts = np.full((len(names), len(names)), UNSEEN_COUNT)
    for abstract_labels in labels:
        numbers = [names.index(label) for label in abstract_labels]
        if numbers:
            start_counts[numbers[0]] += 1
        for before, behind in pairwise(numbers):
            step_counts[before, behind] += 1

    return Transitions(
        start=np.log(start_counts / start_counts.sum()),
        steps=np.log(step_counts / step_counts.sum(axis=1, keepdims=True)),
    )
