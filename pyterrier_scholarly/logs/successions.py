"""What was downloaded after what, counted, and sets of pairs out of that.

Documents are numbered; `names` is the table of their numbers (`number`) and ids (`doc_id`), or the
part of it that is meant. Pairs are chosen by md5 of a seed and an identity, so that the same are on
every engine.
"""

from math import ceil, sqrt

from ._ibis import ibis
from .choices import SECOND
from .outcomes import KEPT, LAST, PAIR, SAME, TOO_LATE, TOO_SOON

SURPLUS = 5  # standard deviations by which more is drawn than is needed on average
WORK = 50  # documents looked at for each random pair that is wanted, at most


def numbered(rows):
    """Table of the documents that kept rows have: `doc`, its text `doc_id`, and `number`.

    Numbers follow the order of the texts, so that they order documents alike on every engine.
    """
    found = rows.filter(rows.reason == KEPT).select("doc").distinct()
    found = found.mutate(doc_id=found.doc.cast("string"))
    number = ibis.row_number().over(ibis.window(order_by=found.doc_id))
    return found.mutate(number=number.cast("int32"))


def counted(rows, documents, shortest, longest):
    """Table of how often what followed what: `outcome`, `first`, `second` and `count`.

    A user's rows are taken in the order of time, and of documents at the same time. The outcome of
    a row (a code of `outcomes`) is LAST where none follows, TOO_LATE where the next is
    `longest` seconds away or more, TOO_SOON where it is `shortest` or less, SAME where it has the
    same document, else PAIR. `first` and `second` are the numbers of the documents of a PAIR,
    otherwise -1.
    """
    kept = rows.filter(rows.reason == KEPT)
    kept = kept.join(documents, "doc").select("user", "time", "number")
    own = ibis.window(group_by=kept.user, order_by=[kept.time, kept.number])
    after = kept.select(
        first="number",
        second=kept.number.lead().over(own),
        gap=kept.time.lead().over(own) - kept.time,
    )
    outcome = ibis.cases(
        (after.gap.isnull(), LAST),
        (after.gap >= round(longest * SECOND), TOO_LATE),
        (after.gap <= round(shortest * SECOND), TOO_SOON),
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


def similar_pairs(pairs, names, total, size, seed):
    """`size` of the `total` consecutive downloads, in random order.

    Each download counts: what was downloaded ten times in succession is ten times as probable. The
    identity of one is its two documents and which of their successions it is, from 0.

    Args:
        pairs: Ibis table of `first`, `second` (numbers) and `count`.

    Returns:
        Table of `doc_id_a`, the earlier one, and `doc_id_b`.
    """
    # before the texts come in: DuckDB 2.0 has an internal error where a join is unrolled
    each = named(pairs.mutate(nth=ibis.range(pairs["count"]).unnest()), names)
    each = each.mutate(key=digest(seed, "pair", each.doc_id_a, each.doc_id_b, each.nth))
    each = first_of(each, size, total)
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


def first_of(draws, wanted, total):
    """Of `total` draws those of low `key`, among which the first `wanted` are: sorting all would
    take memory.
    """
    share = (wanted + SURPLUS * (sqrt(wanted) + 1)) / max(total, 1)
    return draws.filter(draws.key < f"{int(share * 16**8):08x}") if share < 1 else draws


def _allowed(possible, forbidden):
    """The share of the possible pairs that is allowed, or a bit less where that is nearly all."""
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
    text = ibis.literal(str(seed))
    for part in identity:
        text = text + "\t" + (part if isinstance(part, str) else part.cast("string"))
    return text.hexdigest("md5")


def size_of(table):
    """Return the number of rows."""
    return table.count().to_pyarrow().as_py()
