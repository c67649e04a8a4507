"""Average per-query values over the two official folds of a collection, and over subsets.

    perquery = pt.Experiment(systems, topics, qrels, measures, names=names, perquery=True)
    fold_mean(perquery, "csfcube/method")                     # dev and test
    by_subset(perquery, "csfcube/all")                        # the same for each facet
    by_subset(perquery, "litsearch", by="specificity")        # plain means over groups

Conventions [Mysore et al. 2021, `evaluation_splits.json`]: each query is in the dev part of one
fold and in the test part of the other. *test* is the unweighted mean of the two folds' test means
(not the mean over queries). *dev* is the mean over fold 1's dev queries only, because the mean over
both dev parts would be the test figure. (So does the script; the datasheet averages both.)
"""

from collections.abc import Iterable, Mapping

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.facets import split

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from .measure_names import check_perquery
from .query_groups import By, queries_by

#: reported split -> the parts of folds whose means are averaged
SPLITS = {"dev": ("fold1/dev",), "test": ("fold1/test", "fold2/test")}
SYSTEM = ["name", "measure"]


@check_arguments
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
    perquery = check_perquery(perquery, warn=True)
    return _average_folds(perquery, _read_fold_queries(dataset))


@check_arguments
def by_subset(perquery: pd.DataFrame, subsets: object, by: By | None = None) -> pd.DataFrame:
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
        ValueError: a missing query, or an unknown field.
    """
    perquery = check_perquery(perquery, warn=True)
    if by is not None:
        return _average_groups(perquery, queries_by(subsets, by))
    if isinstance(subsets, Mapping):
        return _average_groups(perquery, subsets)
    return _average_facets(perquery, subsets)


def folds(dataset: DatasetLike) -> list[pd.DataFrame]:
    """Return the topics of the two folds' test parts, as `pt.KFoldGridSearch` takes them.

    For each fold, grid search tunes on the queries of the other, which are this fold's dev part,
    and returns results for its test part. So the results cover all queries of `dataset`. Its
    metric must be a string: ``pt.KFoldGridSearch(system, grid, folds(dataset), qrels, "NDCG%20")``.
    Returns two frames of `qid` and `query`.
    """
    queries_by_part = _read_fold_queries(dataset)
    text_by_query = {query.query_id: query.default_text() for query in irds(dataset).queries_iter()}

    topics = []
    for part in SPLITS["test"]:
        query_ids = queries_by_part[part]
        texts = [text_by_query[query_id] for query_id in query_ids]
        topics.append(pt.new.queries(texts, query_ids))
    return topics


def has_folds(dataset: DatasetLike) -> bool:
    """Return whether a dataset has the two folds that `fold_mean` averages over."""
    return f"{irds(dataset).dataset_id()}/fold1/test" in ir_datasets.registry


def _read_fold_queries(dataset: DatasetLike) -> dict[str, list[str]]:
    """Return the query ids of every part of a fold that `SPLITS` names."""
    name = irds(dataset).dataset_id()
    queries_by_part: dict[str, list[str]] = {}
    for parts in SPLITS.values():
        for part in parts:
            try:
                part_of_dataset = irds(f"{name}/{part}")
            except ValueError as error:
                raise ValueError(_describe_missing_folds(name)) from error
            queries_by_part[part] = [query.query_id for query in part_of_dataset.queries_iter()]
    return queries_by_part


def _describe_missing_folds(name: str) -> str:
    """Return the error's message for a dataset without folds."""
    return (
        f"{name} has no folds: expected a collection with {name}/fold1/dev and so on, such as "
        "csfcube/all. For means over groups of queries, pass by_subset the name of a field: "
        "by='query_type'. against_baseline needs no folds."
    )


def _average_folds(
    perquery: pd.DataFrame, queries_by_part: Mapping[str, list[str]]
) -> pd.DataFrame:
    """Return `name`, `measure`, `split`, `value`, as `fold_mean` does.

    queries_by_part: the query ids of the parts that `SPLITS` names.
    """
    mean_by_split = {}
    for split_name, parts in SPLITS.items():
        part_means = [_average(perquery, queries_by_part[part], part) for part in parts]
        mean_by_split[split_name] = sum(part_means) / len(part_means)

    means = pd.concat(mean_by_split, names=["split"]).reset_index()
    # merged into the systems, because a group-by may have sorted them otherwise
    systems = perquery[SYSTEM].drop_duplicates()
    return systems.merge(means[[*SYSTEM, "split", "value"]], on=SYSTEM)


def _average_facets(perquery: pd.DataFrame, dataset: DatasetLike) -> pd.DataFrame:
    """Return the mean of each split for the queries of each facet."""
    queries_by_part = _read_fold_queries(dataset)
    facets: list[str] = []  # in the order of their first queries
    for query_ids in queries_by_part.values():
        for query_id in query_ids:
            facet = _read_facet(query_id)
            if facet not in facets:
                facets.append(facet)

    facet_means = []
    for facet in facets:
        facet_queries = {
            part: [query_id for query_id in query_ids if _read_facet(query_id) == facet]
            for part, query_ids in queries_by_part.items()
        }
        facet_means.append(_average_folds(perquery, facet_queries).assign(subset=facet))

    columns = [*SYSTEM, "subset", "split", "value"]
    return pd.concat(facet_means, ignore_index=True)[columns]


def _read_facet(query_id: str) -> str:
    """Return the facet of a query id ``<paper>_<facet>``."""
    _, facet = split(query_id)  # the function of `facets`, not a split of folds
    return facet


def _average_groups(
    perquery: pd.DataFrame, queries_by_group: Mapping[object, Iterable[str]]
) -> pd.DataFrame:
    """Return the plain mean of each group of queries."""
    group_means = []
    for group, query_ids in queries_by_group.items():
        means = _average(perquery, list(query_ids), group).reset_index()
        group_means.append(means.assign(subset=group))

    columns = [*SYSTEM, "subset", "value"]
    return pd.concat(group_means, ignore_index=True)[columns]


def _average(perquery: pd.DataFrame, query_ids: list[str], subset: object) -> pd.Series:
    """Return the mean over queries of each system and measure; ValueError for a missing query.

    subset: the name of these queries, for the error.
    """
    for (name, measure), rows in perquery.groupby(SYSTEM, sort=False):
        evaluated = set(rows["qid"])
        missing_ids = [query_id for query_id in query_ids if query_id not in evaluated]
        if missing_ids:
            raise ValueError(
                f"{name!r} has no {measure} for {len(missing_ids)} of the {len(query_ids)} queries "
                f"of {subset}: {some(missing_ids)}. Evaluate it on all queries of the dataset."
            )

    rows_of_subset = perquery[perquery["qid"].isin(query_ids)]
    return rows_of_subset.groupby(SYSTEM, sort=False)["value"].mean()
