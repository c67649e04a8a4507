"""Training what labels sentences: logistic regression, and how labels follow each other."""

from collections import Counter
from itertools import chain, pairwise

import numpy as np

from ir_datasets_ext.store import check_free

from .. import frames
from ..text.labelling import NEIGHBOUR, PLACES, LabelModel, beside, place_rows, term_rows, terms

COMMON = 2  # sentences that a term occurs in at least
STRENGTH = 2.0  # inverse of the regularisation (scikit-learn's C)
TEMPER = 0.5  # weight of what is known before a sentence is read: how labels follow each other
UNSEEN = 0.1  # counted for every label behind every other
ROUNDS, TOLERANCE = 300, 1e-3  # of the optimisation

# These were chosen on a quarter of CSAbstruct's train and dev parts that was held out.


def checked(abstracts, path) -> tuple:
    """Sentences, labels and weights of a frame as `FacetLabeller.train` takes it: three lists.

    Raises:
        ValueError, FileExistsError: as said there.
    """
    check_free(path)
    needed = ["sentences", "labels"]
    abstracts = frames.check(abstracts, "FacetLabeller.train", needed)
    rows = abstracts.assign(row=range(len(abstracts)))
    frames.sentences_only(rows, "labels", by="row", empty=True)
    weights = rows.get("weights", [np.ones(len(own)) for own in rows["labels"]])
    bad = [not _weighs(own, row) for own, row in zip(weights, rows["labels"])]
    if any(bad):
        raise ValueError(
            "Column 'weights' must hold one number above 0 per sentence; it does not for row "
            f"{frames.some(rows['row'][bad])}."
        )
    found = sorted(set(chain.from_iterable(rows["labels"])))
    if len(found) < 2:
        raise ValueError(f"To learn a difference takes two labels or more, not {found}.")
    return list(rows["sentences"]), [list(own) for own in rows["labels"]], list(weights)


def _weighs(weights, labels) -> bool:
    try:
        numbers = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        return False
    return numbers.shape == (len(labels),) and bool((np.isfinite(numbers) & (numbers > 0)).all())


def trained(abstracts, labels, trust, size=None) -> LabelModel:
    """A model of these sentences and their labels.

    Args:
        abstracts: lists of sentences; labels, trust: as many lists of names, and of weights (more
            than 0) that say how sure each label is.
        size: how many terms to keep, those that weigh most; None for all.
    """
    names = _ordered(set(chain.from_iterable(labels)))
    targets = np.array([names.index(label) for label in chain.from_iterable(labels)])
    trust = np.fromiter(chain.from_iterable(trust), dtype=float)
    number, idf = _vocabulary(abstracts)
    fitted = _fit(abstracts, targets, trust, number, idf)
    if size is not None and size < len(number):
        heaviest = np.abs(fitted.coef_[:, : 3 * len(number)]).max(axis=0)
        heaviest = heaviest.reshape(3, -1).max(axis=0)
        kept = np.sort(np.argsort(-heaviest, kind="stable")[:size])
        every = list(number)
        number, idf = {every[old]: new for new, old in enumerate(kept)}, idf[kept]
        fitted = _fit(abstracts, targets, trust, number, idf)
    return _model(names, number, idf, fitted, targets, trust, labels)


def _ordered(found) -> list:
    """CSFCube's labels in the order of an abstract, then others by name."""
    known = ("background", "objective", "method", "result", "other")
    return [name for name in known if name in found] + sorted(found - set(known))


def _vocabulary(abstracts):
    """Terms that are common, by name, with their number; and their idf, as scikit-learn has it."""
    sentences = list(chain.from_iterable(abstracts))
    counts = Counter(term for sentence in sentences for term in set(terms(sentence)))
    known = sorted(term for term, count in counts.items() if count >= COMMON)
    within = np.array([counts[term] for term in known], dtype=float)
    idf = np.log((1 + len(sentences)) / (1 + within)) + 1
    return {term: place for place, term in enumerate(known)}, idf


def _fit(abstracts, targets, trust, number, idf):
    """Logistic regression over own terms, those of both neighbours, and places."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    lengths = [len(sentences) for sentences in abstracts]
    own = term_rows(abstracts, number, idf)
    near = [NEIGHBOUR * _moved(own, lengths, step) for step in (1, -1)]
    features = hstack([own, *near, csr_matrix(place_rows(lengths))]).tocsr()
    model = LogisticRegression(C=STRENGTH, max_iter=ROUNDS, tol=TOLERANCE)
    return model.fit(features, targets, sample_weight=trust)


def _moved(rows, lengths, step):
    """As `beside`, of a sparse matrix."""
    from scipy.sparse import csr_matrix

    of = beside(np.arange(1, rows.shape[0] + 1), lengths, step)
    at = np.flatnonzero(of)
    pick = csr_matrix((np.ones(len(at)), (at, of[at] - 1)), shape=(len(of), len(of)))
    return pick @ rows


def _model(names, number, idf, fitted, targets, trust, labels):
    coefficients, bias = fitted.coef_.T, fitted.intercept_
    if len(names) == 2:  # scikit-learn has one row for two classes
        coefficients, bias = np.hstack([-coefficients, coefficients]) / 2, np.r_[-bias, bias] / 2
    weights = coefficients[: 3 * len(number)].reshape(3, len(number), len(names))
    share = np.bincount(targets, weights=trust)
    start, steps = np.full(len(names), UNSEEN), np.full((len(names), len(names)), UNSEEN)
    for own in labels:
        for first in own[:1]:
            start[names.index(first)] += 1
        for one, two in pairwise(own):
            steps[names.index(one), names.index(two)] += 1
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
