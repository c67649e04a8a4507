"""Figures: means over groups of queries, their bootstrap, and tests against baselines.

    perquery = pt.Experiment(systems, topics, qrels, measures, names=names, perquery=True)
    fold_mean(perquery, "csfcube/method")                     # dev and test
    by_subset(perquery, "litsearch", by="specificity")        # plain means over groups
    bootstrap(perquery, ["NDCG%20"])                          # value, std, low, high, queries
    against_baseline(perquery, "csfcube/all", "bm25")         # value, interval, difference, p, …

Conventions: *values* are a frame as of `pt.Experiment(…, perquery=True)`, one row for each system,
measure and query: `name`, `qid`, `measure`, `value`; NaN for a query that its collection leaves
out. *Figures* are a long frame, a row for each system (`name`), `subset` and `measure`, with any of

- `value` (the mean over the parts of a subset, see `groups`), `std`, `low`, `high` (of the
  bootstrapped mean over its queries), `queries` (number that count);
- `baseline`, `difference`, `p`, `better`, `equal`, `worse`, `detectable` (TESTS);
- `label`, `table`, `paper`, `measure_verified`, `system_verified` of a printed figure, see
  `printed`.

So figures of every kind are merged on FIGURE. What `describe` and `compare` also read of values, if
they have it: `answered` (whether the system has results for the query) and `was_run` (False for
results that a user passed); `judgements` (a name of those that a system was evaluated with); and
EFFECTS, what unjudged documents may hide (see `unjudged_effects`).
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from .. import frames
from ..choices import check_option
from ..datasets import DatasetLike, irds
from ..frames import some
from ..stats import correct_pvalues, resample_means
from ..stats.corrections import Correction
from ..stats.paired_tests import compare_pairs, explain_missing_tests
from ..stats.resampling import Draw
from .groups import ALL, By, Groups, group_queries, has_folds, make_groups, queries_by, read_folds
from .measure_names import Named, column_of, list_measures, warn_of_means

#: frames with the columns that the module's docstring lists
Values: TypeAlias = pd.DataFrame
Figures: TypeAlias = pd.DataFrame

SYSTEM = ["name", "measure"]
FIGURE = [*SYSTEM, "subset"]
EFFECTS = ["judged_share", "condensed"]
TESTS = ["difference", "p", "better", "equal", "worse", "detectable"]


def fold_mean(perquery: pd.DataFrame, dataset: DatasetLike) -> pd.DataFrame:
    """Average per-query values over the two folds, as the collection's own script does.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
            Means skip NaN (a query that its collection leaves out).
        dataset: one with folds, e.g. ``"irds:csfcube/method"``, whose queries the values are of.

    Returns:
        Frame `name`, `measure`, `split` ("dev", "test"), `value`.

    Raises:
        ValueError: a dataset without folds, or a query of a split missing from the rows.

    Warns:
        UserWarning: for rHSA, whose average is no mean of queries.
    """
    values = check_values(perquery)
    warn_of_means(values["measure"].unique())
    groups = read_folds(dataset).assign(subset=ALL)
    check_completeness(values, groups)
    return average(values, groups)[[*SYSTEM, "split", "value"]]


def by_subset(
    perquery: pd.DataFrame,
    subsets: DatasetLike | Mapping[Any, Iterable[str]],
    by: By | None = None,
) -> pd.DataFrame:
    """Average per-query values over subsets of the queries.

    Args:
        perquery: as for `fold_mean`.
        subsets: a dict from a name to query ids, for plain means over these queries; or a dataset,
            which `by` divides. Without `by` it is the `all` subset of a faceted collection
            (``"irds:csfcube/all"``), for the `fold_mean` of each facet.
        by: a field of the dataset's queries, such as ``"paper_type"`` or LitSearch's ``"source"``,
            or a function, as for `queries_by`, for plain means over each group.

    Returns:
        Frame `name`, `measure`, `subset`, (`split`,) `value`.

    Raises:
        ValueError: a missing query, a subset without queries, or an unknown field.
    """
    values = check_values(perquery)
    warn_of_means(values["measure"].unique())
    if by is not None:
        groups = make_groups(queries_by(subsets, by))
    elif isinstance(subsets, Mapping):
        groups = _group_named_subsets(subsets)
    else:
        groups = read_folds(subsets)
        facet_of_query = {query.query_id: query.facet for query in irds(subsets).queries_iter()}
        groups["subset"] = groups["qid"].map(facet_of_query)
    check_completeness(values, groups)
    return average(values, groups)


def _group_named_subsets(ids_by_subset: Mapping[Any, Iterable[str]]) -> Groups:
    """Return the groups of a user's subsets; ValueError for one without queries, and no mean."""
    groups = make_groups(ids_by_subset)
    filled_names = set(groups["subset"])
    empty_names = [name for name in ids_by_subset if name not in filled_names]
    if not ids_by_subset:
        raise ValueError("subsets={}: expected a dict from a name to the ids of its queries.")
    if empty_names:
        raise ValueError(
            f"subsets: {some(empty_names)} without queries. Leave them out, or pass the ids of "
            "their queries."
        )
    return groups


def average(values: Values, groups: Groups) -> Figures:
    """Average over the queries of each part, and then over the parts of each subset.

    NaN does not count, but a part of nothing but NaN gives NaN.

    Args:
        values: frame `name`, `qid`, `measure`, `value`, and perhaps EFFECTS.
        groups: frame `subset`, `part`, `qid`, and perhaps `split`.

    Returns:
        Frame FIGURE, perhaps `split`, `value`, and perhaps EFFECTS; by subset, then by system, both
        in the order of the arguments. Systems without values have no row.
    """
    keys = [*FIGURE, *groups.columns.intersection(["split"])]
    averaged = ["value", *values.columns.intersection(EFFECTS)]
    joined = groups.merge(values[[*SYSTEM, "qid", *averaged]], on="qid")
    part_means = joined.groupby([*keys, "part"], sort=False)[averaged].mean()
    means = part_means.groupby(keys, sort=False).mean(skipna=False).reset_index()

    # grouping orders rows by subset alone, so all pairs of subset and system give the order
    subsets = groups[["subset"]].drop_duplicates()
    systems = values[SYSTEM].drop_duplicates()
    ordered = subsets.merge(systems, how="cross").merge(means, on=FIGURE)
    return ordered[[*keys, *averaged]]


def check_completeness(values: Values, groups: Groups) -> None:
    """Raise ValueError for a system that lacks a value for a query of the groups.

    Its values may be of another dataset's queries, so the error names some of both.
    """
    query_ids = groups["qid"].unique()
    for (name, measure), ids_of_system in values.groupby(SYSTEM, sort=False)["qid"]:
        evaluated_ids = set(ids_of_system)
        missing_ids = [query_id for query_id in query_ids if query_id not in evaluated_ids]
        if missing_ids:
            raise ValueError(
                f"{name!r} has no {measure} for {len(missing_ids)} of the {len(query_ids)} "
                f"queries: {some(missing_ids)}. Its values are of {some(ids_of_system)}. Evaluate "
                "it on all of these queries, or pass the dataset or ids that its values are of."
            )


def bootstrap(
    perquery: pd.DataFrame,
    measures: Iterable[Named] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    *,
    draw: Draw = "counted",
) -> Figures:
    """Bootstrap an experiment's means over queries.

    Each resample draws queries with replacement, the same ones for all systems. A query with a NaN
    value, which its collection leaves out, does not count. DORIS-MAE's ± is `std` with
    ``draw="all"`` [Wang et al. 2023; the authors' evaluation.py]: they draw 100 of the 100 queries,
    and average over the drawn ones with a relevant abstract.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
        measures: objects or strings to report, in this order (`pt.Experiment` does not keep it),
            such as ``official_measures(dataset)``; None for all in the frame.
        resamples: their number, at least 1.
        seed: equal seeds give equal figures.
        confidence: share of the resampled means between `low` and `high`, within 0..1.
        draw: ``"counted"`` draws as many queries as count for a measure, from these; ``"all"``, as
            many as the frame has, from all.

    Returns:
        Frame `name`, `measure`, `value` (the mean), `std` (standard deviation of the resampled
        means), `low`, `high` (percentile interval), `queries` (number that count).

    Raises:
        ValueError: a missing measure, two values of a system for one query, a number out of range.
    """
    values = check_values(perquery)
    reported = values["measure"].unique()
    if measures is not None:
        reported = [column_of(measure, reported) for measure in list_measures(measures)]
    warn_of_means(reported)

    return _bootstrap_means(values, reported, resamples, seed, confidence, draw)


def _bootstrap_means(
    values: Values,
    measures: Iterable[str],
    resamples: int,
    seed: int,
    confidence: float = 0.95,
    draw: Draw = "counted",
) -> Figures:
    """Return the frame of `bootstrap`; its arguments are checked."""
    # (systems and measures, queries); NaN where a system has no value
    systems = pd.MultiIndex.from_product([values["name"].unique(), measures], names=SYSTEM)
    table = values.pivot(index=SYSTEM, columns="qid", values="value").reindex(systems)
    values_of_systems = table.to_numpy(dtype=float)

    means = resample_means(values_of_systems, resamples, seed, confidence, draw)
    figures = {
        "value": means.mean,
        "std": means.std,
        "low": means.low,
        "high": means.high,
        "queries": (~np.isnan(values_of_systems)).sum(axis=1),
    }
    return pd.DataFrame(figures, index=systems).reset_index()


def against_baseline(
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    baseline: str | Sequence[str],
    resamples: int = 1000,
    seed: int = 0,
    *,
    by: By | None = None,
    correction: Correction | None = None,
) -> Figures:
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
        Frame, a row for each system, measure and subset, and with a list of baselines for each of
        them, too:

        - `name`, `measure`, `subset` ("all", then the groups), `baseline` (with a list only);
        - `value`: with folds, the mean of the two folds' test means, for all queries and for
          facets; else the mean over queries;
        - `low`, `high`: 95 % bootstrap interval of the mean over queries; `queries`: their number;
        - `difference`: to the baseline, mean over queries;
        - `p`: two-sided paired t-test; 1 where all differences are 0; NaN for the baseline itself,
          and where all differences are one other number: a warning names these;
        - `better`, `equal`, `worse`: numbers of queries;
        - `detectable`: the smallest difference that so many queries can show in a single test,
          see `smallest_difference`.

    Raises:
        ValueError: an unknown `baseline` or field, no query of the dataset, a missing query.
    """
    values = check_values(perquery)
    baselines = choose_baselines(baseline, values["name"].unique())

    groups = _choose_groups(values, dataset, by)
    check_completeness(values, groups)

    figures = describe(values, groups, resamples, seed).drop(columns=["std", "evaluated"])
    tests = compare(figures, values, groups, baselines, correction)
    missing_tests = explain_missing_tests(tests, FIGURE)
    if missing_tests:
        warnings.warn(missing_tests, stacklevel=2)

    # each figure has a row for each baseline, also where that one has no value to test against
    figure_rows = figures.merge(pd.DataFrame({"baseline": baselines}), how="cross")
    compared = figure_rows.merge(tests, on=[*FIGURE, "baseline"], how="left")
    return compared.drop(columns="baseline") if isinstance(baseline, str) else compared


def _choose_groups(values: Values, dataset: DatasetLike, by: By | None) -> Groups:
    """Return the groups of a dataset's queries that are compared; ValueError if there are none.

    Without folds these are the queries with values: pt.Experiment has none for a query without
    judgements. A mean over folds would change with the queries, so with folds all are needed.
    """
    groups = group_queries(dataset, by)
    evaluated_groups = groups[groups["qid"].isin(values["qid"].unique())]
    if evaluated_groups.empty:
        raise ValueError(
            f"The values are of no query of {irds(dataset).dataset_id()}: they are of "
            f"{some(values['qid'].unique())}. Pass the dataset that they are of."
        )
    return groups if has_folds(dataset) else evaluated_groups


def choose_baselines(chosen: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Return one baseline, or several, each once; ValueError for none, or no system's name."""
    baselines = [chosen] if isinstance(chosen, str) else list(dict.fromkeys(chosen))
    if not baselines:
        raise ValueError(f"baseline=[]: expected the names of one system or more of: {some(names)}")
    for baseline in baselines:
        check_option("baseline", baseline, names)
    return baselines


def describe(values: Values, groups: Groups, resamples: int = 1000, seed: int = 0) -> Figures:
    """Return the figures of each subset, with their bootstrap.

    Args:
        values: frame `name`, `qid`, `measure`, `value`, and perhaps EFFECTS, and `answered` and
            `was_run`, see `split_values`.
        groups: frame `subset`, `part`, `qid`.
        resamples, seed: of `bootstrap`.

    Returns:
        Frame FIGURE, `value` (the mean over the parts; so are EFFECTS), `std`, `low`, `high` (of
        the bootstrap over all queries of the subset), `queries` (number that count), `evaluated`
        (their number with those of a NaN, which the collection leaves out), and perhaps `answered`
        (how many have results); by subset, then by system.

    Warns:
        UserWarning: for rHSA, whose average is no mean of queries.
    """
    measures = values["measure"].unique()
    warn_of_means(measures, stacklevel=4)
    spreads = []
    for subset, values_of_subset in split_values(values, groups):
        spread = _bootstrap_means(values_of_subset, measures, resamples, seed)
        spreads.append(spread.assign(subset=subset).drop(columns="value"))

    counted = {"evaluated": ("qid", "size")}
    if "answered" in values:
        counted["answered"] = ("answered", "sum")
    counts = groups.merge(values, on="qid").groupby(FIGURE).agg(**counted)

    figures = average(values, groups).merge(pd.concat(spreads), on=FIGURE)
    return figures.merge(counts, on=FIGURE)


def compare(
    figures: Figures,
    values: Values,
    groups: Groups,
    baselines: Sequence[str],
    correction: Correction | None = None,
) -> Figures:
    """Test figures against those of each baseline, and correct all p-values together.

    Args:
        figures: frame with FIGURE, what is tested.
        values: as for `describe`; with `judgements`, only systems under those of the baseline are
            tested, because a difference might be one of the judgements.
        groups: frame `subset`, `qid`.
        baselines: names of systems.
        correction: see `correct_pvalues`.

    Returns:
        Frame FIGURE, `baseline`, and TESTS: `difference` (mean over queries), `p` (of the two-sided
        paired t-test; NaN for the baseline itself), `better`, `equal`, `worse` (numbers of
        queries), `detectable` (of `smallest_difference`; NaN for the baseline itself). It is in the
        order of the baselines, and then of the figures. A figure of a measure that a baseline lacks
        has no row.
    """
    tests = []
    for subset, values_of_subset in split_values(values, groups):
        for baseline in baselines:
            of_baseline = values_of_subset[values_of_subset["name"] == baseline]
            comparable = values_of_subset
            if "judgements" in values:
                has_judgements = comparable["judgements"].isin(of_baseline["judgements"].unique())
                comparable = comparable[has_judgements]

            pairs = comparable[[*SYSTEM, "qid", "value"]].merge(
                of_baseline[["measure", "qid", "value"]],
                on=["measure", "qid"],
                suffixes=("", "_of_baseline"),
            )
            for (name, measure), pairs_of_system in pairs.groupby(SYSTEM):
                test = compare_pairs(pairs_of_system["value"], pairs_of_system["value_of_baseline"])
                if name == baseline:
                    test["p"] = np.nan
                keys = {"name": name, "measure": measure, "subset": subset, "baseline": baseline}
                tests.append(keys | test)

    # an inner join has the order of its left frame
    tested_figures = pd.DataFrame({"baseline": baselines}).merge(figures[FIGURE], how="cross")
    all_tests = pd.DataFrame(tests, columns=[*FIGURE, "baseline", *TESTS])
    tests_of_figures = tested_figures.merge(all_tests, on=[*FIGURE, "baseline"])
    if correction is not None:
        tests_of_figures["p"] = correct_pvalues(tests_of_figures["p"], correction)
    return tests_of_figures


def split_values(values: Values, groups: Groups) -> Iterator[tuple[Any, Values]]:
    """Yield each subset with the values of its queries; subsets without values are left out.

    Results that a user passed may be of one facet alone. So, if values have the columns `answered`
    and `was_run`, results that answer no query of a subset have no values in it. A system that was
    run ranked these queries, and each one counts as 0.
    """
    for subset, query_ids in groups.groupby("subset", sort=False)["qid"]:
        values_of_subset = values[values["qid"].isin(query_ids)]
        if "answered" in values_of_subset:
            answers_some = values_of_subset.groupby("name")["answered"].transform("any")
            values_of_subset = values_of_subset[values_of_subset["was_run"] | answers_some]
        if not values_of_subset.empty:
            yield subset, values_of_subset


def check_values(perquery: pd.DataFrame) -> Values:
    """Return a frame that is as `pt.Experiment(..., perquery=True)` returns it, or raise an error.

    Categories become objects, because pandas groups by unused categories, too. Further columns are
    dropped, because they may be called as those that tables add to values, such as EFFECTS.

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: two values of a system for one query.
    """
    values = frames.check(
        perquery,
        "values of each query",
        [*SYSTEM, "qid", "value"],
        remedy="Pass what `pt.Experiment(…, perquery=True)` returns.",
        keys=[],
    )
    if values.duplicated([*SYSTEM, "qid"]).any():
        raise ValueError("a system has two values for one query: pass distinct `names`")
    return values[[*SYSTEM, "qid", "value"]]
