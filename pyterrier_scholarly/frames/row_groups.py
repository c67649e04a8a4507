"""Rows of a frame that share values: each distinct value is looked up once.

    sentences = per_key(results, ["text"], split_sentences)  # each distinct text is split once

Conventions: n rows, u distinct values. Values are numbered from 0 in the order of their first
appearance, so number k belongs to row `first_rows[k]`.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

LISTS = (list, tuple, np.ndarray)  # what a column of lists may hold
T = TypeVar("T")


def numbered(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct combinations of values in `columns`, in order of first appearance.

    Texts are compared by value, lists and arrays by identity: the rows of a query, or of a
    document, share theirs.

    Returns:
        The number of each row, an int array (n,), and the first row with each number (u,).
    """
    numbers, first_rows = number_values(frame[columns[0]])
    for column in columns[1:]:
        column_numbers, column_first_rows = number_values(frame[column])
        # one number for each pair of both, like a position in a table of two digits
        pair_numbers = numbers * len(column_first_rows) + column_numbers
        numbers, first_rows = _renumber(pair_numbers)
    return numbers, first_rows


def by_identity(values: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct objects of `values`, equal ones too; `numbered` says what is returned."""
    addresses = np.fromiter(map(id, values), dtype=np.intp, count=len(values))
    return _renumber(addresses)


def per_key(frame: pd.DataFrame, columns: Sequence[str], look_up: Callable[..., T]) -> list[T]:
    """Return the answer of `look_up` for each row, called with the row's values in `columns`.

    It is called once per distinct combination of values, see `numbered`; rows with the same values
    get the same answer object.
    """
    combination_of_row, first_rows = numbered(frame, columns)

    # lists first: to iterate over columns of a frame takes ten times as long
    distinct_columns = [frame[name].iloc[first_rows].tolist() for name in columns]
    distinct_combinations = zip(*distinct_columns)
    answers = [look_up(*values) for values in distinct_combinations]
    return [answers[number] for number in combination_of_row.tolist()]


def number_values(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct values of one column, in order of first appearance.

    Texts and numbers are compared by value. If a column has a list, an array or anything else
    without a hash, all of its values are compared by identity, because to compare items would take
    long. So two equal lists have two numbers, unless they are one object.

    Returns:
        The number of each row, an int array (n,), and the first row with each number (u,).
    """
    if isinstance(column.dtype, pd.StringDtype):  # all are texts, so no look at each is needed
        return _renumber(column)

    # by identity first: rows share objects, so there are fewer types to look at than rows
    values = column.tolist()
    object_of_row, first_rows_of_objects = by_identity(values)
    distinct_objects = [values[row] for row in first_rows_of_objects.tolist()]
    value_types = {type(distinct_object) for distinct_object in distinct_objects}

    has_lists = any(issubclass(value_type, LISTS) for value_type in value_types)
    has_unhashable = any(value_type.__hash__ is None for value_type in value_types)
    if has_lists or has_unhashable:
        return object_of_row, first_rows_of_objects
    return _renumber(column)


def _renumber(values: np.ndarray | pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Number distinct values, which have a hash, in order of first appearance.

    Returns:
        The number of each row, an int array (n,), and the first row with each number (u,).
    """
    number_of_row, distinct_values = pd.factorize(values, use_na_sentinel=False)

    # Each row is written to the place of its number, from the last row to the first. Of rows with
    # one number, the first is written last, and stays. (np.unique would sort, which takes longer.)
    rows_backwards = np.arange(len(number_of_row))[::-1]
    numbers_backwards = number_of_row[rows_backwards]
    first_rows = np.empty(len(distinct_values), dtype=np.intp)
    first_rows[numbers_backwards] = rows_backwards
    return number_of_row, first_rows
