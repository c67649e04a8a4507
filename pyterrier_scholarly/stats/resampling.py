"""The bootstrap: how much a mean over queries depends on which queries there are.

>>> resampled = resample_means([[0.2, 0.4, 0.9]], resamples=100)
>>> bool(resampled.low[0] < resampled.mean[0] < resampled.high[0])
True
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..arguments import InnerShare, Numbers, Repeats, Seed, check_arguments

#: which queries are drawn from, see `resample_means`
Draw: TypeAlias = Literal["counted", "all"]


class Resampled(NamedTuple):
    """Statistics of the means over queries: float arrays, one number per row of values."""

    mean: np.ndarray  #: over the queries themselves
    std: np.ndarray  #: of the resampled means
    low: np.ndarray  #: lower end of the percentile interval of the resampled means
    high: np.ndarray  #: upper end


@check_arguments
def resample_means(
    values: Numbers,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    confidence: InnerShare = 0.95,
    draw: Draw = "counted",
) -> Resampled:
    """Resample queries with replacement, and describe how the means vary.

    Rows with NaN for the same queries share their resamples, whatever the other rows are.

    Args:
        values: array (rows, queries): a row per system and measure.
        seed: of numpy's default generator; equal seeds give equal figures.
        confidence: share of the resampled means between `low` and `high`, in 0..1.
        draw: ``"counted"`` draws from a row's queries without NaN, as many as these. ``"all"``
            draws from all queries, as many as these. Then a resample's mean is over the drawn
            queries without NaN; their number varies, so `std` is a little larger. A resample
            without such a query is skipped.

    Returns:
        `Resampled`; NaN for a row of NaN.

    Raises:
        ValueError: a number out of range, or values of another shape.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"values has shape {values.shape}: expected (rows, queries).")

    share_below = (1 - confidence) / 2
    shares = [share_below, 1 - share_below]

    # rows that have values for the same queries share one drawing of these
    masks, mask_of_row = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    figures = np.full((len(Resampled._fields), len(values)), np.nan)
    for number, mask in enumerate(masks):
        if not mask.any():
            continue
        drawn_from = mask[mask] if draw == "counted" else mask
        query_count = len(drawn_from)
        probabilities = np.full(query_count, 1 / query_count)
        draws = np.random.default_rng(seed).multinomial(query_count, probabilities, resamples)
        counts = draws[:, drawn_from]  # how often each query with a value is drawn
        counts = counts[counts.any(axis=1)]  # without resamples of no such query

        rows = mask_of_row.ravel() == number  # numpy 2.0 alone has a column
        present_values = values[rows][:, mask]  # (rows, queries)
        means = present_values @ counts.T / counts.sum(axis=1)  # (rows, resamples)
        low, high = np.quantile(means, shares, axis=1)
        figures[:, rows] = present_values.mean(axis=1), means.std(axis=1), low, high
    return Resampled(*figures)
