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

    resampled = Resampled(*np.full((4, len(values)), np.nan))
    # rows with values for the same queries share one drawing
    query_masks, mask_of_row = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    mask_of_row = mask_of_row.ravel()  # numpy 2.0 alone returns a column
    for number, has_value in enumerate(query_masks):
        if not has_value.any():
            continue

        rows = np.flatnonzero(mask_of_row == number)
        values_of_rows = values[rows][:, has_value]  # (rows, queries with values)
        draws = _draw_queries(has_value, resamples, seed, draw)
        described = _describe_means(values_of_rows, draws, confidence)
        resampled.mean[rows] = described.mean
        resampled.std[rows] = described.std
        resampled.low[rows] = described.low
        resampled.high[rows] = described.high
    return resampled


def _draw_queries(has_value: np.ndarray, resamples: int, seed: int, draw: Draw) -> np.ndarray:
    """Draw queries with replacement: how often each query with a value is drawn, as ints.

    Args:
        has_value: bool array (queries,).

    Returns:
        (resamples, queries with a value).
    """
    value_count = int(has_value.sum())
    size = value_count if draw == "counted" else len(has_value)
    random = np.random.default_rng(seed)
    draws = random.multinomial(size, np.full(size, 1 / size), resamples)
    if draw == "counted":
        return draws
    return draws[:, has_value]


def _describe_means(values: np.ndarray, draws: np.ndarray, confidence: float) -> Resampled:
    """Describe the resampled means of rows without NaN.

    Args:
        values: (rows, queries).
        draws: how often each query is drawn, (resamples, queries).
    """
    draws = draws[draws.any(axis=1)]  # without resamples of no query
    means = values @ draws.T / draws.sum(axis=1)  # (rows, resamples)

    share_below = (1 - confidence) / 2
    low, high = np.quantile(means, [share_below, 1 - share_below], axis=1)
    return Resampled(mean=values.mean(axis=1), std=means.std(axis=1), low=low, high=high)
