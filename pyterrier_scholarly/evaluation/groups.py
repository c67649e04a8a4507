"""Groups of queries, as one frame: which subset a query belongs to, and which part of it.

    group_queries("csfcube/all")                    # all queries, then those of each facet
    group_queries("litsearch", by="source")         # all queries, then those of each source
    group_facets("csfcube/all", ["method", "all"])  # chosen facets

Conventions: `Groups` are a frame with a row for each query of a subset: `subset`, `part`, `qid`. A
figure is the mean, over the parts of a subset, of the mean over the queries of each part. Facets of
a collection with official folds have the parts "fold1/test" and "fold2/test"; other subsets have
one part, "".

Folds are those of Mysore et al. [2021, `evaluation_splits.json`]: each query is in the dev part of
one fold and in the test part of the other. *test* is the unweighted mean of the two folds' test
means (not the mean over queries). *dev* is the mean over fold 1's dev queries only, because the
mean over both dev parts would be the test figure. (So does the script; the datasheet averages
both.)
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, TypeAlias

import ir_datasets
import pandas as pd
import pyterrier as pt

from ..choices import check_option
from ..datasets import DatasetLike, irds
from ..protocols import protocol_of

#: a frame `subset`, `part`, `qid`
Groups: TypeAlias = pd.DataFrame
#: a field's name, or a function from a query, whose fields differ by collection, to its group
By: TypeAlias = str | Callable[[Any], object]

GROUP_COLUMNS = ["subset", "part", "qid"]
ALL = "all"  # the subset of all queries
#: reported split -> the parts of folds whose means are averaged
SPLITS = {"dev": ("fold1/dev",), "test": ("fold1/test", "fold2/test")}


def queries_by(dataset: DatasetLike, by: By) -> dict[Any, list[str]]:
    """Group a dataset's queries.

    ::

        queries_by("litsearch", "specificity")                   # {"broad": [id, …], …}
        queries_by("csfcube/all", lambda query: query.paper_id)  # a group for each paper

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
    group_of = by if callable(by) else _choose_field(by, source)
    ids_by_group: dict[Any, list[str]] = {}
    for query in source.queries_iter():
        ids_by_group.setdefault(group_of(query), []).append(query.query_id)
    return dict(sorted(ids_by_group.items()))


def _choose_field(name: str, dataset: ir_datasets.Dataset) -> Callable[[Any], object]:
    """Return the function from a query to the group that `name` puts it into.

    A name is that of a query's field, whose values are the groups; or of groups that the paper
    makes of a field's values.
    """
    fields = dataset.queries_cls()._fields
    protocol = protocol_of(dataset.dataset_id())
    groups_of_paper = protocol.query_groups if protocol else {}
    owner = f"the queries of {dataset.dataset_id()}"
    check_option("field", name, [*fields, *groups_of_paper], of=owner)
    if name in fields:
        return attrgetter(name)

    # a dict of one item: the field, and the group of each of its values
    ((field, group_of_value),) = groups_of_paper[name].items()
    return lambda query: group_of_value[getattr(query, field)]


def name_subset(group: Any) -> Any:
    """Return the name of a group of queries beside ALL, which must not be taken for all queries."""
    return f"{ALL} (a group)" if group == ALL else group


def make_groups(ids_by_subset: Mapping[Any, Iterable[str]]) -> Groups:
    """Return groups of one part each, from a dict of query ids."""
    rows = [
        (subset, "", query_id)
        for subset, query_ids in ids_by_subset.items()
        for query_id in dict.fromkeys(query_ids)
    ]
    return pd.DataFrame(rows, columns=GROUP_COLUMNS)


def group_queries(dataset: DatasetLike, by: By | None = None) -> Groups:
    """Group all queries of a dataset (ALL), and those of each group of `by`.

    Args:
        dataset: an id or a dataset object.
        by: as for `queries_by`, for groups of one part; None for the facets of a collection with
            folds, if it has several, and for no groups elsewhere.
    """
    source = irds(dataset)
    if by is not None:
        ids_by_group = queries_by(source, by)
        named_groups = {name_subset(group): ids for group, ids in ids_by_group.items()}
        return pd.concat(
            [group_facets(source, [ALL]), make_groups(named_groups)], ignore_index=True
        )
    facets = list(queries_by(source, "facet")) if has_folds(source) else []
    return group_facets(source, [ALL, *facets] if len(facets) > 1 else [ALL])


def group_facets(dataset: DatasetLike, facets: Iterable[str]) -> Groups:
    """Group a dataset's queries by facet, or by ALL facets; with folds, by their test parts."""
    queries = list(irds(dataset).queries_iter())
    ids_by_facet = {
        facet: [query.query_id for query in queries if facet in (ALL, getattr(query, "facet", ""))]
        for facet in facets
    }
    return split_into_folds(make_groups(ids_by_facet), dataset)


def split_into_folds(groups: Groups, dataset: DatasetLike) -> Groups:
    """Return groups with a part for each official test fold; unchanged for a dataset without."""
    if not has_folds(dataset):
        return groups
    folds_of_queries = read_folds(dataset)
    test = folds_of_queries[folds_of_queries["split"] == "test"]
    return groups.drop(columns="part").merge(test, on="qid")[GROUP_COLUMNS]


def has_folds(dataset: DatasetLike) -> bool:
    """Return whether a dataset has the two folds that `fold_mean` averages over."""
    return f"{irds(dataset).dataset_id()}/fold1/test" in ir_datasets.registry


def read_folds(dataset: DatasetLike) -> pd.DataFrame:
    """Return the queries of every part of a fold that SPLITS names: `split`, `part`, `qid`.

    Raises:
        ValueError: the dataset has no folds.
    """
    name = irds(dataset).dataset_id()
    if not has_folds(dataset):
        raise ValueError(
            f"{name} has no folds: expected a collection with {name}/fold1/dev and so on, such as "
            "csfcube/all. For means over groups of queries, pass by_subset the name of a field: "
            "by='query_type'. against_baseline needs no folds."
        )
    rows = [
        (split, part, query.query_id)
        for split, parts in SPLITS.items()
        for part in parts
        for query in irds(f"{name}/{part}").queries_iter()
    ]
    return pd.DataFrame(rows, columns=["split", "part", "qid"])


def folds(dataset: DatasetLike) -> list[pd.DataFrame]:
    """Return the topics of the two folds' test parts, as `pt.KFoldGridSearch` takes them.

    For each fold, grid search tunes on the queries of the other, which are this fold's dev part,
    and returns results for its test part. So the results cover all queries of `dataset`. Its
    metric must be a string: ``pt.KFoldGridSearch(system, grid, folds(dataset), qrels, "NDCG%20")``.
    Returns two frames of `qid` and `query`.
    """
    query_folds = read_folds(dataset)
    text_of_query = {query.query_id: query.default_text() for query in irds(dataset).queries_iter()}

    topics = []
    for part in SPLITS["test"]:
        query_ids = query_folds["qid"][query_folds["part"] == part].tolist()
        topics.append(
            pt.new.queries([text_of_query[query_id] for query_id in query_ids], query_ids)
        )
    return topics
