"""Train the model that labels sentences: logistic regression, and how labels follow each other.

    papers, weights = read_abstracts(frame)
    model = train(papers, weights, size=20_000)

Conventions as in `text.facet_labels`: rows are the sentences of all abstracts, t terms, l labels.
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from ..frames import refuse_rows
from ..paper import Paper, is_list
from ..text.facet_labels import (
    PLACES,
    SOURCES,
    Abstracts,
    LabelModel,
    describe_sentences,
    list_terms,
)

# chosen on a held-out quarter of CSAbstruct's train and dev parts
LEAST_COUNT = 2  # rarer terms, by number of sentences, are left out
STRENGTH = 2.0  # inverse of the regularisation (scikit-learn's C)
PRIOR_WEIGHT = 0.5  # of how labels follow each other
UNSEEN_COUNT = 0.1  # added to the count of every label behind every other
MOST_ROUNDS = 300  # of the optimisation
TOLERANCE = 1e-3  # of the optimisation
#: CSFCube's labels in the order of an abstract
USUAL_LABELS = ("background", "objective", "method", "result", "other")


def read_abstracts(frame: pd.DataFrame) -> tuple[list[Paper], np.ndarray]:
    """Return the abstracts of the argument of `FacetLabeller.train`, and weights (rows,).

    Raises:
        ValueError: see `FacetLabeller.train`.
    """
    if not {"sentences", "labels"} <= {*frame.columns}:
        raise ValueError(
            "FacetLabeller.train needs columns 'sentences' and 'labels'; these are there: "
            f"{', '.join(map(str, frame.columns))}."
        )

    papers = []  # which check that there is one label for each sentence
    for row, (sentences, labels) in enumerate(zip(frame["sentences"], frame["labels"])):
        papers.append(Paper(f"row {row}", "", sentences, labels))
    names = set(chain.from_iterable(paper.labels for paper in papers))
    if len(names) < 2:
        raise ValueError(f"Training needs two labels or more, not {sorted(names)}.")

    if "weights" not in frame.columns:
        return papers, np.ones(sum(len(paper.labels) for paper in papers))
    is_bad = []
    for weights, paper in zip(frame["weights"], papers):
        has_one_each = is_list(weights) and len(weights) == len(paper.labels)
        is_bad.append(not has_one_each or not all(map(_is_weight, weights)))
    expected = "one number above 0 per sentence"
    refuse_rows(frame, "weights", "row", is_bad, expected, "correct it, or drop the column")
    return papers, np.fromiter(chain.from_iterable(frame["weights"]), dtype=float)


def _is_weight(value: Any) -> bool:
    """Return whether a value is a finite number above 0."""
    return isinstance(value, Real) and 0 < float(value) < np.inf


def train(papers: Sequence[Paper], weights: np.ndarray, size: int | None) -> LabelModel:
    """Train a model on the labels of papers' sentences.

    Args:
        papers: with two different labels or more.
        weights: (rows,), above 0: how sure the label of a sentence is.
        size: how many terms to keep, those of the largest weights; None for all.

    Raises:
        ValueError: every term is rarer than LEAST_COUNT.
    """
    # labels are learnt as numbers: by paper, and in one array for all rows
    used_labels = set(chain.from_iterable(paper.labels for paper in papers))
    label_names = _order_labels(used_labels)
    numbers_of_papers = []
    for paper in papers:
        numbers_of_papers.append([label_names.index(label) for label in paper.labels])
    targets = np.array(list(chain.from_iterable(numbers_of_papers)))  # (rows,)

    # a sentence's label by its terms and its place
    abstracts = [paper.sentences for paper in papers]
    terms, idf = _find_terms(abstracts)
    regression = _fit(abstracts, terms, idf, targets, weights)
    if size is not None and size < len(terms):
        # fitted again, because without the other terms these have other weights
        heaviest = _find_heaviest_terms(regression.coef_, size)
        terms = terms[heaviest]
        idf = idf[heaviest]
        regression = _fit(abstracts, terms, idf, targets, weights)
    feature_weights, bias = _read_parameters(regression)

    # a sentence's label by the one before it
    start, steps = _measure_transitions(numbers_of_papers, len(label_names))

    # A label's frequency is in the regression's bias, and again in the transitions to the label,
    # which count by PRIOR_WEIGHT. So that it counts once, the bias loses as much.
    label_weights = np.bincount(targets, weights=weights)
    label_shares = label_weights / label_weights.sum()
    reduced_bias = bias - PRIOR_WEIGHT * np.log(label_shares)

    return LabelModel(
        labels=label_names,
        number=_number(terms),
        idf=idf,
        weights=feature_weights,
        bias=reduced_bias,
        start=PRIOR_WEIGHT * start,
        steps=PRIOR_WEIGHT * steps,
    )


def _order_labels(names: set[str]) -> list[str]:
    """Sort CSFCube's labels in the order of an abstract, then others by name."""
    usual = [name for name in USUAL_LABELS if name in names]
    return usual + sorted(names.difference(USUAL_LABELS))


def _find_terms(abstracts: Abstracts) -> tuple[np.ndarray, np.ndarray]:
    """Return the terms (t,) of LEAST_COUNT sentences or more, and their idf (t,)."""
    sentences = list(chain.from_iterable(abstracts))
    tfidf = TfidfVectorizer(analyzer=list_terms, min_df=LEAST_COUNT)
    try:
        tfidf.fit(sentences)
    except ValueError as error:  # all terms are rarer than that
        raise ValueError(
            f"No term occurs in {LEAST_COUNT} of the {len(sentences)} sentences, so there is "
            "nothing to learn: pass more abstracts."
        ) from error
    return tfidf.get_feature_names_out(), tfidf.idf_


def _find_heaviest_terms(coefficients: np.ndarray, size: int) -> np.ndarray:
    """Return the numbers (size,) of the terms with the largest weights for any label, ascending.

    coefficients: (l, features); a term has one in a sentence, one before it, and one behind it.
    """
    weights_of_terms = np.abs(coefficients[:, :-PLACES])
    term_count = weights_of_terms.shape[1] // SOURCES
    largest_weights = weights_of_terms.reshape(-1, term_count).max(axis=0)  # (t,)
    heaviest_first = np.argsort(-largest_weights, kind="stable")
    return np.sort(heaviest_first[:size])


def _number(terms: np.ndarray) -> dict[str, int]:
    """Return the number of each term."""
    return {term: number for number, term in enumerate(terms.tolist())}


def _fit(
    abstracts: Abstracts,
    terms: np.ndarray,
    idf: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
) -> LogisticRegression:
    """Fit a logistic regression of the numbers of labels (rows,) by the features of sentences."""
    features = describe_sentences(abstracts, _number(terms), idf)
    regression = LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS, tol=TOLERANCE)
    return regression.fit(features, targets, sample_weight=weights)


def _read_parameters(regression: LogisticRegression) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients (features, l) and the bias (l,) of l labels."""
    coefficients = regression.coef_.T
    bias = regression.intercept_
    if len(bias) > 1:
        return coefficients, bias
    # scikit-learn has one row for two classes: half of it for each
    return np.hstack([-coefficients, coefficients]) / 2, np.concatenate([-bias, bias]) / 2


def _measure_transitions(
    numbers_of_papers: Sequence[Sequence[int]], label_count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return log probabilities: of an abstract's first label, (l,); of one behind another, (l, l).

    numbers_of_papers: the numbers of the labels of each paper's sentences.
    """
    start_counts = np.full(label_count, UNSEEN_COUNT)
    step_counts = np.full((label_count, label_count), UNSEEN_COUNT)
    for numbers in numbers_of_papers:
        if numbers:
            start_counts[numbers[0]] += 1
        for before, behind in pairwise(numbers):
            step_counts[before, behind] += 1
    start = np.log(start_counts / start_counts.sum())
    return start, np.log(step_counts / step_counts.sum(axis=1, keepdims=True))
