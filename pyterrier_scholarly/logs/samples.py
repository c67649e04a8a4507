"""Sets of pairs out of counted successions, chosen by md5 of a seed and an identity.

So the same are chosen on every engine. Documents are numbered as in `successions.numbered`; `names`
is that table, or the part of it (`number`, `doc_id`) that is meant.
"""

from math import ceil, sqrt

SURPLUS = 5  # standard deviations by which more is drawn than is needed on average
WORK = 50  # documents looked at for each random pair that is wanted, at most


def similar_pairs(pairs, names, total, size, seed):
    """`size` of the `total` consecutive downloads, in random order.

    Each download counts: what was downloaded ten times in succession is ten times as probable. The
    identity of one is its two documents and which of their successions it is, from 0.

    Args:
        pairs: Ibis table of `first`, `second` (numbers) and `count`.

    Returns:
        Table of `doc_id_a`, the earlier one, and `doc_id_b`.
    """
    import ibis

    # before the texts come in: DuckDB 2.0 has an internal error where a join is unrolled
    each = named(pairs.mutate(nth=ibis.range(pairs["count"]).unnest()), names)
    each = each.mutate(key=digest(seed, "pair", each.doc_id_a, each.doc_id_b, each.nth))
    share = (size + SURPLUS * (sqrt(size) + 1)) / max(total, 1)
    if share < 1:  # the others are not among the first: sorting them would take memory
        each = each.filter(each.key < f"{int(share * 16**8):08x}")
    each = each.order_by("key", "doc_id_a", "doc_id_b", "nth").limit(size)
    return each.select("doc_id_a", "doc_id_b")


def random_pairs(names, forbidden, size, seed):
    """`size` random pairs of different documents, fewer only where hardly a pair is allowed.

    They come in rounds, each of which puts all documents in a random order and takes the first with
    the second, the third with the fourth, and so on: so each document is drawn as often.

    Args:
        names: the documents to draw from.
        forbidden: table of `first` and `second`, numbers of documents that are not to be paired,
            in neither order.

    Returns:
        Table of `doc_id_a` and `doc_id_b`; the same pair may come again in another round.
    """
    import ibis

    many = size_of(names)
    share = _allowed(many * (many - 1) / 2, forbidden)
    fair = many // 2 * share  # pairs that a round gives on average
    needed = ceil((size + SURPLUS * (sqrt(size / share) + 1)) / fair) if fair > 0 else 0
    rounds = min(needed, WORK * size // max(many, 1) + 1)
    draws = names.cross_join(ibis.range(rounds).unnest().name("round").as_table())
    draws = draws.mutate(key=digest(seed, "random", draws["round"], draws.doc_id))
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
    turned = forbidden.select(first="second", second="first")
    pairs = pairs.anti_join(forbidden, ["first", "second"]).anti_join(turned, ["first", "second"])
    return pairs.order_by("round", "nth").limit(size).select("doc_id_a", "doc_id_b")


def _allowed(possible, forbidden):
    """The share of the possible pairs that is allowed, or a bit less where that is nearly all."""
    import ibis

    count = size_of(forbidden)
    if count > possible / 10:  # exactly: both orders of a pair are one
        first, second = forbidden.first, forbidden.second
        low, high = ibis.least(first, second), ibis.greatest(first, second)
        count = size_of(forbidden.select(low=low, high=high).distinct())
    return 1 - count / possible if possible else 0


def named(pairs, names):
    """`pairs` with the documents' ids, `doc_id_a` and `doc_id_b`."""
    found = pairs.join(names.select(doc_id_a="doc_id", first="number"), "first")
    return found.join(names.select(doc_id_b="doc_id", second="number"), "second")


def digest(seed, *identity):
    """md5 of texts and columns with tabs between them, as 32 hexadecimal digits."""
    import ibis

    text = ibis.literal(str(seed))
    for part in identity:
        text = text + "\t" + (part if isinstance(part, str) else part.cast("string"))
    return text.hexdigest("md5")


def size_of(table):
    """Return the number of rows."""
    return table.count().to_pyarrow().as_py()
