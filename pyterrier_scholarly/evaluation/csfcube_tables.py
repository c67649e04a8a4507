"""The tables that describe CSFCube: its pools, grades, cited papers and pairs of facets."""

from collections.abc import Sequence
from itertools import combinations

import ir_datasets
import pandas as pd

from ..datasets import collection, irds

GRADES = (0, 1, 2, 3)
#: fields of a query that each of its pairs has in a column
QUERY_FIELDS = ["query_id", "paper_id", "facet", "paper_type", "paper_year"]


def csfcube(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
    """Compute `cited`, `pools`, `facets`, `paper_type` and `paper_year`.

    cited: `facet`, `cited` (pairs of a query and a candidate that it cites), their number by grade
        ("0" to "3"), and the share of the grades 0 and 1 ("0 or 1", in 0..1).
    pools: `facet`, `queries`, `candidates` (judged pairs), `smallest`, `mean` and `largest` pool,
        and the number of pairs by grade.
    paper_type, paper_year: the same for each type and year of query papers.
    facets: grades of the same candidates of a query paper for two facets: `facet` and `grade` of
        the first, `other` (the second facet), and the number by grade there ("0" to "3").
    """
    if "/" not in dataset.dataset_id():  # the bare collection has no queries
        dataset = irds(f"{dataset.dataset_id()}/all")

    queries = pd.DataFrame(dataset.queries_iter())
    ratings = pd.DataFrame(dataset.ratings_iter())
    pairs = ratings[["query_id", "doc_id", "relevance"]].merge(queries[QUERY_FIELDS])
    return {
        "cited": _count_cited(pairs, dataset, queries["facet"].unique()),
        "pools": _describe_pools(pairs, "facet"),
        "paper_type": _describe_pools(pairs, "paper_type"),
        "paper_year": _describe_pools(pairs, "paper_year"),
        "facets": _compare_facets(pairs),
    }


def _count_cited(
    pairs: pd.DataFrame, dataset: ir_datasets.Dataset, facets: Sequence[str]
) -> pd.DataFrame:
    """Describe the pairs whose candidate is cited by the query paper: a row per facet.

    Columns: `facet`, their number `cited`, their number by grade ("0" to "3"), and the share, from
    0 to 1, of those with a grade of 0 or 1 ("0 or 1").
    """
    citations = {
        (entry.paper_id, entry.doc_id)
        for entry in irds(collection(dataset)).pool_sources_iter()
        if "cited" in entry.sources
    }
    papers_of_pairs = zip(pairs["paper_id"], pairs["doc_id"])
    is_cited = [papers in citations for papers in papers_of_pairs]

    table = _count_grades(pairs[is_cited], ["facet"]).reindex(facets, fill_value=0)
    cited_count = table.sum(axis=1)
    low_count = table["0"] + table["1"]
    table.insert(0, "cited", cited_count)
    table["0 or 1"] = low_count / cited_count
    return table.reset_index()


def _describe_pools(pairs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a row per group of queries: the sizes and grades of their pools."""
    pool_sizes = pairs.groupby([by, "query_id"]).size()
    table = pool_sizes.groupby(by).agg(
        queries="count", candidates="sum", smallest="min", mean="mean", largest="max"
    )
    return table.join(_count_grades(pairs, [by])).reset_index()


def _compare_facets(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count how candidates with a grade for one facet are graded for another facet.

    Args:
        pairs: graded pairs of a query and a candidate; a query is a paper and a facet.

    Returns:
        Frame with a row for each pair of facets (`facet`, `other`) and each `grade` for the first.
        Columns "0" to "3" have the number of candidates with that grade for the other facet. Both
        grades are for the same query paper.
    """
    graded_for_first = pairs.rename(columns={"relevance": "grade"})
    graded_for_second = pairs.rename(columns={"facet": "other"})
    graded_twice = graded_for_first.merge(graded_for_second, on=["paper_id", "doc_id"])

    # the merge has each two facets in both orders, and each facet with itself: one order is kept
    key_columns = ["facet", "other", "grade"]
    row_keys = []
    for facet, other in combinations(pairs["facet"].unique(), 2):
        row_keys += [(facet, other, grade) for grade in GRADES]
    kept_rows = pd.MultiIndex.from_tuples(row_keys, names=key_columns)

    counts = _count_grades(graded_twice, key_columns)
    return counts.reindex(kept_rows, fill_value=0).reset_index()


def _count_grades(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the pairs of each grade: a row per group, a column per grade ("0" to "3")."""
    counts = pairs.value_counts([*by, "relevance"]).unstack(fill_value=0)
    counts = counts.reindex(columns=GRADES, fill_value=0)
    return counts.set_axis([str(grade) for grade in GRADES], axis=1)
