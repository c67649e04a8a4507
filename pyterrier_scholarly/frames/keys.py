"""Number what a frame's rows share, and look it up once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

LISTS = (list, tuple, np.ndarray)  # what a column of lists may hold
T = TypeVar("T")


def numbered(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct combinations of `columns`, in order of first appearance.

    Texts are compared by value, lists and arrays by identity: the rows of a query, or of a
    document, share theirs.

    Returns:
        The number of each row, an int array (n,), and the first row with each number (u,).
    """
    numbers, first = _numbered(frame[columns[0]])
    for column in columns[1:]:
        more, others = _numbered(frame[column])
        numbers, first = _first_rows(pd.factorize(numbers * len(others) + more)[0])
    return numbers, first


def by_identity(values: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct objects of `values`, however equal they are; returns as `numbered`."""
    return _first_rows(pd.factorize(np.fromiter(map(id, values), np.intp, len(values)))[0])


def per_key(frame: pd.DataFrame, columns: Sequence[str], look_up: Callable[..., T]) -> list[T]:
    """Call `look_up` once per distinct combination of `columns`; return its answers row by row.

    Rows of the same combination, see `numbered`, get the same answer object.
    """
    numbers, first = numbered(frame, columns)
    rows = zip(*(frame[name].iloc[first].tolist() for name in columns))
    answers = [look_up(*row) for row in rows]
    return list(map(answers.__getitem__, numbers.tolist()))


def _numbered(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(column.dtype, pd.StringDtype):
        values = column.tolist()
        kinds = set(map(type, values))
        if any(kind.__hash__ is None or issubclass(kind, LISTS) for kind in kinds):
            return by_identity(values)
    return _first_rows(pd.factorize(column, use_na_sentinel=False)[0])


def _first_rows(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `numbers` (n,), which count from 0, and the first place of each (u,)."""
    first = np.empty(numbers.max(initial=-1) + 1, dtype=np.intp)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers, first
