"""The tables that describe CSFCube and DORIS-MAE: queries, their pools, and grades."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import ir_datasets
import pandas as pd

from ir_datasets_ext.doris_mae.records import DorisMaeQuery

from ..datasets import collection, irds
from .folds import queries_by

Tables = dict[str, pd.DataFrame]
#: a document and its grade
Rated = tuple[str, int]
#: (paper, document) -> grade
Grades = dict[tuple[str, str], int]
GRADES = (0, 1, 2, 3)
ALL = "all"  # queries of any type


def csfcube(dataset: ir_datasets.Dataset) -> Tables:
    """Compute `cited`, `pools`, `facets`, `paper_type` and `paper_year`.

    cited: `facet`, `cited` (pairs of a query and a candidate that it cites), their number by grade
        ("0" to "3"), and the share of the grades 0 and 1 ("0 or 1", in 0..1).
    pools: `facet`, `queries`, `candidates` (judged pairs), `smallest`, `mean` and `largest` pool,
        and the number of pairs by grade.
    paper_type, paper_year: the same for each type and year of query papers.
    facets: grades of the same candidates of a query paper for two facets: `facet` and `grade` of
        the first, `other` (the second facet), and the number by grade there ("0" to "3").
    """
    cited = {
        (entry.paper_id, entry.doc_id)
        for entry in irds(collection(dataset)).pool_sources_iter()
        if "cited" in entry.sources
    }
    if "/" not in dataset.dataset_id():  # the bare collection has no queries
        dataset = irds(f"{dataset.dataset_id()}/all")
    rated: dict[str, list[Rated]] = {}
    for rating in dataset.ratings_iter():
        rated.setdefault(rating.query_id, []).append((rating.doc_id, rating.relevance))
    by_facet: dict[str, Grades] = {}
    for query in dataset.queries_iter():
        grades = {(query.paper_id, doc_id): grade for doc_id, grade in rated[query.query_id]}
        by_facet.setdefault(query.facet, {}).update(grades)
    pairs = combinations(by_facet.items(), 2)
    both = [row for one, two in pairs for row in _both(*one, *two)]
    return {
        "cited": pd.DataFrame([_cited(*facet, cited) for facet in by_facet.items()]),
        "pools": _pools(dataset, "facet", rated),
        "paper_type": _pools(dataset, "paper_type", rated),
        "paper_year": _pools(dataset, "paper_year", rated),
        "facets": pd.DataFrame(both, columns=["facet", "other", "grade", *map(str, GRADES)]),
    }


def _cited(facet: str, grades: Grades, cited: set[tuple[str, str]]) -> dict[str, object]:
    counts = Counter(grade for pair, grade in grades.items() if pair in cited)
    share = (counts[0] + counts[1]) / counts.total() if counts else float("nan")
    return {"facet": facet, "cited": counts.total(), **_by_grade(counts), "0 or 1": share}


def _pools(dataset: ir_datasets.Dataset, by: str, rated: Mapping[str, list[Rated]]) -> pd.DataFrame:
    """Return a row per group of queries: the sizes and grades of their pools."""
    rows = []
    for value, qids in queries_by(dataset, by).items():
        sizes = [len(rated[qid]) for qid in qids]
        row = {
            by: value,
            "queries": len(sizes),
            "candidates": sum(sizes),
            "smallest": min(sizes),
            "mean": sum(sizes) / len(sizes),
            "largest": max(sizes),
        }
        grades = Counter(grade for qid in qids for _, grade in rated[qid])
        rows.append({**row, **_by_grade(grades)})
    return pd.DataFrame(rows)


def _both(one: str, first: Grades, two: str, second: Grades) -> Iterator[dict[str, object]]:
    """Yield a row per grade of facet `one`: the grades of the same pairs for facet `two`."""
    counts = Counter((first[pair], second[pair]) for pair in first.keys() & second.keys())
    for grade in GRADES:
        others = {other: counts[grade, other] for other in GRADES}
        yield {"facet": one, "other": two, "grade": grade, **_by_grade(others)}


def _by_grade(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(grade): counts[grade] for grade in GRADES}


def doris_mae(dataset: ir_datasets.Dataset) -> Tables:
    """Compute `queries`, `relevant`, `scores` and `abstracts`.

    All have the columns `query_type` (the last is "all") and, of the values, their number
    (`count`), `min`, `max`, `mean` and `std` (of the population, as the printed rows agree with).

    queries, abstracts: with a column `quantity`. Per query its `words`, its `aspects`, its distinct
        `sub_aspects`, the abstracts in its `pool`; per aspect its `sub_aspects_of_an_aspect`; per
        abstract of a pool its `words`.
    relevant: relevant abstracts per query with a pool (Table 9).
    scores: total / |Q| per pair of query and abstract of its pool (Table 10).

    Raises:
        ValueError: queries without aspects (doris-mae/aspects, doris-mae/human).
    """
    if "aspect_ids" not in dataset.queries_cls()._fields:
        raise ValueError(
            f"the queries of {dataset.dataset_id()} are single aspects: expected queries that have "
            "aspects, as in doris-mae, doris-mae/dev or doris-mae/subqueries-2"
        )
    queries = list(dataset.queries_iter())
    types = {query.query_id: query.query_type for query in queries}
    judged, pools = list(dataset.qrels_iter()), list(dataset.scoreddocs_iter())
    sizes = Counter(candidate.query_id for candidate in pools)
    relevant = Counter(row.query_id for row in judged if row.relevance >= int(row.iteration) > 0)
    docs = dataset.docs_store().get_many_iter({candidate.doc_id for candidate in pools})
    pooled = [("pool", types[qid], size) for qid, size in sizes.items()]
    scores = [("", types[q.query_id], q.relevance / abs(int(q.iteration))) for q in judged]
    return {
        "queries": _described([*_lengths(queries), *pooled]),
        "relevant": _described(("", types[q], relevant[q]) for q in sizes).drop(columns="quantity"),
        "scores": _described(scores).drop(columns="quantity"),
        "abstracts": _described(("words", ALL, len(doc.text.split())) for doc in docs),
    }


def _lengths(queries: Iterable[DorisMaeQuery]) -> Iterator[tuple[str, str, float]]:
    """Yield quantity, type of query and value."""
    for query in queries:
        yield "words", query.query_type, len(query.query.split())
        yield "aspects", query.query_type, len(query.aspect_ids)
        yield "sub_aspects", query.query_type, len(set(query.sub_aspect_ids))
        counts: Counter = Counter(query.sub_aspect_of)
        for aspect in range(len(query.aspect_ids)):
            yield "sub_aspects_of_an_aspect", query.query_type, counts[aspect]


def _described(values: Iterable[tuple[str, str, float]]) -> pd.DataFrame:
    """Return a row for each quantity and type of query, and for all types together."""
    rows = pd.DataFrame(values, columns=["quantity", "query_type", "value"])
    typed = rows[~rows["query_type"].isin(["", ALL])]  # "": the release has no type
    both = pd.concat([typed, rows.assign(query_type=ALL)])
    grouped = both.groupby(["quantity", "query_type"], sort=False)["value"]
    statistics = grouped.agg(["count", "min", "max", "mean"])
    return statistics.assign(std=grouped.std(ddof=0)).reset_index()
