"""A table's figures, tested against one or more baselines.

tested = compute_tested_figures(columns, values, ["bm25", "specter"], 1000, 0, "holm")
tested.figures  # with intervals, and tests against bm25
tested.further  # tests against specter
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from ..stats import correct_pvalues
from ..stats.corrections import Correction
from .column_figures import compute_figures
from .table_columns import Column
from .table_content import COMPARISON_COLUMNS


class TestedFigures(NamedTuple):
    """Figures of this run, and their tests against all baselines.

    figures: of `compute_figures`, tested against the first baseline.
    further: tests against the other baselines, a frame with COMPARISON_COLUMNS.
    """

    figures: pd.DataFrame
    further: pd.DataFrame


def compute_tested_figures(
    columns: Iterable[Column],
    values: pd.DataFrame,
    baselines: Sequence[str],
    resamples: int,
    seed: int,
    correction: Correction | None,
) -> TestedFigures:
    """Return the figures of all columns, tested against the baselines.

    Args:
        columns, values, resamples, seed: as for `compute_figures`.
        baselines: names of systems, at least one.
        correction: for the number of tests of all baselines together; None for none.
    """
    columns = list(columns)
    first_baseline, *further_baselines = baselines
    tested = TestedFigures(
        compute_figures(columns, values, first_baseline, resamples, seed),
        _compare_with_further(columns, values, further_baselines),
    )
    return tested if correction is None else _correct_together(tested, correction)


def _compare_with_further(
    columns: Sequence[Column], values: pd.DataFrame, baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the tests against baselines beside the first one, of which there may be none."""
    if not baselines:
        return pd.DataFrame(columns=COMPARISON_COLUMNS)

    tests_by_baseline = []
    for baseline in baselines:
        # no interval is read from these figures, so one resample does
        figures = compute_figures(columns, values, baseline, resamples=1, seed=0)
        is_tested = figures["name"].ne(baseline) & figures["difference"].notna()
        tests = figures[is_tested].assign(baseline=baseline)
        tests_by_baseline.append(tests[COMPARISON_COLUMNS])
    return pd.concat(tests_by_baseline, ignore_index=True)


def _correct_together(tested: TestedFigures, correction: Correction) -> TestedFigures:
    """Return the frames with `p` corrected for the number of p-values in both together."""
    figures, further = tested
    corrected = correct_pvalues([*figures["p"], *further["p"]], correction)
    return TestedFigures(
        figures.assign(p=corrected[: len(figures)]),
        further.assign(p=corrected[len(figures) :]),
    )
