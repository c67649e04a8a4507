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

    resampled = _make_undefined(len(values))
    for group in _group_rows(values):
        if not group.has_value.any():
            continue

        values_of_group = values[group.rows][:, group.has_value]  # (rows, queries with values)
        draws = _draw_queries(group.has_value, resamples, seed, draw)
        described = _describe_means(values_of_group, draws, confidence)
        resampled.mean[group.rows] = described.mean
        resampled.std[group.rows] = described.std
        resampled.low[group.rows] = described.low
        resampled.high[group.rows] = described.high
    return resampled


def _make_undefined(row_count: int) -> Resampled:
    """Return statistics of so many rows that are all NaN, to be filled in."""
    return Resampled(
        mean=np.full(row_count, np.nan),
        std=np.full(row_count, np.nan),
        low=np.full(row_count, np.nan),
        high=np.full(row_count, np.nan),
    )


class _RowGroup(NamedTuple):
    """Rows that have values for the same queries, and so share one drawing."""

    rows: np.ndarray  #: int (rows of the group,), their numbers among all rows
    has_value: np.ndarray  #: bool (queries,)


def _group_rows(values: np.ndarray) -> list[_RowGroup]:
    """Group the rows of values (rows, queries) by the queries for which they are not NaN."""
    query_masks, mask_of_row = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    mask_of_row = mask_of_row.ravel()  # numpy 2.0 alone returns a column

    groups = []
    for mask_number, has_value in enumerate(query_masks):
        rows = np.flatnonzero(mask_of_row == mask_number)
        groups.append(_RowGroup(rows, has_value))
    return groups


def _draw_queries(has_value: np.ndarray, resamples: int, seed: int, draw: Draw) -> np.ndarray:
    """Draw queries with replacement, and count how often each query with a value is drawn.

    Args:
        has_value: bool array (queries,).
        resamples: number of drawings.
        seed: of the drawings.
        draw: "counted" draws from the queries with a value, as many as there are. "all" draws from
            all queries, as many as there are; then a resample has now more, now fewer queries with
            a value.

    Returns:
        Int array (resamples, queries with a value).
    """
    random = np.random.default_rng(seed)
    if draw == "counted":
        return _count_draws(random, int(has_value.sum()), resamples)

    draws_of_all = _count_draws(random, len(has_value), resamples)
    return draws_of_all[:, has_value]


def _count_draws(random: np.random.Generator, query_count: int, resamples: int) -> np.ndarray:
    """Draw as many queries as there are, with replacement: ints (resamples, query_count).

    An item is how often a query is drawn in a resample.
    """
    probabilities = np.full(query_count, 1 / query_count)
    return random.multinomial(query_count, probabilities, resamples)


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
