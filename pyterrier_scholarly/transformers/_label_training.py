"""Train what labels sentences: logistic regression, and how labels follow each other."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from ir_datasets_ext.store import check_free

from .. import frames
from ..text.facet_labels import NEIGHBOUR, PLACES, LabelModel, beside, place_rows, term_rows, terms

# chosen on a held-out quarter of CSAbstruct's train and dev parts
COMMON = 2  # rarer terms, by number of sentences, are left out
STRENGTH = 2.0  # inverse of the regularisation (scikit-learn's C)
TEMPER = 0.5  # weight of the prior: how labels follow each other
UNSEEN = 0.1  # added to the count of every label behind every other
ROUNDS, TOLERANCE = 300, 1e-3  # of the optimisation
Texts = Sequence[Sequence[str]]  # a list of sentences, or of labels, for each abstract


def checked(
    abstracts: pd.DataFrame, path: str | Path
) -> tuple[Texts, Texts, list[Sequence[float]]]:
    """Return sentences, labels and weights of a frame for `FacetLabeller.train`.

    Raises:
        ValueError, FileExistsError: see `FacetLabeller.train`.
    """
    check_free(path)
    abstracts = frames.check(abstracts, "FacetLabeller.train", ["sentences", "labels"])
    rows = abstracts.assign(row=range(len(abstracts)))
    frames.check_sentences(rows, "labels", by="row", empty=True)
    weights = rows.get("weights", [np.ones(len(row)) for row in rows["labels"]])
    bad = [not _weighs(*pair) for pair in zip(weights, rows["labels"])]
    expected = "one number above 0 per sentence"
    frames.refuse_rows(rows, "weights", "row", bad, expected, "correct it, or drop the column")
    names = sorted(set(chain.from_iterable(rows["labels"])))
    if len(names) < 2:
        raise ValueError(f"Training needs two labels or more, not {names}.")
    return list(rows["sentences"]), [list(row) for row in rows["labels"]], list(weights)


def _weighs(weights: Sequence[float], labels: Sequence[str]) -> bool:
    try:
        numbers = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        return False
    return numbers.shape == (len(labels),) and bool((np.isfinite(numbers) & (numbers > 0)).all())


def trained(
    abstracts: Texts, labels: Texts, trust: Sequence[Sequence[float]], size: int | None = None
) -> LabelModel:
    """Train a model on sentences and their labels.

    abstracts, labels: a list of sentences, and a list of names, for each abstract. trust: lists of
    weights above 0: how sure each label is. size: how many terms to keep, those of the largest
    weights; None for all.
    """
    names = _ordered(set(chain.from_iterable(labels)))
    targets = np.array([names.index(label) for label in chain.from_iterable(labels)])
    weights = np.fromiter(chain.from_iterable(trust), dtype=float)
    number, idf = _vocabulary(abstracts)
    fitted = _fit(abstracts, targets, weights, number, idf)
    if size is not None and size < len(number):
        heaviest = np.abs(fitted.coef_[:, : 3 * len(number)]).reshape(-1, len(number)).max(axis=0)
        kept = np.sort(np.argsort(-heaviest, kind="stable")[:size])
        every = list(number)
        number, idf = {every[old]: new for new, old in enumerate(kept)}, idf[kept]
        fitted = _fit(abstracts, targets, weights, number, idf)
    return _model(names, number, idf, fitted, targets, weights, labels)


def _ordered(names: set[str]) -> list[str]:
    """Sort CSFCube's labels in the order of an abstract, then others by name."""
    known = ("background", "objective", "method", "result", "other")
    return [name for name in known if name in names] + sorted(names - set(known))


def _vocabulary(abstracts: Texts) -> tuple[dict[str, int], np.ndarray]:
    """Number the common terms, and compute their idf by scikit-learn's formula (t,)."""
    sentences = list(chain.from_iterable(abstracts))
    counts = Counter(term for sentence in sentences for term in set(terms(sentence)))
    known = sorted(term for term, count in counts.items() if count >= COMMON)
    within = np.array([counts[term] for term in known], dtype=float)
    idf = np.log((1 + len(sentences)) / (1 + within)) + 1
    return {term: number for number, term in enumerate(known)}, idf


def _fit(
    abstracts: Texts,
    targets: np.ndarray,
    weights: np.ndarray,
    number: dict[str, int],
    idf: np.ndarray,
) -> LogisticRegression:
    """Fit a logistic regression over a sentence's terms, its neighbours' terms, and its place."""
    lengths = [len(sentences) for sentences in abstracts]
    own = term_rows(abstracts, number, idf)
    near = [NEIGHBOUR * _moved(own, lengths, step) for step in (1, -1)]
    features = hstack([own, *near, csr_matrix(place_rows(lengths))]).tocsr()
    return LogisticRegression(C=STRENGTH, max_iter=ROUNDS, tol=TOLERANCE).fit(
        features, targets, sample_weight=weights
    )


def _moved(rows: csr_matrix, lengths: list[int], step: int) -> csr_matrix:
    """Apply `beside` to a sparse matrix."""
    of = beside(np.arange(1, rows.shape[0] + 1), lengths, step)
    at = np.flatnonzero(of)
    return csr_matrix((np.ones(len(at)), (at, of[at] - 1)), shape=(len(of), len(of))) @ rows


def _model(
    names: list[str],
    number: dict[str, int],
    idf: np.ndarray,
    fitted: LogisticRegression,
    targets: np.ndarray,
    trust: np.ndarray,
    labels: Texts,
) -> LabelModel:
    coefficients, bias = fitted.coef_.T, fitted.intercept_
    if len(names) == 2:  # scikit-learn has one row for two classes
        coefficients, bias = np.hstack([-coefficients, coefficients]) / 2, np.r_[-bias, bias] / 2
    weights = coefficients[: 3 * len(number)].reshape(3, len(number), len(names))
    share = np.bincount(targets, weights=trust)
    start, steps = np.full(len(names), UNSEEN), np.full((len(names), len(names)), UNSEEN)
    for row in [[names.index(label) for label in own] for own in labels]:
        start[row[:1]] += 1
        for pair in pairwise(row):
            steps[pair] += 1
    return LabelModel(
        tuple(names),
        number,
        idf,
        weights,
        coefficients[-PLACES:],
        bias - TEMPER * np.log(share / share.sum()),
        TEMPER * np.log(start / start.sum()),
        TEMPER * np.log(steps / steps.sum(axis=1, keepdims=True)),
    )
