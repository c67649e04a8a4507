"""Systems against a baseline, with what a mean over few queries allows to be said."""

import pandas as pd

from ir_datasets_ext._facets import split

from ..stats import paired_t
from .bootstrapping import bootstrap
from .folds import by_subset, fold_mean

TEST = "split == 'test'"


def against_baseline(perquery, dataset, baseline, resamples=1000, seed=0):
    """Compare systems with one of them on the test parts, over all facets and in each.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
        dataset: the `all` subset of a faceted collection with folds (``"irds:csfcube/all"``).
        baseline: name of the system that the others are compared with.
        resamples, seed: of `bootstrap`.

    Returns:
        Frame `name`, `measure`, `subset` ("all", then the facets), `value` (the official figure:
        mean of the two folds' test means), `low`, `high` (95 % bootstrap interval of the mean over
        queries), `difference` (to the baseline, mean over queries), `p` (two-sided paired t-test;
        NaN for the baseline itself), `better`, `worse` (numbers of queries).

    Raises:
        ValueError: there is no system `baseline`, the dataset has no folds, a query is missing.
    """
    names = list(perquery["name"].unique())
    if baseline not in names:
        raise ValueError(f"No system is called {baseline!r}: there are {', '.join(names)}.")
    official = pd.concat(
        [fold_mean(perquery, dataset).assign(subset="all"), by_subset(perquery, dataset)]
    ).query(TEST)
    facets = perquery["qid"].map(lambda qid: split(qid)[1])
    parts = {
        subset: perquery if subset == "all" else perquery[facets == subset]
        for subset in official["subset"].unique()
    }
    tested = [
        _tested(rows, baseline, resamples, seed).assign(subset=subset)
        for subset, rows in parts.items()
    ]
    keys = ["name", "measure", "subset"]
    return official[[*keys, "value"]].merge(pd.concat(tested), on=keys).reset_index(drop=True)


def _tested(rows, baseline, resamples, seed):
    """`low` to `worse` of each system and measure over these queries."""
    ends = bootstrap(rows, resamples=resamples, seed=seed)[["name", "measure", "low", "high"]]
    table = rows.pivot(index=["name", "measure"], columns="qid", values="value")
    found = []
    for name, measure in zip(ends["name"], ends["measure"]):
        values, base = table.loc[name, measure], table.loc[baseline, measure]
        gains = values - base
        p = float("nan") if name == baseline else paired_t(values, base).pvalue
        found.append((gains.mean(), p, (gains > 0).sum(), (gains < 0).sum()))
    columns = ["difference", "p", "better", "worse"]
    return pd.concat([ends, pd.DataFrame(found, columns=columns)], axis=1)
