"""The tables that describe DORIS-MAE: its queries, their pools, and normalised scores."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import ir_datasets
import pandas as pd
from ir_datasets.formats import GenericScoredDoc

from ir_datasets_ext.doris_mae.records import DorisMaeJudgement, DorisMaeQuery

ALL = "all"  # queries of any type
UNKNOWN_TYPE = ""  # where the release has no type
ONLY_QUANTITY = ""  # of a table about one quantity


class Measurement(NamedTuple):
    """A number that is counted for one query, aspect, pair or abstract.

    quantity: what is counted.
    query_type: of the query; ALL if the number is of no query.
    """

    quantity: str
    query_type: str
    value: float


def doris_mae(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
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
    judgements = [DorisMaeJudgement.from_qrel(qrel) for qrel in dataset.qrels_iter()]
    candidates = list(dataset.scoreddocs_iter())

    query_types = {query.query_id: query.query_type for query in queries}
    pool_sizes = Counter(candidate.query_id for candidate in candidates)

    queries_and_pools = [*_measure_queries(queries), *_measure_pools(pool_sizes, query_types)]
    relevant = _measure_relevant(pool_sizes, judgements, query_types)
    scores = _measure_scores(judgements, query_types)
    abstracts = _measure_abstracts(dataset, candidates)
    return {
        "queries": _describe(queries_and_pools),
        "relevant": _describe(relevant).drop(columns="quantity"),
        "scores": _describe(scores).drop(columns="quantity"),
        "abstracts": _describe(abstracts),
    }


def _measure_queries(queries: Iterable[DorisMaeQuery]) -> Iterator[Measurement]:
    """Yield the words, aspects and sub-aspects of each query."""
    for query in queries:
        query_type = query.query_type
        yield Measurement("words", query_type, len(query.query.split()))
        yield Measurement("aspects", query_type, len(query.aspect_ids))
        yield Measurement("sub_aspects", query_type, len(set(query.sub_aspect_ids)))
        for aspect in range(len(query.aspect_ids)):
            sub_aspects = query.sub_aspect_of.count(aspect)
            yield Measurement("sub_aspects_of_an_aspect", query_type, sub_aspects)


def _measure_pools(
    pool_sizes: Mapping[str, int], query_types: Mapping[str, str]
) -> Iterator[Measurement]:
    """Yield the number of abstracts in each query's pool."""
    for query_id, pool_size in pool_sizes.items():
        yield Measurement("pool", query_types[query_id], pool_size)


def _measure_relevant(
    pool_sizes: Mapping[str, int],
    judgements: Iterable[DorisMaeJudgement],
    query_types: Mapping[str, str],
) -> Iterator[Measurement]:
    """Yield the number of relevant abstracts of each query with a pool."""
    relevant_counts = Counter(
        judgement.query_id for judgement in judgements if judgement.is_relevant
    )
    for query_id in pool_sizes:
        # a Counter has 0 for a query without relevant abstracts, which Table 9 counts too
        relevant_count = relevant_counts[query_id]
        yield Measurement(ONLY_QUANTITY, query_types[query_id], relevant_count)


def _measure_scores(
    judgements: Iterable[DorisMaeJudgement], query_types: Mapping[str, str]
) -> Iterator[Measurement]:
    """Yield the normalised score of each pair of query and abstract: its total / |Q|."""
    for judgement in judgements:
        score = judgement.total / judgement.aspects
        yield Measurement(ONLY_QUANTITY, query_types[judgement.query_id], score)


def _measure_abstracts(
    dataset: ir_datasets.Dataset, candidates: Iterable[GenericScoredDoc]
) -> Iterator[Measurement]:
    """Yield the words of each abstract that is in a pool, once."""
    pooled_ids = {candidate.doc_id for candidate in candidates}
    for doc in dataset.docs_store().get_many_iter(pooled_ids):
        yield Measurement("words", ALL, len(doc.text.split()))


def _describe(measurements: Iterable[Measurement]) -> pd.DataFrame:
    """Return count, least, largest and mean value, and deviation, of what was measured.

    The frame has a row for each quantity and type of query, and one for all types together.
    """
    measured = pd.DataFrame(measurements, columns=Measurement._fields)

    # each measurement counts twice: for its query's type, if it has one, and for all types
    has_no_type = measured["query_type"].isin([UNKNOWN_TYPE, ALL])
    for_types = measured[~has_no_type]
    for_all_types = measured.assign(query_type=ALL)
    rows = pd.concat([for_types, for_all_types])

    values = rows.groupby(["quantity", "query_type"], sort=False)["value"]
    table = values.agg(["count", "min", "max", "mean"])
    table["std"] = values.std(ddof=0)
    return table.reset_index()
