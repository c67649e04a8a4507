"""Draw rows of a table on an engine: each row gets a random key, and the lowest keys are drawn.

    draws = table.mutate(key=make_key(seed, "pair", table.doc_id_a, table.doc_id_b))
    draws = keep_low_keys(draws, needed=1000, total=50_000)  # a few more than 1000 rows
    draws = draws.order_by("key").limit(1000)

A key is the md5 of a seed and of what is drawn, so that all engines draw the same.
"""

from math import sqrt

from .log_engine import ibis

SURPLUS = 5  # standard deviations by which draws exceed what is needed on average
LEADING_DIGITS = 8  # hexadecimal, of a key, that are compared with a limit


def make_key(seed: int, *ingredients: str | ibis.Value) -> ibis.Value:
    """Return the md5 of texts and columns, joined by tabs, as 32 hexadecimal digits."""
    text = ibis.literal(str(seed))
    for ingredient in ingredients:
        ingredient_text = ingredient if isinstance(ingredient, str) else ingredient.cast("string")
        text = text + "\t" + ingredient_text
    return text.hexdigest("md5")


def keep_low_keys(draws: ibis.Table, needed: int, total: int) -> ibis.Table:
    """Drop draws with high keys, so that less memory is needed to sort the others.

    Keys are random hexadecimal digits: about a quarter of them are below "40000000", those that
    begin with 0, 1, 2 or 3. Such a limit is chosen for the share that is needed, and some more. So
    the `needed` lowest keys are hardly ever dropped.

    draws: table with `key`, of `total` rows.
    """
    kept_share = (needed + count_surplus(needed)) / max(total, 1)
    if kept_share >= 1:
        return draws

    limit = int(kept_share * 16**LEADING_DIGITS)
    limit_key = f"{limit:0{LEADING_DIGITS}x}"  # the first digits of a key, with leading zeros
    return draws.filter(draws.key < limit_key)


def count_surplus(needed: float) -> float:
    """Return by how many draws to exceed `needed` on average, so that there are hardly ever less.

    The number of draws with a low key varies by about the square root of its mean.
    """
    return SURPLUS * (sqrt(needed) + 1)
