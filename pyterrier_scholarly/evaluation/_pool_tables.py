"""The tables that describe CSFCube and DORIS-MAE: queries, their pools, and grades."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import ir_datasets
import pandas as pd

from ir_datasets_ext.doris_mae.records import DorisMaeJudgement, DorisMaeQuery

from ..datasets import collection, irds

Tables = dict[str, pd.DataFrame]
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
    if "/" not in dataset.dataset_id():  # the bare collection has no queries
        dataset = irds(f"{dataset.dataset_id()}/all")
    sources = irds(collection(dataset)).pool_sources_iter()
    cited = {(entry.paper_id, entry.doc_id) for entry in sources if "cited" in entry.sources}
    queries = pd.DataFrame(dataset.queries_iter())
    rows = pd.DataFrame(dataset.ratings_iter())[["query_id", "doc_id", "relevance"]].merge(
        queries[["query_id", "paper_id", "facet", "paper_type", "paper_year"]]
    )
    found = rows[[pair in cited for pair in zip(rows["paper_id"], rows["doc_id"])]]
    return {
        "cited": _cited(found, queries["facet"].unique()),
        "pools": _pools(rows, "facet"),
        "paper_type": _pools(rows, "paper_type"),
        "paper_year": _pools(rows, "paper_year"),
        "facets": _facets(rows),
    }


def _by_grade(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the rows of each grade: a row per group, a column per grade."""
    counts = rows.value_counts([*by, "relevance"]).unstack(fill_value=0)
    return counts.reindex(columns=GRADES, fill_value=0).set_axis([*map(str, GRADES)], axis=1)


def _cited(rows: pd.DataFrame, facets: Sequence[str]) -> pd.DataFrame:
    counts = _by_grade(rows, ["facet"]).reindex(facets, fill_value=0)
    counts.insert(0, "cited", counts.sum(axis=1))
    counts["0 or 1"] = (counts["0"] + counts["1"]) / counts["cited"]
    return counts.reset_index()


def _pools(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a row per group of queries: the sizes and grades of their pools."""
    sizes = rows.groupby([by, "query_id"]).size().groupby(by)
    table = sizes.agg(queries="count", candidates="sum", smallest="min", mean="mean", largest="max")
    return table.join(_by_grade(rows, [by])).reset_index()


def _facets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per pair of facets and grade of the first: the same papers' other grades."""
    other = rows.rename(columns={"facet": "other"})
    both = rows.rename(columns={"relevance": "grade"}).merge(other, on=["paper_id", "doc_id"])
    pairs = combinations(rows["facet"].unique(), 2)
    kinds = [(*pair, grade) for pair in pairs for grade in GRADES]
    index = pd.MultiIndex.from_tuples(kinds, names=["facet", "other", "grade"])
    return _by_grade(both, index.names).reindex(index, fill_value=0).reset_index()


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
    judgements = [DorisMaeJudgement.from_qrel(qrel) for qrel in dataset.qrels_iter()]
    pools = list(dataset.scoreddocs_iter())
    sizes = Counter(candidate.query_id for candidate in pools)
    relevant = Counter(judgement.query_id for judgement in judgements if judgement.is_relevant)
    docs = dataset.docs_store().get_many_iter({candidate.doc_id for candidate in pools})
    pooled = [("pool", types[qid], size) for qid, size in sizes.items()]
    scores = [
        ("", types[judgement.query_id], judgement.total / judgement.aspects)
        for judgement in judgements
    ]
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
        for aspect in range(len(query.aspect_ids)):
            yield "sub_aspects_of_an_aspect", query.query_type, query.sub_aspect_of.count(aspect)


def _described(rows: Iterable[tuple[str, str, float]]) -> pd.DataFrame:
    """Return a row for each quantity and type of query, and for all types together."""
    every = pd.DataFrame(rows, columns=["quantity", "query_type", "value"])
    typed = every[~every["query_type"].isin(["", ALL])]  # "": the release has no type
    both = pd.concat([typed, every.assign(query_type=ALL)])
    values = both.groupby(["quantity", "query_type"], sort=False)["value"]
    return values.agg(["count", "min", "max", "mean"]).assign(std=values.std(ddof=0)).reset_index()
