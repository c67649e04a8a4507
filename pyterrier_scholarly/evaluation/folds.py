"""Means over the official two folds of CSFCube and collections in its shape.

Conventions [Mysore et al. 2021, `evaluation_splits.json`]: every query is in the dev part of one
fold and in the test part of the other. *test* is the unweighted mean of the two folds' test means
(not the mean over queries); *dev* is the mean over fold 1's dev queries alone, because the mean
over both dev parts would be the test figure.
"""

import pandas as pd
import pyterrier as pt

from ..datasets import irds
from .grouping import queries_by
from .measures import warn_of_means

#: reported split -> the subsets whose means are averaged
SPLITS = {"dev": ("fold1/dev",), "test": ("fold1/test", "fold2/test")}
_SYSTEM = ["name", "measure"]


def fold_mean(perquery, dataset):
    """Average per-query values as the collection's own script does.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
            A NaN value (a query that its collection leaves out of the mean) does not count.
        dataset: one with folds, e.g. ``"irds:csfcube/method"``; the values must be of its queries.

    Returns:
        Frame `name`, `measure`, `split` ("dev", "test"), `value`: one row for each combination.

    Raises:
        ValueError: the dataset has no folds, or a query of a split is missing from the rows.

    Warns:
        UserWarning: of rHSA, whose average is no mean of queries.
    """
    queries = _fold_queries(dataset)
    warn_of_means(perquery.get("measure", pd.Series()).unique())
    return _fold_mean(perquery, queries)


def by_subset(perquery, subsets, by=None):
    """Average per-query values over subsets of the queries.

    Args:
        perquery: as for `fold_mean`.
        subsets: dict from a name to query ids: plain means over those queries; or the `all` subset
            of a faceted collection (``"irds:csfcube/all"``): `fold_mean` of each facet.
        by: a field of the queries, such as ``"paper_type"``, or a function, as for `queries_by`;
            `subsets` is then the dataset, and values are plain means over each group.

    Returns:
        Frame `name`, `measure`, `subset`, (`split`,) `value`.

    Raises:
        ValueError: a query of a subset is missing from the rows, or queries have no such field.
    """
    if by is not None:
        subsets = queries_by(subsets, by)
    warn_of_means(perquery.get("measure", pd.Series()).unique())
    if isinstance(subsets, dict):
        means = {name: _mean(perquery, list(qids), name) for name, qids in subsets.items()}
    else:
        means = _facet_means(perquery, subsets)
    frames = [frame.assign(subset=name) for name, frame in means.items()]
    columns = [*_SYSTEM, "subset", *(["split"] if "split" in frames[0] else []), "value"]
    return pd.concat(frames, ignore_index=True)[columns]


def folds(dataset):
    """Return the topics of the two folds' test parts, as `pt.KFoldGridSearch` takes them.

    For each fold it tunes on the other's queries, which are this fold's dev part, and gives results
    for its test part; so the results cover all queries of `dataset`. (Grid search wants its metric
    as a string: ``pt.KFoldGridSearch(system, grid, folds(dataset), qrels, "NDCG%20")``.)

    Returns:
        List of two frames with `qid` and `query`.
    """
    parent = irds(dataset)
    wanted = [_fold_queries(dataset)[subset] for subset in SPLITS["test"]]
    topics = {q.query_id: q.default_text() for q in parent.queries_iter()}
    return [pt.new.queries([topics[qid] for qid in qids], qids) for qids in wanted]


def _facet_means(perquery, dataset):
    from ir_datasets_ext import facets

    queries = _fold_queries(dataset)
    present = dict.fromkeys(facets.split(qid)[1] for qids in queries.values() for qid in qids)
    return {
        facet: _fold_mean(
            perquery,
            {s: [q for q in qids if facets.split(q)[1] == facet] for s, qids in queries.items()},
        )
        for facet in present
    }


def _fold_queries(dataset):
    """Subset name -> query ids, for every subset that `SPLITS` names."""
    name = irds(dataset).dataset_id()
    try:
        return {
            subset: [query.query_id for query in irds(f"{name}/{subset}").queries_iter()]
            for subsets in SPLITS.values()
            for subset in subsets
        }
    except ValueError as error:
        raise ValueError(
            f"{name} has no folds: expected a collection with {name}/fold1/dev and so on, "
            "such as csfcube/method or csfcube/all"
        ) from error


def _fold_mean(perquery, queries):
    frames = []
    for split, subsets in SPLITS.items():
        parts = [_mean(perquery, queries[s], s).set_index(_SYSTEM)["value"] for s in subsets]
        frames.append((sum(parts) / len(parts)).reset_index().assign(split=split))
    means = pd.concat(frames, ignore_index=True)[[*_SYSTEM, "split", "value"]]
    systems = perquery[_SYSTEM].drop_duplicates()  # the experiment's order, not the alphabet's
    return systems.merge(means, on=_SYSTEM).reset_index(drop=True)


def _mean(perquery, qids, subset):
    """Mean over `qids` per system and measure; a missing query is an error."""
    pt.validate.columns(perquery, includes=[*_SYSTEM, "qid", "value"])
    if perquery.duplicated([*_SYSTEM, "qid"]).any():
        raise ValueError("a system has two values for one query: give systems distinct `names`")
    rows = perquery[perquery["qid"].isin(qids)]
    for system, values in perquery.groupby(_SYSTEM, sort=False):
        missing = [qid for qid in qids if qid not in set(values["qid"])]
        if missing:
            raise ValueError(
                f"{system[0]!r} has no {system[1]} for {len(missing)} of the {len(qids)} queries "
                f"of {subset}: {missing[:5]}; evaluate it on all queries of the dataset"
            )
    return rows.groupby(_SYSTEM, sort=False)["value"].mean().reset_index()
