"""DORIS-MAE's description: aspects, pools, relevant abstracts, normalised scores, lengths."""

from collections import Counter

import pandas as pd

ALL = "all"  # over queries of any type


def tables(dataset):
    """Return `queries`, `relevant`, `scores` and `abstracts`.

    All have the columns `query_type` (the last is "all") and of the values their number (`count`),
    `min`, `max`, `mean` and `std` (of the population: the printed rows of types make up the printed
    row of all so).

    queries, abstracts: with a column `quantity`. Per query its `words`, its `aspects`, its
        `sub_aspects` (distinct ones), the abstracts in its `pool`; per aspect, its
        `sub_aspects_of_an_aspect`; per abstract of a pool, its `words`.
    relevant: relevant abstracts per query that has a pool (Table 9).
    scores: total / |Q| per pair of query and abstract of its pool (Table 10).

    Raises:
        ValueError: the dataset's queries have no aspects (doris-mae/aspects, doris-mae/human).
    """
    if "aspect_ids" not in dataset.queries_cls()._fields:
        raise ValueError(
            f"the queries of {dataset.dataset_id()} are single aspects: statistics are of queries "
            "that have aspects, as in doris-mae, doris-mae/dev or doris-mae/subqueries-2"
        )
    queries = list(dataset.queries_iter())
    types = {query.query_id: query.query_type for query in queries}
    judged, pools = list(dataset.qrels_iter()), list(dataset.scoreddocs_iter())
    sizes = Counter(candidate.query_id for candidate in pools)
    pooled = [("pool", types[query_id], size) for query_id, size in sizes.items()]
    return {
        "queries": _described([*_lengths(queries), *pooled]),
        "relevant": _described(_relevant(judged, sizes, types)).drop(columns="quantity"),
        "scores": _described(_scores(judged, types)).drop(columns="quantity"),
        "abstracts": _described(_words(dataset, pools)),
    }


def _lengths(queries):
    """Yield (quantity, type of query, value)."""
    for query in queries:
        yield "words", query.query_type, len(query.query.split())
        yield "aspects", query.query_type, len(query.aspect_ids)
        yield "sub_aspects", query.query_type, len(set(query.sub_aspect_ids))
        belong = Counter(query.sub_aspect_of)
        for aspect in range(len(query.aspect_ids)):
            yield "sub_aspects_of_an_aspect", query.query_type, belong[aspect]


def _relevant(judged, sizes, types):
    found = Counter(qrel.query_id for qrel in judged if qrel.relevance >= int(qrel.iteration) > 0)
    for query_id in sizes:
        yield "relevant", types[query_id], found[query_id]


def _scores(judged, types):
    for qrel in judged:
        yield "score", types[qrel.query_id], qrel.relevance / abs(int(qrel.iteration))


def _words(dataset, pools):
    for doc in dataset.docs_store().get_many_iter({candidate.doc_id for candidate in pools}):
        yield "words", ALL, len(doc.text.split())


def _described(values):
    """A row for each quantity and type of query, and for all types together."""
    rows = pd.DataFrame(values, columns=["quantity", "query_type", "value"])
    whole = rows.assign(query_type=ALL)
    typed = rows[~rows["query_type"].isin(["", ALL])]  # "": the release does not say
    grouped = pd.concat([typed, whole]).groupby(["quantity", "query_type"], sort=False)["value"]
    found = grouped.agg(["count", "min", "max", "mean"])
    return found.assign(std=grouped.std(ddof=0)).reset_index()
