"""The queries that a table's columns are over, as far as the files that are present have them.

queries = find_queries("method", "csfcube/all", CSFCUBE)
queries.parts   # the ids of the two folds' test queries
"""

from typing import NamedTuple

import pandas as pd

from ..datasets import irds
from ..evaluation.folds import folds, has_folds
from ..protocols import Protocol

ALL_FACETS = "all"  # the subset of a faceted collection with the queries of every facet


class SubsetQueries(NamedTuple):
    """The queries of a subset.

    parts: sets of query ids; the figure is the mean of the means over them. Two test folds, or one
        part with all queries.
    of: number of queries behind the papers' figures.
    """

    parts: tuple[frozenset[str], ...]
    of: int


class QueryText(NamedTuple):
    """A query's id and text: one id may belong to two texts in two datasets."""

    query_id: str
    text: str


def find_queries(subset: str, run: str, protocol: Protocol) -> SubsetQueries:
    """Return the queries of a subset that are among those of the dataset `run`.

    Args:
        subset: as in `published`, with queries that are published.
        run: id of the dataset whose queries are run.
        protocol: the collection's.
    """
    subset_queries = _read_queries_of_subset(subset, protocol)
    if protocol.facets:  # the ids of a facet's own dataset lack the facet, so those of `run` count
        query_ids = _read_ids_of_facet(run, facet=subset)
    else:
        common_queries = read_queries(run) & subset_queries
        query_ids = {query.query_id for query in common_queries}

    if protocol.printed:
        return SubsetQueries(parts=_split_into_folds(query_ids, run), of=len(subset_queries))

    # no paper says how many queries there are: those with judgements
    judged_query_ids = query_ids & read_judged_ids(run)
    parts = _split_into_folds(judged_query_ids, run)
    return SubsetQueries(parts, of=len(judged_query_ids))


def read_queries(name: str) -> set[QueryText]:
    """Return the queries of a dataset, as far as the files that are present have them."""
    return {QueryText(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


def read_judged_ids(name: str) -> set[str]:
    """Return the ids of a dataset's queries that have judgements.

    Raises:
        ValueError: the dataset has no judgements.
    """
    dataset = irds(name)
    if not dataset.has_qrels():
        raise ValueError(
            f"Nothing to evaluate: {name} has no judgements. Choose a dataset that has some."
        )
    return {judgement.query_id for judgement in dataset.qrels_iter()}


def select_rows_over_queries(protocol: Protocol, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a printed table whose queries are a dataset's.

    If some rows are figures on other texts than the usual ones, such as full texts, only these are
    returned: the table repeats the others from another table, to compare with them.

    Args:
        protocol: the collection's.
        rows: of `published`, of one table.
    """
    subsets = [protocol.find_subset(name) for name in rows["subset"]]
    reads_other_texts = [subset.texts != "" for subset in subsets]
    has_published_queries = [subset.queries is not None for subset in subsets]

    is_chosen = reads_other_texts if any(reads_other_texts) else has_published_queries
    return rows[pd.Series(is_chosen, rows.index, dtype=bool)]


def _read_queries_of_subset(subset: str, protocol: Protocol) -> set[QueryText]:
    """Return the queries of the dataset that a subset's figures are over."""
    printed_subset = protocol.find_subset(subset)
    assert printed_subset.queries is not None, "a column's queries are published"

    is_whole_collection = printed_subset.queries == ""
    if is_whole_collection:
        return read_queries(protocol.collection)
    return read_queries(f"{protocol.collection}/{printed_subset.queries}")


def _split_into_folds(query_ids: set[str], run: str) -> tuple[frozenset[str], ...]:
    """Return the queries in each test fold of a dataset; all of them in one part without folds."""
    if not has_folds(run):
        return (frozenset(query_ids),)
    test_folds = [frozenset(topics["qid"]) for topics in folds(run)]
    return tuple(test_fold & query_ids for test_fold in test_folds)


def _read_ids_of_facet(run: str, facet: str) -> set[str]:
    """Return the ids of a dataset's queries of a facet, or of ALL_FACETS."""
    queries = irds(run).queries_iter()
    if facet == ALL_FACETS:
        return {query.query_id for query in queries}
    return {query.query_id for query in queries if query.facet == facet}
