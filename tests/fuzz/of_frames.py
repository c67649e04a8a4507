"""Try frames with every transformer; the contract test's fakes replace models.

A frame that nobody makes may end in an error of Python or pandas; but no input may change, nothing
may hang, and no score may be wrong.
"""

from functools import lru_cache

import numpy as np
import pandas as pd

from tests.fuzz.values import column, odd
from tests.transformers.test_contract import EXAMPLES, MINI, MORE, full_example, input_of

ROWS = 5
DTYPES = ("object", "category", "str", "string[pyarrow]", "float32", "Int64", "bool")


@lru_cache
def _made(name):
    """Return a transformer and a valid frame; do not change the frame."""
    transformer = {**EXAMPLES, **MORE}[name]()
    return transformer, input_of(transformer, full_example(MINI))


def draw(random):
    """Draw a transformer's name, and a frame with one to three changes."""
    name = random.choice([*EXAMPLES, *MORE])
    frame = _made(name)[1]
    frame = frame.iloc[random.sample(range(len(frame)), min(ROWS, len(frame)))]
    for _ in range(random.randint(0, 3)):
        frame = random.choice(WAYS)(random, frame)
    return name, frame


def use(drawn):
    """Transform, and check the output."""
    name, frame = drawn
    try:
        out = _made(name)[0](frame)
    except Exception:
        return
    assert isinstance(out, pd.DataFrame), f"{type(out).__name__} comes out"
    if "score" in out and not out["score"].equals(frame.get("score")):  # it is the step's
        assert np.isfinite(out["score"].astype(float)).all(), "a score that is no finite number"


def _place(random, frame):
    return random.randrange(max(1, frame.shape[1]))


def _value(random, frame):
    """Put an odd value into one or two cells, or everywhere."""
    if not frame.size:
        return frame
    place = _place(random, frame)
    values = frame.iloc[:, place].tolist()
    rows = range(len(values)) if random.random() < 0.2 else [random.randrange(len(values))]
    for row in rows:
        values[row] = odd(random)
    return _with(frame, place, column(values, frame.index))


def _with(frame, place, new):
    """Replace a column by position, because names can be duplicate."""
    out = frame.set_axis(range(frame.shape[1]), axis=1).assign(**{"new": new})
    order = [*range(place), "new", *range(place + 1, frame.shape[1])]
    return out[order].set_axis(frame.columns, axis=1)


def _dtype(random, frame):
    """Change the type of a column, if its values allow it."""
    if not frame.size:
        return frame
    place = _place(random, frame)
    try:
        return _with(frame, place, frame.iloc[:, place].astype(random.choice(DTYPES)))
    except (TypeError, ValueError, NotImplementedError, ArithmeticError):
        return frame


def _sequences(random, frame):
    """Convert lists of a column to tuples or arrays."""
    if not frame.size:
        return frame
    place = _place(random, frame)
    kind = random.choice((tuple, lambda own: np.array(own, dtype=object), lambda own: own[:-1]))
    values = [kind(own) if isinstance(own, list) else own for own in frame.iloc[:, place]]
    return _with(frame, place, column(values, frame.index))


def _index(random, frame):
    """Set an index with the name of a column, with duplicates, or with several levels."""
    names = ["qid", "docno", "score", "other"]
    kind = random.randrange(4)
    if kind == 0:
        index = pd.Index(range(len(frame)), name=random.choice(names))
    elif kind == 1:
        index = pd.Index([0] * len(frame))
    elif kind == 2:
        index = pd.MultiIndex.from_arrays([range(len(frame))] * 2, names=random.sample(names, 2))
    else:
        index = pd.Index([str(number) for number in range(len(frame))])
    return frame.set_axis(index, axis=0)


def _renamed(random, frame):
    """Rename a column, maybe to a duplicate name or to no text."""
    if not frame.size:
        return frame
    names = list(frame.columns)
    names[_place(random, frame)] = random.choice([*frame.columns, 7, ("a", "b"), None, "é", ""])
    out = frame.copy(deep=False)
    out.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    return out


WAYS = [
    *[_value] * 6,
    _dtype,
    _sequences,
    _index,
    _renamed,
    lambda random, frame: frame.loc[:, [random.random() > 0.1 for _ in frame.columns]],
    lambda random, frame: pd.concat([frame, frame.head(1)]),
    lambda random, frame: frame.iloc[: random.randint(0, 1)],
    lambda random, frame: frame.sample(frac=1, random_state=random.randrange(2**32)),
]
