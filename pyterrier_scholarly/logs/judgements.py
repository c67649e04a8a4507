"""Queries and the documents judged for them out of counted successions, chosen as pairs are."""

from ._ibis import ibis
from .successions import digest, first_of, size_of


def eligible_queries(pairs, names, successors, relevant, seed):
    """Table of `number`, `query_id` and a random `key`, of documents that can be queries.

    These have more than `successors` different documents after them, one of them at least more than
    `relevant` times.
    """
    found = pairs.group_by(number=pairs.first).agg(
        successors=pairs.count(), relevant=(pairs["count"] > relevant).sum()
    )
    found = found.filter(found.successors > successors, found.relevant > 0)
    found = found.join(names, "number").select("number", query_id="doc_id")
    return found.mutate(key=digest(seed, "query", found.query_id))


def judged(pairs, names, queries, relevant):
    """Table of `query_id`, `doc_id`, `relevance` (0 or 1) and `count`, for all that came after."""
    found = pairs.join(queries.select("query_id", first="number"), "first")
    found = found.join(names.select("doc_id", second="number"), "second")
    found = found.mutate(relevance=(found["count"] > relevant).cast("int64"))
    return found.select("query_id", "doc_id", "relevance", "count")


def random_judged(names, pairs, queries, judged, linked, seed):
    """Random documents in the place of those that followed a query less often.

    Each query has its relevant documents, and as many random ones as `judged` has others of it.
    None of these is the query or relevant to it; nor, unless `linked`, was one downloaded right
    before or after it.

    Args:
        names: the documents to draw from.
        queries: table of `number` and `query_id`.
        judged: table of `query_id`, `doc_id` and `relevance`.

    Returns:
        Table of `query_id`, `doc_id` and `relevance` (1, and 0 for the random ones), in order.
    """
    own = queries.select("query_id", first="number")
    relevant = judged.filter(judged.relevance == 1).select("query_id", "doc_id", "relevance")
    wanted = judged.group_by("query_id").agg(wanted=(judged.relevance == 0).sum())
    forbidden = relevant.select("query_id", "doc_id")
    if not linked:
        turned = pairs.select(first="second", second="first")
        near = pairs.select("first", "second").union(turned).join(own, "first")
        near = near.join(names.select("doc_id", second="number"), "second")
        forbidden = near.select("query_id", "doc_id").distinct()
    draws = own.cross_join(names).filter(lambda t: t.first != t.number)
    draws = draws.mutate(key=digest(seed, "other", draws.query_id, draws.doc_id))
    fewest = size_of(names) - 1 - _most(forbidden.group_by("query_id").agg(count=forbidden.count()))
    draws = first_of(draws, _most(wanted), fewest)
    draws = draws.anti_join(forbidden, ["query_id", "doc_id"]).join(wanted, "query_id")
    order = ibis.window(group_by=draws.query_id, order_by=[draws.key, draws.doc_id])
    draws = draws.mutate(nth=ibis.row_number().over(order))
    draws = draws.filter(draws.nth < draws.wanted)
    draws = draws.select("query_id", "doc_id", relevance=ibis.literal(0, "int64"))
    return draws.union(relevant).order_by("query_id", "doc_id")


def _most(counts):
    """The largest number in a table's second column."""
    return int(counts[1].max().to_pyarrow().as_py() or 0)
