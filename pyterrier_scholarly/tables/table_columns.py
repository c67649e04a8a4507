"""The columns of a table: what stands above each, and which queries its figures are over.

headings = [Heading("method", "NDCG%20", "NDCG%20")]
columns = make_columns("csfcube/all", CSFCUBE, headings)
columns[0].parts  # the ids of the two folds' test queries
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..protocols import Protocol
from .column_queries import ALL_FACETS, SubsetQueries, find_queries, read_judged_ids


class Heading(NamedTuple):
    """What stands above a column.

    subset, measure, label: as in `published` (an id below the collection, our repr, as printed).
    """

    subset: str
    measure: str
    label: str


class Column(NamedTuple):
    """A measure over some queries.

    subset, measure, label: as of `Heading`.
    parts, of: its queries, as of `SubsetQueries`.
    """

    subset: str
    measure: str
    label: str
    parts: tuple[frozenset[str], ...]
    of: int

    @property
    def queries(self) -> frozenset[str]:
        """All query ids."""
        return frozenset().union(*self.parts)


def make_columns(run: str, protocol: Protocol, headings: Iterable[Heading]) -> tuple[Column, ...]:
    """Return a table's columns.

    Args:
        run: id of the dataset whose queries are run.
        protocol: the collection's.
        headings: of the columns, in the table's order.
    """
    # several columns may be over one subset, whose queries are looked up once
    queries_of_subset: dict[str, SubsetQueries] = {}
    columns = []
    for heading in headings:
        subset = heading.subset
        if subset not in queries_of_subset:
            queries_of_subset[subset] = find_queries(subset, run, protocol)

        queries = queries_of_subset[subset]
        column = Column(subset, heading.measure, heading.label, parts=queries.parts, of=queries.of)
        columns.append(column)
    return tuple(columns)


def make_group_columns(
    run: str, measures: Sequence[str], groups: Mapping[object, Iterable[str]]
) -> tuple[Column, ...]:
    """Return the columns of a table by groups: each measure for each group, then for all queries.

    A figure is the mean over the judged queries of its group. Groups without one are left out.

    Args:
        run: id of the dataset whose queries are run.
        measures: as our reprs.
        groups: dict from a group to the ids of its queries.

    Raises:
        ValueError: no query has judgements.
    """
    judged_ids = read_judged_ids(run)

    # groups whose values differ by blanks alone have one name, and become one subset
    ids_by_subset: defaultdict[str, set[str]] = defaultdict(set)
    for group, query_ids in groups.items():
        judged_ids_of_group = judged_ids.intersection(query_ids)
        if judged_ids_of_group:
            ids_by_subset[_name_group(group)] |= judged_ids_of_group
    if not ids_by_subset:
        raise ValueError(f"Nothing to evaluate: no query of {run} has judgements.")

    columns = []
    for subset, query_ids in ids_by_subset.items():
        columns += _make_columns_of_subset(subset, query_ids, measures)
    ids_of_all_groups = set().union(*ids_by_subset.values())
    columns += _make_columns_of_subset(ALL_FACETS, ids_of_all_groups, measures)
    return tuple(columns)


def _make_columns_of_subset(
    subset: str, query_ids: Iterable[str], measures: Iterable[str]
) -> list[Column]:
    """Return a column for each measure, over queries that are one part."""
    part = frozenset(query_ids)
    return [
        Column(subset, measure, label=measure, parts=(part,), of=len(part)) for measure in measures
    ]


def find_aggregates(columns: Iterable[Column]) -> list[bool]:
    """Return for each column whether it is over all queries of another subset, and more.

    So it is for all facets of CSFCube, and for LitSearch's two sources together.
    """
    columns = list(columns)
    query_sets = {column.queries for column in columns if column.queries}

    aggregates = []
    for column in columns:
        # `<` between sets: is a part of, and not equal to
        contained_sets = [query_set for query_set in query_sets if query_set < column.queries]
        aggregates.append(len(contained_sets) > 0)
    return aggregates


def _name_group(group: object) -> str:
    """Return what stands above a group's columns; a group called "all" is not that of all queries.

    A query without the field is in a group without a name.
    """
    text = str(group).strip()
    if not text:
        return "without a value"
    if text == ALL_FACETS:
        return f"{text} (a group)"
    return text
