"""Draw query documents, and judge what was downloaded after them.

    judged_queries = judge_queries(pairs, documents, engine, Choices())
    print(judged_queries.judged.to_pandas())

Tables of `pairs` have the numbers of two documents, `first` and `second`, and how often the second
was downloaded right after the first, `count`. Tables of `documents` have `number` and `doc_id`.
"""

from dataclasses import dataclass

import pyarrow as pa

from .log_engine import Engine, count_rows, ibis
from .mining_choices import Choices
from .random_keys import keep_low_keys, make_key
from .successions import swap_pairs


@dataclass(frozen=True)
class JudgedQueries:
    """The queries of a log, and two pools for each.

    Attributes:
        eligible: the number of documents that can be queries.
        queries: `query_id` of those chosen, sorted.
        judged: all successors of the queries: `query_id`, `doc_id`, `relevance` (0 or 1) and
            `count`, sorted.
        random_judged: the relevant successors, and random documents in place of the others:
            `query_id`, `doc_id` and `relevance`, sorted.
    """

    eligible: int
    queries: pa.Table
    judged: pa.Table
    random_judged: pa.Table


def judge_queries(
    pairs: ibis.Table, documents: ibis.Table, engine: Engine, choices: Choices
) -> JudgedQueries:
    """Draw documents as queries, and judge the documents that were downloaded right after each.

    Those that were downloaded after the query more than `choices.relevant` times are relevant.
    """
    # `engine.keep` computes a table once, because several later steps read it
    eligible = engine.keep(_list_eligible(pairs, documents, choices))

    # keys are random, so the documents with the lowest keys are drawn at random
    drawn_queries = eligible.order_by("key", "query_id").limit(choices.queries)
    # a query is the first document of its pairs: its number gets the column name of `pairs`
    queries = engine.keep(drawn_queries.select("query_id", first="number"))

    judged = engine.keep(_judge_successors(pairs, queries, documents, choices))
    random_judged = _judge_random(documents, pairs, queries, judged, choices)

    return JudgedQueries(
        eligible=count_rows(eligible),
        queries=queries.order_by("query_id").select("query_id").to_pyarrow(),
        judged=judged.order_by("query_id", "doc_id").to_pyarrow(),
        random_judged=random_judged.order_by("query_id", "doc_id").to_pyarrow(),
    )


def _list_eligible(pairs: ibis.Table, documents: ibis.Table, choices: Choices) -> ibis.Table:
    """Return a table of the documents that can be queries: `number`, `query_id`, random `key`.

    More than `choices.successors` different documents follow each, at least one of them more than
    `choices.relevant` times.
    """
    is_frequent = pairs["count"] > choices.relevant
    counts = pairs.group_by(number=pairs.first).agg(
        successor_count=pairs.count(), frequent_count=is_frequent.sum()
    )
    has_enough = counts.successor_count > choices.successors
    eligible = counts.filter(has_enough, counts.frequent_count > 0)

    queries = eligible.join(documents, "number").select("number", query_id="doc_id")
    return queries.mutate(key=make_key(choices.seed, "query", queries.query_id))


def _judge_successors(
    pairs: ibis.Table, queries: ibis.Table, documents: ibis.Table, choices: Choices
) -> ibis.Table:
    """Return a table of the queries' successors: `query_id`, `doc_id`, `relevance`, `count`."""
    successors = _join_queries(pairs, queries, documents)
    is_relevant = successors["count"] > choices.relevant
    judged = successors.mutate(relevance=is_relevant.cast("int64"))
    return judged.select("query_id", "doc_id", "relevance", "count")


def _judge_random(
    documents: ibis.Table,
    pairs: ibis.Table,
    queries: ibis.Table,
    judged: ibis.Table,
    choices: Choices,
) -> ibis.Table:
    """Return judgements in which random documents replace those that are not relevant.

    Each query gets as many. A random document is neither the query nor relevant to it. Unless
    `choices.linked`, it was not downloaded right before or after the query either.

    Args:
        documents: of the collection.
        pairs: consecutive downloads.
        queries: documents that are queries.
        judged: the queries' successors, with `relevance` 1 or 0.
        choices: `linked`, and `seed` of the draws.

    Returns:
        Table of `query_id`, `doc_id` and `relevance` (1; 0 for the random documents).
    """
    is_relevant = judged.relevance == 1
    relevant = judged.filter(is_relevant).select("query_id", "doc_id", "relevance")
    replaced_counts = judged.group_by("query_id").agg(count=(judged.relevance == 0).sum())
    if choices.linked:
        forbidden = relevant.select("query_id", "doc_id")
    else:
        forbidden = _list_neighbours(pairs, queries, documents)

    drawn = _draw_documents(documents, queries, replaced_counts, forbidden, choices.seed)
    not_relevant = drawn.select("query_id", "doc_id", relevance=ibis.literal(0, "int64"))
    return not_relevant.union(relevant)


def _list_neighbours(pairs: ibis.Table, queries: ibis.Table, documents: ibis.Table) -> ibis.Table:
    """Return a table of what was downloaded before or after a query: `query_id`, `doc_id`."""
    both_orders = pairs.select("first", "second").union(swap_pairs(pairs))
    neighbours = _join_queries(both_orders, queries, documents)
    return neighbours.select("query_id", "doc_id").distinct()


def _join_queries(pairs: ibis.Table, queries: ibis.Table, documents: ibis.Table) -> ibis.Table:
    """Keep the pairs that begin with a query; add `query_id`, and the second's `doc_id`."""
    of_queries = pairs.join(queries, "first")
    return of_queries.join(documents.select("doc_id", second="number"), "second")


def _draw_documents(
    documents: ibis.Table,
    queries: ibis.Table,
    wanted: ibis.Table,
    forbidden: ibis.Table,
    seed: int,
) -> ibis.Table:
    """Return a table of random documents for each query, none the query: `query_id`, `doc_id`.

    Each pair of a query and a document has a random key; the lowest keys of a query are drawn.

    Args:
        documents: `number` and `doc_id`.
        queries: `query_id`, and the query's number among the documents as `first`.
        wanted: `query_id` and `count`, the number of documents to draw.
        forbidden: `query_id` and `doc_id` of documents not to draw.
        seed: of the keys.
    """
    # the pairs of each query with each document but itself
    all_pairs = queries.cross_join(documents)
    query_number = all_pairs.first
    document_number = all_pairs.number
    candidates = all_pairs.filter(query_number != document_number)
    key = make_key(seed, "other", candidates.query_id, candidates.doc_id)
    candidates = candidates.mutate(key=key)

    low_candidates = _drop_high_keys(candidates, count_rows(documents), wanted, forbidden)
    allowed = low_candidates.anti_join(forbidden, ["query_id", "doc_id"])

    # number the documents of each query by key from 0, and draw the first ones
    allowed = allowed.join(wanted.select("query_id", wanted_count="count"), "query_id")
    by_key = ibis.window(group_by=allowed.query_id, order_by=[allowed.key, allowed.doc_id])
    numbered = allowed.mutate(number_of_draw=ibis.row_number().over(by_key))
    return numbered.filter(numbered.number_of_draw < numbered.wanted_count)


def _drop_high_keys(
    candidates: ibis.Table, document_count: int, wanted: ibis.Table, forbidden: ibis.Table
) -> ibis.Table:
    """Drop most pairs of queries and documents with high keys: sorting all takes much memory.

    Enough pairs are left even for a query with the most documents to draw, and the fewest to draw
    from.

    Args:
        candidates: pairs of each query with each other document, with `key`.
        document_count: number of all documents.
        wanted: `query_id` and `count`, the number of documents to draw.
        forbidden: `query_id` and `doc_id` of documents not to draw.
    """
    forbidden_counts = forbidden.group_by("query_id").agg(count=forbidden.count())
    most_forbidden = _find_largest_count(forbidden_counts)
    most_wanted = _find_largest_count(wanted)
    fewest_candidates = document_count - 1 - most_forbidden  # 1 is the query itself
    return keep_low_keys(candidates, most_wanted, fewest_candidates)


def _find_largest_count(counts: ibis.Table) -> int:
    """Return the largest number in the column `count`; 0 without rows."""
    largest = counts["count"].max().to_pyarrow().as_py()
    return int(largest or 0)
