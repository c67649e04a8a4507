"""Correlate two measures over systems: how well does one predict the other?

::

    averages = pt.Experiment(systems, topics, qrels, ["AP", "rHSA"], names=names)
    correlate(averages, "AP", "rHSA")  # Pearson's R and Spearman's ρ with intervals
"""

from collections.abc import Callable

import pandas as pd

from ..arguments import InnerShare, check_arguments
from ..stats.correlation import pearson, spearman
from .measure_names import Named, column_of

#: name, as papers print it -> function from two arrays and a level of confidence
COEFFICIENTS: dict[str, Callable] = {"R": pearson, "ρ": spearman}


@check_arguments
def correlate(
    results: pd.DataFrame, x: Named, y: Named, confidence: InnerShare = 0.95
) -> pd.DataFrame:
    """Measure how well one measure predicts another across systems.

    Args:
        results: averages of `pt.Experiment`, a row per system; or any frame with the two columns.
        x, y: the measures, as objects or strings ("map" or "AP"), or names of columns.
        confidence: of the intervals, within 0..1.

    Returns:
        Frame of two rows: `coefficient` ("R", Pearson's, and "ρ", Spearman's, in which tied systems
        share a rank), `value`, `low`, `high` (Fisher's interval; for ρ with Bonett and Wright's
        variance), `systems` (their number, without those with a NaN). `low` and `high` are NaN for
        fewer than four systems and for coefficients of ±1. Few systems give wide intervals.

    Raises:
        ValueError: a missing column, one that is no number, or `confidence` out of range.
    """
    points = select_points(results, x, y)
    x_values, y_values = points.to_numpy().T

    rows = []
    for name, compute in COEFFICIENTS.items():
        coefficient = compute(x_values, y_values, confidence)
        rows.append(
            {
                "coefficient": name,
                "value": coefficient.value,
                "low": coefficient.low,
                "high": coefficient.high,
                "systems": len(points),
            }
        )
    return pd.DataFrame(rows)


def select_points(results: pd.DataFrame, x: Named, y: Named) -> pd.DataFrame:
    """Return the columns of two measures as floats, without rows that have a NaN."""
    columns = []
    for measure in (x, y):
        is_column = measure in results.columns
        columns.append(measure if is_column else column_of(measure, results.columns))
    return results[columns].dropna().astype(float)
