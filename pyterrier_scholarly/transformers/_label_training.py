"""Train the model that labels sentences: logistic regression, and how labels follow each other.

    papers, weights = read_abstracts(frame)
    model = train(papers, weights, size=20_000)

Conventions as in `text.facet_labels`: rows are the sentences of all abstracts, t terms, l labels.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from ..paper import Paper, is_list
from ..text.facet_labels import PLACES, LabelModel, describe_sentences, list_terms

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
    missing = [name for name in ("sentences", "labels") if name not in frame.columns]
    if missing:
        raise ValueError(
            f"FacetLabeller.train needs columns 'sentences' and 'labels': no {missing}."
        )

    papers = []  # which check that there is one label for each sentence
    for row, (sentences, labels) in enumerate(zip(frame["sentences"], frame["labels"])):
        papers.append(Paper(f"row {row}", "", sentences, labels))
    names = set(chain.from_iterable(paper.labels for paper in papers))
    if len(names) < 2:
        raise ValueError(f"Training needs two labels or more, not {sorted(names)}.")

    lengths = [len(paper.labels) for paper in papers]
    if "weights" not in frame.columns:
        return papers, np.ones(sum(lengths))
    for row, (weights, length) in enumerate(zip(frame["weights"], lengths)):
        numbers = pd.to_numeric(pd.Series(weights), errors="coerce")  # NaN for what is no number
        has_one_each = is_list(weights) and len(numbers) == length
        if not has_one_each or not numbers.between(0, np.inf, inclusive="neither").all():
            raise ValueError(
                f"Column 'weights' must hold one number above 0 per sentence; it does not for row "
                f"{row}: correct it, or drop the column."
            )
    return papers, np.fromiter(chain.from_iterable(frame["weights"]), dtype=float)


def train(papers: Sequence[Paper], weights: np.ndarray, size: int | None) -> LabelModel:
    """Train a model on the labels of papers' sentences.

    Args:
        papers: with two different labels or more.
        weights: (rows,), above 0: how sure the label of a sentence is.
        size: how many terms to keep, those of the largest weights; None for all.

    Raises:
        ValueError: every term is rarer than LEAST_COUNT.
    """
    abstracts = [paper.sentences for paper in papers]
    names = _order_labels(set(chain.from_iterable(paper.labels for paper in papers)))
    numbers_of_abstracts = []  # of each abstract's labels
    for paper in papers:
        numbers_of_abstracts.append([names.index(label) for label in paper.labels])
    targets = np.array(list(chain.from_iterable(numbers_of_abstracts)))  # (rows,)

    tfidf = TfidfVectorizer(analyzer=list_terms, min_df=LEAST_COUNT)
    try:
        tfidf.fit(chain.from_iterable(abstracts))
    except ValueError as error:  # all terms are rarer than that
        raise ValueError(
            f"No term occurs in {LEAST_COUNT} of the {len(targets)} sentences, so there is nothing "
            "to learn: pass more abstracts."
        ) from error
    terms = tfidf.get_feature_names_out()
    idf = tfidf.idf_
    regression = _fit(describe_sentences(abstracts, _number(terms), idf), targets, weights)
    if size is not None and size < len(idf):
        # a term counts by its largest weight for any label: in a sentence, before it or behind it
        term_weights = np.abs(regression.coef_[:, :-PLACES])
        largest_weights = term_weights.reshape(-1, len(idf)).max(axis=0)  # (t,)
        heaviest_first = np.argsort(-largest_weights, kind="stable")
        kept = np.sort(heaviest_first[:size])
        terms = terms[kept]
        idf = idf[kept]
        regression = _fit(describe_sentences(abstracts, _number(terms), idf), targets, weights)

    coefficients = regression.coef_.T  # (features, l)
    bias = regression.intercept_
    if len(names) == 2:  # scikit-learn has one row for two classes: half of it for each
        coefficients = np.hstack([-coefficients, coefficients]) / 2
        bias = np.concatenate([-bias, bias]) / 2

    # A label's frequency is in the regression's bias, and again in the transitions to the label,
    # which count by PRIOR_WEIGHT. So that it counts once, the bias loses as much.
    label_weights = np.bincount(targets, weights=weights)
    label_shares = label_weights / label_weights.sum()
    start, steps = _measure_transitions(numbers_of_abstracts, len(names))
    return LabelModel(
        labels=names,
        number=_number(terms),
        idf=idf,
        weights=coefficients,
        bias=bias - PRIOR_WEIGHT * np.log(label_shares),
        start=PRIOR_WEIGHT * start,
        steps=PRIOR_WEIGHT * steps,
    )


def _order_labels(names: set[str]) -> list[str]:
    """Sort CSFCube's labels in the order of an abstract, then others by name."""
    usual = [name for name in USUAL_LABELS if name in names]
    return usual + sorted(names.difference(USUAL_LABELS))


def _number(terms: Iterable[str]) -> dict[str, int]:
    """Return the number of each term."""
    return {term: number for number, term in enumerate(terms)}


def _fit(features: csr_matrix, targets: np.ndarray, weights: np.ndarray) -> LogisticRegression:
    """Fit a logistic regression of the numbers of labels (rows,)."""
    regression = LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS, tol=TOLERANCE)
    return regression.fit(features, targets, sample_weight=weights)


def _measure_transitions(
    numbers_of_abstracts: Sequence[Sequence[int]], label_count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return log probabilities: of an abstract's first label, (l,); of one behind another, (l, l).

    numbers_of_abstracts: the numbers of each abstract's labels.
    """
    start_counts = np.full(label_count, UNSEEN_COUNT)
    step_counts = np.full((label_count, label_count), UNSEEN_COUNT)
    for numbers in numbers_of_abstracts:
        if numbers:
            start_counts[numbers[0]] += 1
        for before, behind in pairwise(numbers):
            step_counts[before, behind] += 1
    start = np.log(start_counts / start_counts.sum())
    return start, np.log(step_counts / step_counts.sum(axis=1, keepdims=True))
