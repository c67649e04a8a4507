"""Differences of systems to a baseline over queries: means, intervals, tests, what can be seen.

    compare_means(values, baseline="bm25", groups={"method": ["1", "2"]})

`detectable` is the smallest mean difference that so many queries can show, see
`stats.smallest_difference`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..stats import correct_pvalues, resample_means
from ..stats.paired_tests import compare_pairs

ALL = "all"  #: the group of all queries
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
            row = {
                "name": name,
                "subset": subset,
                "queries": len(pairs),
                "value": pairs[name].mean(),
                "baseline_value": pairs[baseline].mean(),
                **compare_pairs(pairs[name], pairs[baseline]),
            }
            if len(pairs):
                differences = (pairs[name] - pairs[baseline]).to_numpy()
                means = resample_means(differences[np.newaxis], resamples, seed)
                row |= {"low": means.low[0], "high": means.high[0]}
            rows.append(row)

    overview = pd.DataFrame(rows, columns=COLUMNS)
    return overview.assign(p_holm=correct_pvalues(overview["p"]))
