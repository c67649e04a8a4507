"""Draw pairs of documents: of consecutive downloads, and at random.

    similar = draw_similar_pairs(pairs, documents, total, Choices())
    random = draw_random_pairs(documents, forbidden=pairs, size=1000, seed=0)

Tables of `pairs` have the numbers of two documents, `first` and `second`, and how often the second
was downloaded right after the first, `count`. Tables of `documents` have `number` and `doc_id`.
"""

from math import ceil

from .log_engine import count_rows, ibis
from .mining_choices import Choices
from .random_keys import count_surplus, keep_low_keys, make_key
from .successions import add_ids, swap_pairs

MOST_DRAWS_PER_PAIR = 50  # documents that are drawn for a random pair, at most


def draw_similar_pairs(
    pairs: ibis.Table, documents: ibis.Table, total: int, choices: Choices
) -> ibis.Table:
    """Return a table of consecutive downloads in random order: `doc_id_a` and `doc_id_b`.

    Each download counts: a pair that was downloaded ten times is ten times as probable.

    Args:
        pairs, documents: see the module.
        total: the sum of the pairs' counts.
        choices: `choices.pairs` downloads are drawn, by `choices.seed`.
    """
    # a row for each download of a pair: `nth` is 0, 1, 2 for a count of 3. This comes before the
    # join, because DuckDB 2.0 has an internal error if a join is unnested.
    downloads = pairs.mutate(nth=ibis.range(pairs["count"]).unnest())
    downloads = add_ids(downloads, documents)

    key = make_key(choices.seed, "pair", downloads.doc_id_a, downloads.doc_id_b, downloads.nth)
    draws = keep_low_keys(downloads.mutate(key=key), choices.pairs, total)
    draws = draws.order_by("key", "doc_id_a", "doc_id_b", "nth")
    return draws.limit(choices.pairs).select("doc_id_a", "doc_id_b")


def draw_random_pairs(
    documents: ibis.Table, forbidden: ibis.Table, size: int, seed: int
) -> ibis.Table:
    """Return a table of `size` random pairs of different documents: `doc_id_a` and `doc_id_b`.

    Each round shuffles all documents and pairs the first with the second, the third with the
    fourth, and so on. So each document is drawn equally often; another round may repeat a pair.
    There are fewer than `size` pairs only if hardly a pair is allowed.

    Args:
        documents: to draw from.
        forbidden: table of `first` and `second`, documents that must not be paired in any order.
        size: the number of pairs.
        seed: equal seeds give equal pairs, on any engine.
    """
    rounds = _count_rounds(documents, forbidden, size)
    shuffled = _shuffle_in_rounds(documents, rounds, seed)
    pairs = _pair_neighbours(shuffled)

    # neither (first, second) nor (second, first) may be forbidden
    pairs = pairs.anti_join(forbidden, ["first", "second"])
    pairs = pairs.anti_join(swap_pairs(forbidden), ["first", "second"])
    pairs = pairs.order_by("round", "nth")
    return pairs.limit(size).select("doc_id_a", "doc_id_b")


def _shuffle_in_rounds(documents: ibis.Table, rounds: int, seed: int) -> ibis.Table:
    """Return all documents once for each `round`, with a random `key` that orders them there."""
    round_numbers = ibis.range(rounds).unnest().name("round").as_table()
    repeated = documents.cross_join(round_numbers)
    key = make_key(seed, "random", repeated["round"], repeated.doc_id)
    return repeated.mutate(key=key)


def _pair_neighbours(shuffled: ibis.Table) -> ibis.Table:
    """Return each round's pairs: its first document with its second, third with fourth, and so on.

    The table has `round`, `nth` (0, 2, …: the first document's place in the round), the numbers
    `first` and `second`, and the ids `doc_id_a` and `doc_id_b`. The last of an odd number of
    documents is in no pair.
    """
    order = ibis.window(group_by=shuffled["round"], order_by=[shuffled.key, shuffled.number])
    neighbours = shuffled.select(
        "round",
        nth=ibis.row_number().over(order),
        first="number",
        doc_id_a="doc_id",
        second=shuffled.number.lead().over(order),  # of the next document; NULL for the last
        doc_id_b=shuffled.doc_id.lead().over(order),
    )
    is_even = neighbours.nth % 2 == 0  # so that no document is in two pairs of a round
    has_neighbour = neighbours.second.notnull()
    return neighbours.filter(is_even, has_neighbour)


def _count_rounds(documents: ibis.Table, forbidden: ibis.Table, size: int) -> int:
    """Return in how many rounds to draw random pairs, so that `size` of them are allowed.

    A round pairs each document with another one: 101 documents make 50 pairs, some of them
    forbidden. The rounds most probably have `size` allowed pairs. If hardly a pair is allowed, they
    may have fewer: at most MOST_DRAWS_PER_PAIR documents are drawn for a pair. 0 rounds if no pair
    is allowed.
    """
    document_count = count_rows(documents)
    possible_pairs = document_count * (document_count - 1) / 2
    allowed_share = _estimate_allowed_share(possible_pairs, forbidden)
    pairs_per_round = document_count // 2
    allowed_per_round = pairs_per_round * allowed_share  # on average
    if allowed_per_round <= 0:
        return 0

    # among so many random pairs, `size` are allowed on average; some more make it nearly certain
    pairs_needed = size / allowed_share
    surplus = count_surplus(pairs_needed)
    rounds_needed = ceil((size + surplus) / allowed_per_round)

    # a round draws each document once
    most_rounds = MOST_DRAWS_PER_PAIR * size // max(document_count, 1) + 1
    return min(rounds_needed, most_rounds)


def _estimate_allowed_share(possible_pairs: float, forbidden: ibis.Table) -> float:
    """Return the share of the possible pairs that is allowed, or slightly less if it is high."""
    if not possible_pairs:
        return 0

    # This counts a pair twice that is forbidden in both orders. Exact counting is slow, so it is
    # done only if many pairs are forbidden.
    forbidden_count = count_rows(forbidden)
    if forbidden_count > possible_pairs / 10:
        unordered = forbidden.select(
            low=ibis.least(forbidden.first, forbidden.second),
            high=ibis.greatest(forbidden.first, forbidden.second),
        )
        forbidden_count = count_rows(unordered.distinct())
    return 1 - forbidden_count / possible_pairs
