"""Draw odd values, and change valid ones. All functions take a `random.Random`."""

import copy
import datetime
import decimal

import numpy as np
import pandas as pd

#: functions without arguments, so that inputs share no values
ODD = [
    *[lambda value=value: value for value in (None, True, False, 0, -1, 1, 7, 2**31, 2**70)],
    *[lambda value=value: value for value in (float("nan"), float("inf"), -0.0, 1e308, 0.5, 1j)],
    *[lambda text=text: text for text in ("", " ", "\n", "7", "nan", "NA", "None", "null", "-1")],
    *[lambda text=text: text for text in ("\ud800", "\x00", "é", "a\u0301", "\u202e", "𝒳", "²")],
    *[lambda text=text: text for text in ("=1+1", "<b>", "{x}", "%s", "../..", "/", "a b", "#")],
    lambda: "a" * 10_000,
    lambda: 10**400,
    lambda: b"bytes",
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: np.float32("nan"),
    lambda: np.int64(3),
    lambda: np.str_("numpy"),
    lambda: decimal.Decimal("NaN"),
    lambda: datetime.datetime(2020, 2, 29),
    list,
    dict,
    tuple,
    lambda: [None],
    lambda: [""],
    lambda: ["one", 2],
    lambda: [["nested"]],
    lambda: {"a": {"b": []}},
    lambda: {"a", 1},
    lambda: np.array("no dimension"),
    lambda: np.array([["two", "dimensions"]]),
    lambda: np.array([]),
    lambda: np.array([1.0, float("nan")]),
]
LETTERS = "%@()=',.:[]{}<>-+_ \\\"0129aNz\x00é\ud800²\n"
JSON = (type(None), bool, int, float, str, list, dict)


def odd(random):
    """Draw an odd value."""
    return random.choice(ODD)()


def column(values, index=None):
    """Return a column of objects; pandas would convert lists and damaged texts."""
    held = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        held[row] = value
    return pd.Series(held, index, dtype=object)


def odd_json(random):
    """Draw a value that JSON can store."""
    while True:
        value = odd(random)
        if type(value) in JSON:
            return value


def garbled(random, text):
    """Replace, drop or double a few letters of `text` (str or bytes), or truncate it."""
    letters = list(text)
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(letters) + 1)
        letter = random.choice(LETTERS)
        new = [letter] if isinstance(text, str) else letter.encode("utf-8", "surrogatepass")
        letters[place : place + random.randint(0, 1)] = list(new) * random.choice((0, 1, 1, 2))
    if random.random() < 0.1:
        letters = letters[: random.randrange(len(letters) + 1)]
    return "".join(letters) if isinstance(text, str) else bytes(letters)


def bent(random, value, other=odd_json):
    """Copy nested dicts and lists, and replace or remove one to three values."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, 3)):
        value = _bent(random, value, other)
    return value


def _bent(random, value, other):
    inside = isinstance(value, (dict, list)) and value
    if not inside or random.random() < 0.15:
        garble = isinstance(value, str) and random.random() < 0.5
        return garbled(random, value) if garble else other(random)
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    action = random.random()
    if action < 0.1:
        del value[key]
    elif action < 0.2 and isinstance(value, dict):
        value[garbled(random, str(key))] = value.pop(key)
    elif action < 0.2:
        value.append(copy.deepcopy(value[key]))
    else:
        value[key] = _bent(random, value[key], other)
    return value
