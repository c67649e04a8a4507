"""Systems against a baseline, with what a mean over few queries allows to be said."""

import pandas as pd

from ir_datasets_ext.facets import split

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
        compared(rows, baseline, resamples, seed).assign(subset=subset)
        for subset, rows in parts.items()
    ]
    keys = ["name", "measure", "subset"]
    columns = [*keys, "low", "high", "difference", "p", "better", "worse"]
    tests = pd.concat(tested)[columns]
    return official[[*keys, "value"]].merge(tests, on=keys).reset_index(drop=True)


def compared(perquery, baseline, resamples=1000, seed=0):
    """Bootstrap figures of systems over some queries, and how they compare with one of them.

    Returns:
        What `bootstrap` does, and `difference`, `p`, `better`, `worse` (see `against_baseline`)
        over the queries that count for both; NaN where the baseline has no value at all.
    """
    found = bootstrap(perquery, resamples=resamples, seed=seed)
    table = perquery.pivot(index=["name", "measure"], columns="qid", values="value")
    rows = [_difference(table, baseline, *pair) for pair in zip(found["name"], found["measure"])]
    columns = ["difference", "p", "better", "worse"]
    return pd.concat([found, pd.DataFrame(rows, columns=columns)], axis=1)


def _difference(table, baseline, name, measure):
    if (baseline, measure) not in table.index:
        return (float("nan"),) * 4
    values, base = table.loc[(name, measure)], table.loc[(baseline, measure)]
    gains = values - base
    p = float("nan") if name == baseline else paired_t(values, base).pvalue
    return gains.mean(), p, (gains > 0).sum(), (gains < 0).sum()
