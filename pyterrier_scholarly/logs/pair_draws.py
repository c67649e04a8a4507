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
    """Draw some of the `total` consecutive downloads in random order: `doc_id_a` and `doc_id_b`.

    Each download counts: a pair that was downloaded ten times is ten times as probable. A draw is
    identified by its two documents and its place (from 0) among the pair's downloads.
    """
    # unnested before the join: DuckDB 2.0 has an internal error if a join is unnested
    downloads = pairs.mutate(nth=ibis.range(pairs["count"]).unnest())
    downloads = add_ids(downloads, documents)

    key = make_key(choices.seed, "pair", downloads.doc_id_a, downloads.doc_id_b, downloads.nth)
    draws = keep_low_keys(downloads.mutate(key=key), choices.pairs, total)
    draws = draws.order_by("key", "doc_id_a", "doc_id_b", "nth")
    return draws.limit(choices.pairs).select("doc_id_a", "doc_id_b")


def draw_random_pairs(
    documents: ibis.Table, forbidden: ibis.Table, size: int, seed: int
) -> ibis.Table:
    """Draw `size` random pairs of different documents; fewer only if hardly a pair is allowed.

    Each round shuffles all documents and pairs the first with the second, the third with the
    fourth, and so on. So each document is drawn equally often; another round may repeat a pair.

    Args:
        documents: to draw from.
        forbidden: table of `first` and `second`, documents that must not be paired in any order.
    """
    rounds = _count_rounds(documents, forbidden, size)
    round_numbers = ibis.range(rounds).unnest().name("round").as_table()
    draws = documents.cross_join(round_numbers)
    draws = draws.mutate(key=make_key(seed, "random", draws["round"], draws.doc_id))

    # a document and its neighbour in the order of its round
    shuffled = ibis.window(group_by=draws["round"], order_by=[draws.key, draws.number])
    neighbours = draws.select(
        "round",
        nth=ibis.row_number().over(shuffled),
        first="number",
        doc_id_a="doc_id",
        second=draws.number.lead().over(shuffled),
        doc_id_b=draws.doc_id.lead().over(shuffled),
    )
    is_even = neighbours.nth % 2 == 0  # so that no document is in two pairs of a round
    has_neighbour = neighbours.second.notnull()
    pairs = neighbours.filter(is_even, has_neighbour)

    pairs = pairs.anti_join(forbidden, ["first", "second"])
    pairs = pairs.anti_join(swap_pairs(forbidden), ["first", "second"])
    pairs = pairs.order_by("round", "nth")
    return pairs.limit(size).select("doc_id_a", "doc_id_b")


def _count_rounds(documents: ibis.Table, forbidden: ibis.Table, size: int) -> int:
    """Return how many rounds are needed for `size` pairs, or how many are tried at most."""
    document_count = count_rows(documents)
    possible_pairs = document_count * (document_count - 1) / 2
    allowed_share = _estimate_allowed_share(possible_pairs, forbidden)
    allowed_per_round = document_count // 2 * allowed_share  # pairs, on average
    if allowed_per_round <= 0:
        return 0

    draws_needed = size / allowed_share  # pairs, of which so many are allowed on average
    surplus = count_surplus(draws_needed)
    rounds_needed = ceil((size + surplus) / allowed_per_round)
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
