"""Tests of a table's figures against further baselines, and corrections for all tests together.

further = compare_with_further(columns, values, ["bm25", "specter"])
figures, further = correct_together(figures, further, "holm")
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from ..stats import correct_pvalues
from ..stats.corrections import Correction
from .column_figures import compute_figures
from .table_columns import Column
from .table_content import COMPARISON_COLUMNS


def compare_with_further(
    columns: Iterable[Column], values: pd.DataFrame, baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the tests of each system's figures against baselines beside the first one.

    Args:
        columns, values: as for `compute_figures`.
        baselines: names of systems, which may be none.

    Returns:
        Frame with COMPARISON_COLUMNS, a row for each figure and baseline.
    """
    if not baselines:
        return pd.DataFrame(columns=COMPARISON_COLUMNS)

    columns = list(columns)
    tests_by_baseline = []
    for baseline in baselines:
        # no interval is read from these figures, so one resample does
        figures = compute_figures(columns, values, baseline, resamples=1, seed=0)
        is_tested = figures["name"].ne(baseline) & figures["difference"].notna()
        tests = figures[is_tested].assign(baseline=baseline)
        tests_by_baseline.append(tests[COMPARISON_COLUMNS])
    return pd.concat(tests_by_baseline, ignore_index=True)


def correct_together(
    figures: pd.DataFrame, further: pd.DataFrame, correction: Correction
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames with `p` corrected for the number of p-values in both together.

    Args:
        figures: of `compute_figures`, tested against the first baseline.
        further: of `compare_with_further`.
        correction: see `correct_pvalues`.
    """
    all_pvalues = [*figures["p"], *further["p"]]
    corrected = correct_pvalues(all_pvalues, correction)
    return (
        figures.assign(p=corrected[: len(figures)]),
        further.assign(p=corrected[len(figures) :]),
    )
