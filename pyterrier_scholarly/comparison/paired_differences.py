"""Differences of systems to a baseline over queries: means, intervals, tests, what can be seen.

    compare_means(values, baseline="bm25", groups={"method": ["1", "2"]})

`detectable` is the smallest mean difference that so many queries can show, see
`stats.smallest_difference`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..stats import correct_pvalues, paired_t, resample_means, smallest_difference

ALL = "all"  #: the group of all queries
EQUAL_WITHIN = 1e-12  # values that differ by no more are equal
COLUMNS = [
    *("name", "subset", "queries", "value", "baseline_value", "difference", "low", "high"),
    *("p", "p_holm", "better", "equal", "worse", "detectable"),
]


def compare_means(
    values: pd.DataFrame,
    baseline: str,
    groups: Mapping[str, Sequence[str]],
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare each system with the baseline, over all queries and over each group.

    Args:
        values: frame of a measure, a row for each query (index `qid`) and a column for each system;
            NaN for a query that the measure leaves out.
        baseline: one of the columns.
        groups: dict from a name to query ids.
        resamples, seed: of the bootstrap.

    Returns:
        Frame with COLUMNS: means over queries, the mean `difference` with its 95 % bootstrap
        interval `low` to `high`, `p` of a paired t-test, `p_holm` (corrected for the number of
        rows), the numbers of queries, and `detectable`.
    """
    subsets = {ALL: values.index, **groups}
    rows = []
    for name in values.columns:
        if name == baseline:
            continue
        for subset, qids in subsets.items():
            pairs = values.loc[list(qids), [name, baseline]].dropna()
            differences = (pairs[name] - pairs[baseline]).to_numpy()
            row = _describe_differences(differences, resamples, seed)
            row["p"] = paired_t(pairs[name], pairs[baseline]).pvalue
            row["value"] = pairs[name].mean()
            row["baseline_value"] = pairs[baseline].mean()
            rows.append({"name": name, "subset": subset, **row})

    overview = pd.DataFrame(rows)
    overview["p_holm"] = correct_pvalues(overview["p"])
    return overview[COLUMNS]


def _describe_differences(
    differences: np.ndarray, resamples: int, seed: int
) -> dict[str, float | int]:
    """Describe a sample of differences (queries,): COLUMNS that need no more than these."""
    difference, low, high = np.nan, np.nan, np.nan
    if len(differences):
        means = resample_means(differences[np.newaxis], resamples, seed)
        difference, low, high = means.mean[0], means.low[0], means.high[0]
    return {
        "queries": len(differences),
        "difference": float(difference),
        "low": float(low),
        "high": float(high),
        "better": int((differences > EQUAL_WITHIN).sum()),
        "equal": int((abs(differences) <= EQUAL_WITHIN).sum()),
        "worse": int((differences < -EQUAL_WITHIN).sum()),
        "detectable": smallest_difference(differences),
    }
