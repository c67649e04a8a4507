"""Values that are odd, and ways to bend good ones. All take a `random.Random`."""

import copy
import datetime
import decimal

import numpy as np
import pandas as pd

#: functions without argument, so that no input shares a value with another
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
    """An odd value."""
    return random.choice(ODD)()


def column(values, index=None):
    """A column of objects, whatever they are: pandas would read lists and broken texts."""
    held = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        held[row] = value
    return pd.Series(held, index, dtype=object)


def odd_json(random):
    """One that JSON can hold."""
    while True:
        value = odd(random)
        if type(value) in JSON:
            return value


def garbled(random, text):
    """`text` (str or bytes) with a few letters replaced, dropped or doubled, or cut short."""
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
    """A copy of nested dicts and lists in which one to three places are replaced or gone."""
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
