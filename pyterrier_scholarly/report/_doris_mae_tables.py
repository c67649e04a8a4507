"""DORIS-MAE's description: aspects, pools, relevant abstracts, normalised scores, lengths."""

from collections import Counter

import pandas as pd

ALL = "all"  # over queries of any type


def tables(dataset):
    """Return `queries` and `abstracts`.

    Both have columns `quantity`, `query_type` (and "all"), and of its values the number (`count`),
    `min`, `max`, `mean` and `std` (of the population).

    queries: per query its `words`, its `aspects`, its `sub_aspects` (distinct ones), the abstracts
        in its `pool` and those that are `relevant` (Table 9; queries with a pool alone); per
        aspect, its `sub_aspects_of_an_aspect`.
    abstracts: per pair of query and abstract, the `normalised_score`, total / |Q| (Table 10); per
        abstract of a pool, its `words`.

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
    of_queries = [*_lengths(queries), *_sizes(judged, pools, types)]
    of_abstracts = [*_scores(judged, types), *_words(dataset, pools)]
    return {"queries": _described(of_queries), "abstracts": _described(of_abstracts)}


def _lengths(queries):
    """Yield (quantity, type of query, value)."""
    for query in queries:
        yield "words", query.query_type, len(query.query.split())
        yield "aspects", query.query_type, len(query.aspect_ids)
        yield "sub_aspects", query.query_type, len(set(query.sub_aspect_ids))
        belong = Counter(query.sub_aspect_of)
        for aspect in range(len(query.aspect_ids)):
            yield "sub_aspects_of_an_aspect", query.query_type, belong[aspect]


def _sizes(judged, pools, types):
    sizes = Counter(candidate.query_id for candidate in pools)
    relevant = Counter(
        qrel.query_id for qrel in judged if qrel.relevance >= int(qrel.iteration) > 0
    )
    for query_id in sizes:
        yield "pool", types[query_id], sizes[query_id]
        yield "relevant", types[query_id], relevant[query_id]


def _scores(judged, types):
    for qrel in judged:
        yield "normalised_score", types[qrel.query_id], qrel.relevance / abs(int(qrel.iteration))


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
