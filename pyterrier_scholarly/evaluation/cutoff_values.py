"""Values of a measure at many cut-offs, and values of each query by group, as frames for figures.

by_cutoff(runs, "csfcube/all", "NDCG", percents=range(5, 101, 5))   # plot_cutoffs draws it
by_query(perquery, "csfcube/all", "NDCG%20")                        # plot_queries draws it
"""

from collections.abc import Iterable, Mapping, Sequence

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from .. import frames
from ..arguments import Count, Repeats, Seed, check_arguments
from ..datasets import DatasetLike, irds
from ..measures import NDCG
from .bootstrapped_means import bootstrap
from .measure_names import Named, check_perquery, column_of, measure_of
from .query_groups import By, queries_by

ALL = "all"  # the group of all queries
PERCENTS = tuple(range(5, 101, 5))
CURVE_COLUMNS = ["name", "subset", "cutoff", "measure", "value", "low", "high", "queries"]
QUERY_COLUMNS = ["name", "subset", "qid", "value"]


@check_arguments
def by_cutoff(
    runs: Mapping[str, pd.DataFrame],
    dataset: DatasetLike,
    measure: Named = NDCG,
    percents: Sequence[Count] = PERCENTS,
    *,
    by: By | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Compute a measure at many cut-offs, such as NDCG%k over k.

    A measure at a single cut-off hides where systems differ: at the top, or further down.

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`).
        dataset: id or dataset object with the judgements.
        measure: our `NDCG` in any form, cut after percents of the pool; or a measure that takes a
            cut-off, such as ``R`` or ``"nDCG"`` of ir_measures, which is cut at ranks.
        percents: the cut-offs, percents or ranks.
        by: groups of queries, as for `queries_by` ("facet"); None for all queries alone.
        resamples, seed: of `bootstrap`.

    Returns:
        Frame `name`, `subset` ("all", then the groups), `cutoff`, `measure`, `value` (the mean over
        queries), `low`, `high` (95 % bootstrap interval), `queries` (their number).

    Raises:
        ValueError: no run; a run without results for the dataset's queries; a measure without
            cut-off, or a cut-off that it does not take.
    """
    if not runs:
        raise ValueError("runs={}: expected the results of one system or more.")
    runs = {
        name: frames.check(run, f"by_cutoff, run of {name}", ["qid", "docno", "score"])
        for name, run in runs.items()
    }

    qrels = _read_qrels(dataset)
    topics = pd.DataFrame({"qid": qrels["qid"].unique()}).assign(query="")
    _check_answers(runs, topics, dataset)

    cutoff_by_measure = {_cut(measure_of(measure), cutoff): cutoff for cutoff in percents}
    perquery = pt.Experiment(
        list(runs.values()),
        topics,
        qrels,
        list(cutoff_by_measure),
        names=list(runs),
        perquery=True,
    )

    groups: dict[object, Iterable[str]] = {ALL: topics["qid"]}
    if by is not None:
        groups.update(queries_by(dataset, by))
    means = _average_groups(perquery, groups, resamples, seed)

    cutoff_by_name = {str(cut_measure): cutoff for cut_measure, cutoff in cutoff_by_measure.items()}
    means["cutoff"] = means["measure"].map(cutoff_by_name)
    curves = _sort_curves(means, list(groups), list(runs))
    return curves[CURVE_COLUMNS]


@check_arguments
def by_query(
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    measure: Named = "NDCG%20",
    *,
    by: By | None = None,
) -> pd.DataFrame:
    """List each query's value with its group, for each system.

    Args:
        perquery: frame of ``pt.Experiment(…, perquery=True)``: `name`, `qid`, `measure`, `value`.
        dataset: id or dataset object whose queries the values are of.
        measure: one of its measures.
        by: groups of queries, as for `queries_by` ("facet"); None for one group, "all".

    Returns:
        Frame `name`, `subset` (in the order of `queries_by`), `qid`, `value`; without queries that
        the measure leaves out.

    Raises:
        ValueError: a missing measure, or no query of the dataset.
    """
    perquery = check_perquery(perquery)
    column = column_of(measure, perquery["measure"].unique())
    values = perquery[perquery["measure"] == column].dropna(subset="value")

    if by is None:
        groups: Mapping[object, Iterable[str]] = {
            ALL: [query.query_id for query in irds(dataset).queries_iter()]
        }
    else:
        groups = queries_by(dataset, by)

    grouped_values = []
    for group, query_ids in groups.items():
        values_of_group = values[values["qid"].isin(set(query_ids))]
        grouped_values.append(values_of_group.assign(subset=group))
    listed = pd.concat(grouped_values, ignore_index=True)[QUERY_COLUMNS]
    if listed.empty:
        raise ValueError(
            f"The values are of no query of {irds(dataset).dataset_id()}. Pass the dataset that "
            "they are of."
        )
    return listed


def _read_qrels(dataset: DatasetLike) -> pd.DataFrame:
    """Return a dataset's judgements with PyTerrier's columns `qid`, `docno`, `label`."""
    qrels = pd.DataFrame(irds(dataset).qrels_iter())
    return qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def _check_answers(
    runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, dataset: DatasetLike
) -> None:
    """Raise ValueError for a run that has no results for any query of `topics`."""
    for name, run in runs.items():
        has_results = run["qid"].isin(topics["qid"]).any()
        if not has_results:
            # only here, because a dataset without an id is allowed
            dataset_name = irds(dataset).dataset_id()
            raise ValueError(
                f"{name} has no results for the queries of {dataset_name}. Pass its run there."
            )


def _average_groups(
    perquery: pd.DataFrame, groups: Mapping[object, Iterable[str]], resamples: int, seed: int
) -> pd.DataFrame:
    """Return the bootstrapped means of each group of queries, named in the column `subset`.

    groups: dict from a group's name to its query ids; one without values is left out.
    """
    means_of_groups = []
    for group, query_ids in groups.items():
        values_of_group = perquery[perquery["qid"].isin(set(query_ids))]
        if not values_of_group.empty:
            means = bootstrap(values_of_group, resamples=resamples, seed=seed)
            means_of_groups.append(means.assign(subset=group))
    return pd.concat(means_of_groups, ignore_index=True)


def _sort_curves(
    means: pd.DataFrame, groups: Sequence[object], system_names: Sequence[str]
) -> pd.DataFrame:
    """Sort rows by group, then by system, both in the given order, then by cut-off."""
    group_numbers = means["subset"].map(groups.index)
    system_numbers = means["name"].map(system_names.index)
    order = np.lexsort([means["cutoff"], system_numbers, group_numbers])  # the last key counts most
    return means.iloc[order].reset_index(drop=True)


def _cut(measure: ir_measures.Measure, cutoff: int) -> ir_measures.Measure:
    """Return the measure cut at a percentage, or at a rank if it takes no percentage."""
    if "percent" in measure.SUPPORTED_PARAMS:
        return measure(percent=cutoff)
    if "cutoff" in measure.SUPPORTED_PARAMS:
        return measure(cutoff=cutoff)
    raise ValueError(
        describe_unknown(
            "measure", str(measure), ["NDCG", "nDCG", "R", "P"], of="those with a cut-off"
        )
    )
