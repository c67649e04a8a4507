"""The columns of a table: what stands above each, and which queries its figures are over.

headings = [Heading("method", "NDCG%20", "NDCG%20")]
columns = make_columns("csfcube/all", CSFCUBE, headings)
columns[0].parts  # the ids of the two folds' test queries
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from ..datasets import irds
from ..evaluation.folds import folds, has_folds
from ..protocols import Protocol

ALL_FACETS = "all"  # the subset of a faceted collection with the queries of every facet


class Heading(NamedTuple):
    """What stands above a column.

    subset, measure, label: as in `published` (an id below the collection, our repr, as printed).
    """

    subset: str
    measure: str
    label: str


class SubsetQueries(NamedTuple):
    """The queries of a subset.

    parts: sets of query ids; the figure is the mean of the means over them. Two test folds, or one
        part with all queries.
    of: number of queries behind the papers' figures.
    """

    parts: tuple[frozenset[str], ...]
    of: int


class Column(NamedTuple):
    """A measure over some queries; the fields of `Heading` and `SubsetQueries`."""

    subset: str
    measure: str
    label: str
    parts: tuple[frozenset[str], ...]
    of: int

    @property
    def queries(self) -> frozenset[str]:
        """All query ids."""
        return frozenset().union(*self.parts)


class QueryText(NamedTuple):
    """A query's id and text: one id may belong to two texts in two datasets."""

    query_id: str
    text: str


def make_columns(run: str, protocol: Protocol, headings: Iterable[Heading]) -> tuple[Column, ...]:
    """Return a table's columns.

    Args:
        run: id of the dataset whose queries are run.
        protocol: the collection's.
        headings: of the columns, in the table's order.
    """
    queries_by_subset: dict[str, SubsetQueries] = {}
    columns = []
    for heading in headings:
        subset = heading.subset
        if subset not in queries_by_subset:
            queries_by_subset[subset] = _find_queries(subset, run, protocol)
        queries = queries_by_subset[subset]

        column = Column(subset, heading.measure, heading.label, queries.parts, queries.of)
        columns.append(column)
    return tuple(columns)


def make_group_columns(
    run: str, measures: Iterable[str], groups: Mapping[object, Iterable[str]]
) -> tuple[Column, ...]:
    """Return the columns of a table by groups: each measure for each group, then for all queries.

    A figure is the mean over the judged queries of its group. Groups without one are left out.

    Args:
        run: id of the dataset whose queries are run.
        groups: dict from a group to the ids of its queries.

    Raises:
        ValueError: no query has judgements.
    """
    judged_ids = _read_judged_ids(run)
    all_ids: set[str] = set()
    queries_by_name: dict[str, frozenset[str]] = {}
    for group, query_ids in groups.items():
        judged_of_group = judged_ids.intersection(query_ids)
        if judged_of_group:
            queries_by_name[_name_group(group)] = frozenset(judged_of_group)
        all_ids |= judged_of_group
    if not all_ids:
        raise ValueError(f"Nothing to evaluate: no query of {run} has judgements.")
    queries_by_name[ALL_FACETS] = frozenset(all_ids)

    columns = []
    for name, query_ids in queries_by_name.items():
        for measure in measures:
            columns.append(Column(name, measure, measure, (query_ids,), len(query_ids)))
    return tuple(columns)


def find_aggregates(columns: Iterable[Column]) -> list[bool]:
    """Return of each column whether its queries contain all those of another subset, and more.

    So it is for all facets of CSFCube, and for LitSearch's two sources together.
    """
    columns = list(columns)
    queries_by_subset = {column.subset: column.queries for column in columns if column.queries}

    aggregates = []
    for column in columns:
        smaller_sets = [
            queries for queries in queries_by_subset.values() if queries < column.queries
        ]
        aggregates.append(len(smaller_sets) > 0)
    return aggregates


def read_queries(name: str) -> set[QueryText]:
    """Return the queries of a dataset, as far as the files that are present have them."""
    return {QueryText(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


def select_rows_over_queries(protocol: Protocol, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a printed table whose queries are a dataset's.

    A table that compares texts prints figures on other texts beside those on the usual ones, which
    are repeated from another table: only the former are returned.

    Args:
        protocol: the collection's.
        rows: of `published`, of one table.
    """
    has_queries = []
    reads_other_texts = []
    for name in rows["subset"]:
        subset = protocol.find_subset(name)
        has_queries.append(subset.queries is not None)
        reads_other_texts.append(subset.texts != "")

    chosen = reads_other_texts if any(reads_other_texts) else has_queries
    return rows[pd.Series(chosen, rows.index, dtype=bool)]


def _name_group(group: object) -> str:
    """Return a group's name above its columns; queries may lack a value, or be named as ALL."""
    text = str(group).strip()
    if not text:
        return "without a value"
    return f"{text} (a group)" if text == ALL_FACETS else text


def _find_queries(subset: str, run: str, protocol: Protocol) -> SubsetQueries:
    """Return a subset's queries among those of the run."""
    printed_subset = protocol.find_subset(subset)
    assert printed_subset.queries is not None, "a column's queries are published"
    subset_id = f"{protocol.collection}/{printed_subset.queries}".rstrip("/")
    subset_queries = read_queries(subset_id)

    if protocol.facets:
        query_ids = _read_ids_of_facet(run, facet=subset)
    else:
        common_queries = read_queries(run) & subset_queries
        query_ids = {query.query_id for query in common_queries}

    count_in_papers = len(subset_queries)
    if not protocol.printed:  # no paper says how many there are: those with judgements
        query_ids &= _read_judged_ids(run)
        count_in_papers = len(query_ids)

    if has_folds(run):
        test_folds = [frozenset(topics["qid"]) for topics in folds(run)]
        parts = tuple(test_fold & query_ids for test_fold in test_folds)
    else:
        parts = (frozenset(query_ids),)
    return SubsetQueries(parts, count_in_papers)


def _read_ids_of_facet(run: str, facet: str) -> set[str]:
    """Return the ids of a dataset's queries of a facet, or of ALL_FACETS."""
    queries = irds(run).queries_iter()
    return {query.query_id for query in queries if facet in (query.facet, ALL_FACETS)}


def _read_judged_ids(name: str) -> set[str]:
    """Return the ids of a dataset's queries that have judgements."""
    dataset = irds(name)
    if not dataset.has_qrels():
        raise ValueError(
            f"Nothing to evaluate: {name} has no judgements. Choose a dataset that has some."
        )
    return {judgement.query_id for judgement in dataset.qrels_iter()}
