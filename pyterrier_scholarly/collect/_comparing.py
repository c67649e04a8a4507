"""One query's ratings, compared: annotators with one another, and with a reference."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..stats import agreeing

AMONG, WITH = "annotators", "reference"
MACRO = ("precision", "recall", "f1")
#: the coefficients, by column
COEFFICIENTS = [
    "spearman",
    *(f"alpha_{level}" for level in agreeing.LEVELS),
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "percent",
    *MACRO,
]


class Comparison(NamedTuple):
    """Ratings of one query, or of all, as matrices of counts over the scale (see `stats.agreeing`).

    pairs: a confusion matrix for each pair of annotators, or of the reference and an annotator.
    together: the coincidence matrix of all annotators; None against a reference.
    missing: how many ratings are.
    """

    pairs: list
    together: np.ndarray | None
    missing: int

    def figures(self, scale):
        """How many pairs of ratings are compared, how many are missing, and COEFFICIENTS.

        These are means over the pairs, but α of all annotators together.
        """
        found = pd.DataFrame([of_pair(matrix, scale) for matrix in self.pairs])
        found = found.mean(skipna=False).to_dict()
        if self.together is not None:  # nobody is right there
            found |= {**_alphas(self.together, scale), **dict.fromkeys(MACRO, np.nan)}
        count = int(sum(matrix.sum() for matrix in self.pairs))
        return {"pairs": count, "missing": self.missing, **found}


def comparisons(wide, reference, scale):
    """Return what `wide` allows to compare, documents × annotators, NaN where not rated: by name,
    AMONG or WITH.
    """
    judges, found = wide.drop(columns=[reference], errors="ignore"), {}
    if len(judges.columns) > 1:
        together = agreeing.coincidences(judges.to_numpy(), scale)
        pairs = _confusions(wide, combinations(judges, 2), scale)
        found[AMONG] = Comparison(pairs, together, _missing(judges))
    if reference in wide and len(judges.columns):
        pairs = _confusions(wide, ((reference, judge) for judge in judges), scale)
        found[WITH] = Comparison(pairs, None, _missing(wide))
    return found


def pooled(several):
    """Return comparisons of several queries as one, as if all pairs were of two annotators."""
    pairs, together, missing = zip(*several)
    together = None if together[0] is None else sum(together)
    return Comparison([sum(map(sum, pairs))], together, sum(missing))


def _confusions(wide, pairs, scale):
    return [agreeing.confusion(*wide[list(pair)].to_numpy().T, scale) for pair in pairs]


def _missing(wide):
    return int(wide.isna().to_numpy().sum())


def of_pair(matrix, scale):
    """The coefficients of a confusion matrix: of two annotators, or of a reference and one."""
    precision, recall, f1 = agreeing.macro(matrix)
    return {
        "spearman": agreeing.spearman(matrix),
        **_alphas(matrix + matrix.T, scale),  # of two judges, each thing counts two
        "kappa": agreeing.cohen_kappa(matrix),
        "kappa_linear": agreeing.cohen_kappa(matrix, "linear"),
        "kappa_quadratic": agreeing.cohen_kappa(matrix, "quadratic"),
        "percent": agreeing.percent(matrix),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _alphas(together, scale):
    return {
        f"alpha_{level}": agreeing.krippendorff_alpha(together, scale, level)
        for level in agreeing.LEVELS
    }
