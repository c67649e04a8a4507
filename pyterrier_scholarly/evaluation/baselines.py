"""Compare systems with one baseline or several, over all queries and over groups of them.

    perquery = pt.Experiment(systems, topics, qrels, measures, names=names, perquery=True)
    against_baseline(perquery, "csfcube/all", "bm25")  # value, interval, difference, p, better
    against_baseline(perquery, "csfcube/all", ["bm25", "specter"], correction="holm")

Conventions: a *system* is a pair of name and measure. Its values are a row with a column per query.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ir_datasets_ext.choices import check_option
from ir_datasets_ext.facets import FACETS

from ..arguments import Repeats, Seed, check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from ..stats import correct_pvalues, paired_t, smallest_difference
from ..stats.corrections import Correction
from ..stats.paired_tests import explain_missing_tests
from .bootstrapped_means import bootstrap
from .folds import SYSTEM, by_subset, fold_mean, has_folds
from .measure_names import check_perquery
from .query_groups import By, queries_by

ALL = "all"  # the subset of all queries


class Difference(NamedTuple):
    """How a system differs from the baseline; NaN for a measure that the baseline lacks.

    difference: the mean over queries.
    p: of the two-sided paired t-test; NaN for the baseline itself.
    better, equal, worse: numbers of queries.
    detectable: of `smallest_difference`; NaN for the baseline itself.
    """

    difference: float = float("nan")
    p: float = float("nan")
    better: float = float("nan")
    equal: float = float("nan")
    worse: float = float("nan")
    detectable: float = float("nan")


DIFFERENCE_COLUMNS = list(Difference._fields)
NO_DIFFERENCE = Difference()


@check_arguments
def against_baseline(
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    baseline: str | Sequence[str],
    resamples: Repeats = 1000,
    seed: Seed = 0,
    *,
    by: By | None = None,
    correction: Correction | None = None,
) -> pd.DataFrame:
    """Compare systems with one of them, or several, over all queries and over groups of them.

    Args:
        perquery, resamples, seed: as for `bootstrap`.
        dataset: an id or dataset object whose queries the values are of, such as
            ``"irds:csfcube/all"``, ``"doris-mae/dev"``, ``"litsearch"`` or ``"made/mine"``.
        baseline: name of the system that the others are compared with; or a list of names, and
            each system is compared with each of them.
        correction: how p-values are corrected for their number, see `correct_pvalues`: all of the
            frame together, over systems, baselines, measures and subsets. None corrects nothing.
        by: groups of queries, as for `queries_by`: ``"query_type"``, LitSearch's ``"source"``. None
            for the facets of ``csfcube/all`` and the like, and for no groups elsewhere.

    Returns:
        Frame `name`, `measure`, `subset` ("all", then the groups), `value` (with folds, the mean of
        the two folds' test means, for all queries and for facets; else the mean over queries),
        `low`, `high` (95 % bootstrap interval of the mean over queries), `queries` (their number),
        `difference` (to the baseline, mean over queries), `p` (two-sided paired t-test; NaN for the
        baseline itself, and where all differences are one number: a warning names these),
        `better`, `equal`, `worse` (numbers of queries), `detectable` (the smallest difference that
        so many queries can show, see `smallest_difference`). With a list of baselines, also
        `baseline`, and a row for each.

    Raises:
        ValueError: an unknown `baseline` or field, no query of the dataset, a missing query.
    """
    perquery = check_perquery(perquery)
    baselines = [baseline] if isinstance(baseline, str) else list(dict.fromkeys(baseline))
    names = list(perquery["name"].unique())
    check_baselines(baselines, names)

    subsets = _find_subsets(perquery, dataset, by)
    means = _average_subsets(subsets, perquery, dataset, by)

    tests = []
    for baseline_name in baselines:
        for subset, query_ids in subsets.items():
            in_subset = perquery[perquery["qid"].isin(query_ids)]
            test = bootstrap_with_differences(in_subset, baseline_name, resamples, seed)
            tests.append(test.assign(subset=subset, baseline=baseline_name))

    keys = [*SYSTEM, "subset"]
    columns = [*keys, "low", "high", "queries", "baseline", *DIFFERENCE_COLUMNS]
    comparisons = means.merge(pd.concat(tests)[columns], on=keys).reset_index(drop=True)
    missing_tests = explain_missing_tests(comparisons, ["name", "measure", "subset"])
    if missing_tests:
        warnings.warn(missing_tests, stacklevel=2)
    if correction is not None:
        comparisons["p"] = correct_pvalues(comparisons["p"], correction)

    has_one_baseline = isinstance(baseline, str)
    return comparisons.drop(columns="baseline") if has_one_baseline else comparisons


def check_baselines(baselines: Sequence[str], names: Sequence[str]) -> None:
    """Raise ValueError unless there is a baseline, and each is one of the systems' names."""
    if not baselines:
        raise ValueError(f"baseline=[]: expected the names of one system or more of: {some(names)}")
    for baseline in baselines:
        check_option("baseline", baseline, names)


def _find_subsets(
    perquery: pd.DataFrame, dataset: DatasetLike, by: By | None
) -> dict[object, Sequence[str]]:
    """Return the ids of each subset's queries that have values: "all", then groups or facets."""
    evaluated_ids = set(perquery["qid"])
    source = irds(dataset)
    all_ids = [query.query_id for query in source.queries_iter()]
    query_ids = [query_id for query_id in all_ids if query_id in evaluated_ids]
    if not query_ids:
        name = source.dataset_id()
        raise ValueError(
            f"The values are of no query of {name}: they are of {some(perquery['qid'].unique())}. "
            "Pass the dataset that they are of."
        )

    groups: dict = {}
    if by is not None:
        groups = queries_by(dataset, by)
    elif has_folds(dataset) and _end_in_facets(query_ids):
        groups = queries_by(dataset, "facet")

    subsets: dict[object, Sequence[str]] = {ALL: query_ids}
    for group, group_ids in groups.items():
        ids_with_values = [query_id for query_id in group_ids if query_id in evaluated_ids]
        if ids_with_values:
            subsets[group] = ids_with_values
    return subsets


def _end_in_facets(query_ids: Iterable[str]) -> bool:
    """Return whether query ids are `<paper>_<facet>`, as in ``csfcube/all``."""
    return all(query_id.rpartition("_")[2] in FACETS for query_id in query_ids)


def _average_subsets(
    subsets: Mapping[object, Sequence[str]],
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    by: By | None,
) -> pd.DataFrame:
    """Return the mean of each system on each subset: `name`, `measure`, `subset`, `value`.

    With folds, "all" and facets have the mean of the two folds' test means; other groups, and
    datasets without folds, have the mean over queries.
    """
    if not has_folds(dataset):
        return by_subset(perquery, subsets)

    means_of_all = _select_test_split(fold_mean(perquery, dataset))
    means = [means_of_all.assign(subset=ALL)]

    groups = {subset: query_ids for subset, query_ids in subsets.items() if subset != ALL}
    are_facets = by is None  # without a choice, a dataset with folds is grouped by facet
    if groups and are_facets:
        means_of_facets = by_subset(perquery, dataset)
        means.append(_select_test_split(means_of_facets))
    elif groups:
        means.append(by_subset(perquery, groups))

    return pd.concat(means)[[*SYSTEM, "subset", "value"]]


def _select_test_split(means: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the split "test"."""
    return means[means["split"] == "test"]


def bootstrap_with_differences(
    perquery: pd.DataFrame, baseline: str, resamples: Repeats = 1000, seed: Seed = 0
) -> pd.DataFrame:
    """Return the frame of `bootstrap` with the columns of `Difference`, a row per system."""
    figures = bootstrap(perquery, resamples=resamples, seed=seed)
    values = perquery.pivot(index=SYSTEM, columns="qid", values="value")

    differences = [
        _compare_with_baseline(values, baseline, system.name, system.measure)
        for system in figures.itertuples(index=False)
    ]
    return pd.concat([figures, pd.DataFrame(differences, columns=DIFFERENCE_COLUMNS)], axis=1)


def _compare_with_baseline(
    values: pd.DataFrame, baseline: str, name: str, measure: str
) -> Difference:
    """Compare a system with the baseline by one measure.

    values: a row per name and measure, a column per query.
    """
    if (baseline, measure) not in values.index:
        return NO_DIFFERENCE

    system_values = values.loc[(name, measure)]
    baseline_values = values.loc[(baseline, measure)]
    gains = system_values - baseline_values

    p = float("nan")
    detectable = float("nan")
    if name != baseline:
        p = paired_t(system_values, baseline_values).pvalue
        detectable = smallest_difference(gains)

    return Difference(
        difference=gains.mean(),
        p=p,
        better=(gains > 0).sum(),
        equal=(gains == 0).sum(),
        worse=(gains < 0).sum(),
        detectable=detectable,
    )
