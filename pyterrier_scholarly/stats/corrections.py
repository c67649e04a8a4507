"""Correct p-values for their number: the more is tested, the more is found by chance.

>>> correct_pvalues([0.01, 0.02, 0.04], "holm").tolist()
[0.03, 0.04, 0.04]
"""

from typing import Literal, TypeAlias

import numpy as np

from ..arguments import Numbers, check_arguments

#: how p-values are corrected: against any false finding, or against a share of false findings
Correction: TypeAlias = Literal["holm", "benjamini-hochberg"]
#: correction -> its name in statsmodels
STATSMODELS_NAMES = {"holm": "holm", "benjamini-hochberg": "fdr_bh"}


@check_arguments
def correct_pvalues(pvalues: Numbers, correction: Correction = "holm") -> np.ndarray:
    """Correct p-values for their number.

    Args:
        pvalues: of all comparisons that are made, (comparisons,); NaN for one without a test, which
            stays NaN and does not count.
        correction: ``"holm"`` bounds the probability of one false finding or more. It multiplies
            the smallest of m p-values by m, the next by m - 1, and so on. ``"benjamini-hochberg"``
            bounds the expected share of false findings among all findings, so it finds more.

    Returns:
        The corrected p-values, a float array (comparisons,), each at most 1.
    """
    from statsmodels.stats.multitest import multipletests

    corrected = np.array(pvalues, dtype=float)
    is_tested = ~np.isnan(corrected)
    if is_tested.any():
        method = STATSMODELS_NAMES[correction]
        corrected[is_tested] = multipletests(corrected[is_tested], method=method)[1]
    return corrected
