"""How far one measure foretells another: correlation over systems."""

import pandas as pd

from ..stats.correlation import pearson, spearman
from .measures import column_of


def correlate(results, x, y, confidence=0.95):
    """Correlate two measures over systems.

    Args:
        results: averages of `pt.Experiment`, a row per system; or any frame with the two columns.
        x, y: the measures, as objects or as strings however written ("map" or "AP"), or columns.
        confidence: of the intervals, within 0..1.

    Returns:
        Frame of two rows, `coefficient` ("R", Pearson's, and "ρ", Spearman's, in which tied systems
        share a rank), `value`, `low`, `high` (interval; Fisher's, for ρ with Bonett and Wright's
        variance), `systems` (their number; one with a NaN is left out). Fewer than four systems
        give no interval, nor do coefficients of ±1: `low` and `high` are NaN. Few systems give wide
        ones.

    Raises:
        ValueError: a column is missing or no number, or `confidence` is out of range.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence}: expected a number between 0 and 1")
    both = points(results, x, y)
    found = {"R": pearson, "ρ": spearman}
    rows = [
        (name, *function(*both.T.to_numpy(), confidence), len(both))
        for name, function in found.items()
    ]
    return pd.DataFrame(rows, columns=["coefficient", "value", "low", "high", "systems"])


def points(results, x, y):
    """The two columns, without rows that have a NaN: a frame of floats."""
    columns = [m if m in results else column_of(m, results.columns) for m in (x, y)]
    return results[columns].dropna().astype(float)
