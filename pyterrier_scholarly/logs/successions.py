"""What was downloaded after what, counted; and pairs, queries and judgements drawn from that.

Documents are numbered; `names` is the table of their numbers (`number`) and ids (`doc_id`), or a
part of it. Draws go by the md5 of a seed and of what is drawn, so that engines agree.
"""

from math import ceil, sqrt

import pyarrow as pa

from .backends import Engine, ibis
from .log_files import SECOND
from .mining_summary import KEPT, LAST, PAIR, SAME, TOO_LATE, TOO_SOON, Choices

SURPLUS = 5  # standard deviations by which draws exceed what is needed on average


def numbered(rows: ibis.Table) -> ibis.Table:
    """Return a table of the kept rows' documents: `doc`, its text `doc_id`, and `number`.

    Numbers follow the order of the texts, so that engines agree on it.
    """
    documents = rows.filter(rows.reason == KEPT).select("doc").distinct()
    documents = documents.mutate(doc_id=documents.doc.cast("string"))
    return documents.mutate(number=ibis.row_number().over(order_by=documents.doc_id).cast("int32"))


def counted(rows: ibis.Table, documents: ibis.Table, choices: Choices) -> ibis.Table:
    """Count what followed what: a table of `outcome`, `first`, `second` and `count`.

    A user's rows are sorted by time, then by document. The outcome of a row is a code: LAST if
    none follows, TOO_LATE if the next is `longest` seconds away or more, TOO_SOON if `shortest` or
    less, SAME if it has the same document, else PAIR. `first` and `second` are the numbers of the
    documents of a PAIR, otherwise -1.
    """
    kept = rows.filter(rows.reason == KEPT).join(documents, "doc").select("user", "time", "number")
    of_user = ibis.window(group_by=kept.user, order_by=[kept.time, kept.number])
    after = kept.select(
        first="number",
        second=kept.number.lead().over(of_user),
        gap=kept.time.lead().over(of_user) - kept.time,
    )
    outcome = ibis.cases(
        (after.gap.isnull(), LAST),
        (after.gap >= round(choices.longest * SECOND), TOO_LATE),
        (after.gap <= round(choices.shortest * SECOND), TOO_SOON),
        (after.first == after.second, SAME),
        else_=PAIR,
    )
    pair = outcome == PAIR
    after = after.select(
        outcome=outcome.cast("int8"),
        first=ibis.ifelse(pair, after.first, -1),
        second=ibis.ifelse(pair, after.second, -1),
    )
    return after.group_by("outcome", "first", "second").agg(count=after.count())


def similar_pairs(pairs: ibis.Table, names: ibis.Table, total: int, choices: Choices) -> ibis.Table:
    """Draw some of the `total` consecutive downloads in random order: `doc_id_a` and `doc_id_b`.

    Each download counts: a pair that was downloaded ten times is ten times as probable. A draw is
    identified by its two documents and its place (from 0) among the pair's downloads.
    """
    # unnested before the join: DuckDB 2.0 has an internal error if a join is unnested
    draws = named(pairs.mutate(nth=ibis.range(pairs["count"]).unnest()), names)
    key = _digest(choices.seed, "pair", draws.doc_id_a, draws.doc_id_b, draws.nth)
    draws = _low(draws.mutate(key=key), choices.pairs, total)
    draws = draws.order_by("key", "doc_id_a", "doc_id_b", "nth").limit(choices.pairs)
    return draws.select("doc_id_a", "doc_id_b")


def random_pairs(names: ibis.Table, forbidden: ibis.Table, size: int, seed: int) -> ibis.Table:
    """Draw `size` random pairs of different documents; fewer only if hardly a pair is allowed.

    Each round shuffles all documents and pairs the first with the second, the third with the
    fourth, and so on. So each document is drawn equally often; another round may repeat a pair.

    Args:
        names: the documents to draw from.
        forbidden: table of `first` and `second`, documents that must not be paired in any order.
    """
    documents = _size(names)
    share = _allowed(documents * (documents - 1) / 2, forbidden)
    average = documents // 2 * share  # pairs per round
    needed = ceil((size + SURPLUS * (sqrt(size / share) + 1)) / average) if average > 0 else 0
    rounds = min(needed, 50 * size // max(documents, 1) + 1)  # at most 50 documents read per pair
    draws = names.cross_join(ibis.range(rounds).unnest().name("round").as_table())
    draws = draws.mutate(key=_digest(seed, "random", draws["round"], draws.doc_id))
    order = ibis.window(group_by=draws["round"], order_by=[draws.key, draws.number])
    pairs = draws.select(
        "round",
        nth=ibis.row_number().over(order),
        first="number",
        doc_id_a="doc_id",
        second=draws.number.lead().over(order),
        doc_id_b=draws.doc_id.lead().over(order),
    )
    pairs = pairs.filter(pairs.nth % 2 == 0, pairs.second.notnull())
    for barred in (forbidden, _turned(forbidden)):
        pairs = pairs.anti_join(barred, ["first", "second"])
    return pairs.order_by("round", "nth").limit(size).select("doc_id_a", "doc_id_b")


def _allowed(possible: float, forbidden: ibis.Table) -> float:
    """Return the share of the possible pairs that is allowed, or slightly less if it is high."""
    count = _size(forbidden)
    if count > possible / 10:  # exactly: both orders of a pair count once
        first, second = forbidden.first, forbidden.second
        low, high = ibis.least(first, second), ibis.greatest(first, second)
        count = _size(forbidden.select(low=low, high=high).distinct())
    return 1 - count / possible if possible else 0


def judgements(
    pairs: ibis.Table, names: ibis.Table, engine: Engine, choices: Choices
) -> tuple[int, pa.Table, pa.Table, pa.Table]:
    """Return the number of possible queries, and tables of those chosen and of both pools.

    The pools are judged: all successors (`query_id`, `doc_id`, `relevance`, `count`), and the
    relevant ones with random documents (`query_id`, `doc_id`, `relevance`).
    """
    eligible = engine.keep(_eligible(pairs, names, choices))
    queries = eligible.order_by("key", "query_id").limit(choices.queries)
    queries = engine.keep(queries.select("query_id", first="number"))
    judged = pairs.join(queries, "first").join(names.select("doc_id", second="number"), "second")
    judged = judged.mutate(relevance=(judged["count"] > choices.relevant).cast("int64"))
    judged = engine.keep(judged.select("query_id", "doc_id", "relevance", "count"))
    return (
        _size(eligible),
        queries.order_by("query_id").select("query_id").to_pyarrow(),
        judged.order_by("query_id", "doc_id").to_pyarrow(),
        _random_judged(names, pairs, queries, judged, choices).to_pyarrow(),
    )


def _eligible(pairs: ibis.Table, names: ibis.Table, choices: Choices) -> ibis.Table:
    """Return a table of the documents that can be queries: `number`, `query_id`, random `key`.

    More than `successors` different documents follow each, at least one of them more than
    `relevant` times.
    """
    counts = pairs.group_by(number=pairs.first).agg(
        successors=pairs.count(), relevant=(pairs["count"] > choices.relevant).sum()
    )
    counts = counts.filter(counts.successors > choices.successors, counts.relevant > 0)
    queries = counts.join(names, "number").select("number", query_id="doc_id")
    return queries.mutate(key=_digest(choices.seed, "query", queries.query_id))


def _random_judged(
    names: ibis.Table,
    pairs: ibis.Table,
    queries: ibis.Table,
    judged: ibis.Table,
    choices: Choices,
) -> ibis.Table:
    """Replace each query's less frequent successors by as many random documents of `names`.

    A random document is neither the query nor relevant to it. Unless `choices.linked`, it was not
    downloaded right before or after the query either.

    Returns:
        Sorted table of `query_id`, `doc_id` and `relevance` (1; 0 for the random documents).
    """
    relevant = judged.filter(judged.relevance == 1).select("query_id", "doc_id", "relevance")
    wanted = judged.group_by("query_id").agg(wanted=(judged.relevance == 0).sum())
    forbidden = relevant.select("query_id", "doc_id")
    if not choices.linked:
        near = pairs.select("first", "second").union(_turned(pairs)).join(queries, "first")
        near = near.join(names.select("doc_id", second="number"), "second")
        forbidden = near.select("query_id", "doc_id").distinct()
    draws = queries.cross_join(names).filter(lambda t: t.first != t.number)
    draws = draws.mutate(key=_digest(choices.seed, "other", draws.query_id, draws.doc_id))
    blocked = _most(forbidden.group_by("query_id").agg(count=forbidden.count()))
    draws = _low(draws, _most(wanted), _size(names) - 1 - blocked)
    draws = draws.anti_join(forbidden, ["query_id", "doc_id"]).join(wanted, "query_id")
    order = ibis.window(group_by=draws.query_id, order_by=[draws.key, draws.doc_id])
    draws = draws.mutate(nth=ibis.row_number().over(order)).filter(lambda t: t.nth < t.wanted)
    draws = draws.select("query_id", "doc_id", relevance=ibis.literal(0, "int64"))
    return draws.union(relevant).order_by("query_id", "doc_id")


def named(pairs: ibis.Table, names: ibis.Table) -> ibis.Table:
    """Add the documents' ids, `doc_id_a` and `doc_id_b`."""
    pairs = pairs.join(names.select(doc_id_a="doc_id", first="number"), "first")
    return pairs.join(names.select(doc_id_b="doc_id", second="number"), "second")


def _turned(pairs: ibis.Table) -> ibis.Table:
    return pairs.select(first="second", second="first")


def _low(draws: ibis.Table, wanted: int, total: int) -> ibis.Table:
    """Keep enough of `total` draws for the `wanted` lowest keys: sorting all needs memory."""
    share = (wanted + SURPLUS * (sqrt(wanted) + 1)) / max(total, 1)
    return draws.filter(draws.key < f"{int(share * 16**8):08x}") if share < 1 else draws


def _digest(seed: int, *parts: str | ibis.Value) -> ibis.Value:
    """Return the md5 of texts and columns, joined by tabs, as 32 hexadecimal digits."""
    text = ibis.literal(str(seed))
    for part in parts:
        text = text + "\t" + (part if isinstance(part, str) else part.cast("string"))
    return text.hexdigest("md5")


def _size(table: ibis.Table) -> int:
    return table.count().to_pyarrow().as_py()


def _most(counts: ibis.Table) -> int:
    """Return the largest number in a table's second column."""
    return int(counts[1].max().to_pyarrow().as_py() or 0)
