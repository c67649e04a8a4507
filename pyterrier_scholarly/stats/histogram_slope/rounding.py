"""Distances rounded to a few decimals, and bins that do not fit them."""

import warnings

import numpy as np

MOST_DECIMALS = 3  # with more, a bin has so many possible values that one more is nothing


def warn_of_steps(values, histogram):
    """Warn where values are rounded and the step does not fit into a bin a whole number of times.

    Then bins have unequal numbers of possible values, and the histogram is a comb.
    """
    if len(np.unique(values)) < 10 or not np.isfinite(values).all():
        return
    width = (histogram.high - histogram.low) / histogram.bins
    for decimals in range(1, MOST_DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=0, atol=1e-9):
            steps = width * 10**decimals
            if abs(steps - round(steps)) > 1e-6 or round(steps) == 0:
                warnings.warn(
                    f"the distances are rounded to {decimals} decimals, and a bin is {steps:g} "
                    "such steps wide: take a number of bins that makes this a whole number",
                    stacklevel=5,
                )
            return
