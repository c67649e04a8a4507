"""Means over the two official folds of CSFCube and similar collections, and over subsets.

Conventions [Mysore et al. 2021, `evaluation_splits.json`]: each query is in the dev part of one
fold and in the test part of the other. *test* is the unweighted mean of the two folds' test means
(not the mean over queries). *dev* is the mean over fold 1's dev queries only, because the mean over
both dev parts would be the test figure.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.facets import split

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from ..protocols import protocol_of
from .measure_names import check_perquery

By = str | Callable[[Any], object]  # of a query, whose fields differ by collection
#: reported split -> the subsets whose means are averaged
SPLITS = {"dev": ("fold1/dev",), "test": ("fold1/test", "fold2/test")}
SYSTEM = ["name", "measure"]


@check_arguments
def fold_mean(perquery: pd.DataFrame, dataset: DatasetLike) -> pd.DataFrame:
    """Average per-query values as the collection's own script does.

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
    check_perquery(perquery, warn=True)
    return _fold_mean(perquery, _fold_queries(dataset))


@check_arguments
def by_subset(perquery: pd.DataFrame, subsets: object, by: By | None = None) -> pd.DataFrame:
    """Average per-query values over subsets of the queries.

    Args:
        perquery: as for `fold_mean`.
        subsets: dict from a name to query ids, for plain means over these queries; or the `all`
            subset of a faceted collection (``"irds:csfcube/all"``), for the `fold_mean` of each
            facet.
        by: a field of the queries, such as ``"paper_type"`` or LitSearch's ``"source"``, or a
            function, as for `queries_by`. `subsets` is then the dataset, and values are plain means
            over each group.

    Returns:
        Frame `name`, `measure`, `subset`, (`split`,) `value`.

    Raises:
        ValueError: a missing query, or an unknown field.
    """
    check_perquery(perquery, warn=True)
    groups = subsets if by is None else queries_by(subsets, by)
    if isinstance(groups, Mapping):
        means = {
            name: _mean(perquery, list(ids), name).reset_index() for name, ids in groups.items()
        }
    else:
        means = _facet_means(perquery, groups)
    frames = [frame.assign(subset=name) for name, frame in means.items()]
    columns = [*SYSTEM, "subset", *(["split"] if "split" in frames[0] else []), "value"]
    return pd.concat(frames, ignore_index=True)[columns]


def folds(dataset: DatasetLike) -> list[pd.DataFrame]:
    """Return the topics of the two folds' test parts, as `pt.KFoldGridSearch` takes them.

    For each fold, grid search tunes on the queries of the other, which are this fold's dev part,
    and returns results for its test part. So the results cover all queries of `dataset`. Its
    metric must be a string: ``pt.KFoldGridSearch(system, grid, folds(dataset), qrels, "NDCG%20")``.
    Returns two frames of `qid` and `query`.
    """
    queries = _fold_queries(dataset)
    texts = {query.query_id: query.default_text() for query in irds(dataset).queries_iter()}
    return [
        pt.new.queries([texts[qid] for qid in queries[subset]], queries[subset])
        for subset in SPLITS["test"]
    ]


@check_arguments
def queries_by(dataset: DatasetLike, by: By) -> dict[object, list[str]]:
    """Group a dataset's queries.

    Args:
        dataset: an id or a dataset object.
        by: name of a field of its queries (CSFCube's ``"paper_type"`` and ``"paper_year"``,
            LitSearch's ``"specificity"`` and ``"quality"``, DORIS-MAE's ``"query_type"``); a group
            that the paper has beside fields (LitSearch's ``"source"``, "inline" or "author"); or a
            function from a query to its group.

    Returns:
        Dict from each value (0 or "" if the release has none), in order, to query ids.

    Raises:
        ValueError: an unknown field; names the nearest, and all.
    """
    source = irds(dataset)
    group_of = by if callable(by) else _group_called(by, source)

    groups: dict = {}
    for query in source.queries_iter():
        groups.setdefault(group_of(query), []).append(query.query_id)
    return dict(sorted(groups.items()))


def _group_called(name: str, dataset: ir_datasets.Dataset) -> Callable[[Any], object]:
    """Return the function from a query to its group: its field `name`, or the protocol's."""
    fields = dataset.queries_cls()._fields
    if name in fields:
        return attrgetter(name)

    protocol = protocol_of(dataset.dataset_id())
    paper_groups = protocol.query_groups if protocol is not None else {}
    if name in paper_groups:
        return paper_groups[name]

    owner = f"the queries of {dataset.dataset_id()}"
    raise ValueError(describe_unknown("field", name, [*fields, *paper_groups], of=owner))


def has_folds(dataset: DatasetLike) -> bool:
    """Return whether a dataset has the two folds that `fold_mean` averages over."""
    return f"{irds(dataset).dataset_id()}/fold1/test" in ir_datasets.registry


def _facet_means(perquery: pd.DataFrame, dataset: DatasetLike) -> dict[str, pd.DataFrame]:
    queries = _fold_queries(dataset)
    facets = dict.fromkeys(split(qid)[1] for qids in queries.values() for qid in qids)
    by_facet = {
        facet: {s: [qid for qid in qids if split(qid)[1] == facet] for s, qids in queries.items()}
        for facet in facets
    }
    return {facet: _fold_mean(perquery, own) for facet, own in by_facet.items()}


def _fold_queries(dataset: DatasetLike) -> dict[str, list[str]]:
    """Return the query ids of every subset that `SPLITS` names."""
    name = irds(dataset).dataset_id()
    try:
        return {
            subset: [query.query_id for query in irds(f"{name}/{subset}").queries_iter()]
            for subsets in SPLITS.values()
            for subset in subsets
        }
    except ValueError as error:
        raise ValueError(
            f"{name} has no folds: expected a collection with {name}/fold1/dev and so on, such as "
            "csfcube/all. For means over groups of queries, pass by_subset the name of a field: "
            "by='query_type'. against_baseline needs no folds."
        ) from error


def _fold_mean(perquery: pd.DataFrame, queries: Mapping[str, list[str]]) -> pd.DataFrame:
    means = {
        name: sum(_mean(perquery, queries[subset], subset) for subset in subsets) / len(subsets)
        for name, subsets in SPLITS.items()
    }
    rows = pd.concat(means, names=["split"]).reset_index()[[*SYSTEM, "split", "value"]]
    return perquery[SYSTEM].drop_duplicates().merge(rows, on=SYSTEM)  # the experiment's order


def _mean(perquery: pd.DataFrame, qids: list[str], subset: object) -> pd.Series:
    """Average over `qids` per system and measure; a missing query is an error."""
    for (name, measure), rows in perquery.groupby(SYSTEM, sort=False):
        missing = sorted({*qids} - {*rows["qid"]}, key=qids.index)
        if missing:
            raise ValueError(
                f"{name!r} has no {measure} for {len(missing)} of the {len(qids)} queries of "
                f"{subset}: {some(missing)}. Evaluate it on all queries of the dataset."
            )
    rows = perquery[perquery["qid"].isin(qids)]
    return rows.groupby(SYSTEM, sort=False)["value"].mean()
