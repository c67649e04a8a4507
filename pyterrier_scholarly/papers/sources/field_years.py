"""Read the year of a record's fields, whichever form of a date a source gives them.

>>> read_year({"date": "12 May 2019"}, ["year", "date"])
2019
>>> find_year({"date-parts": [[2019, 5]]})
2019
"""

import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TypeGuard

import numpy as np

from .field_values import Fields

YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")  # 1500 to 2099
DATE_FIELDS = ("date-parts", "raw", "literal")  # of a date of CSL-JSON


def read_year(fields: Fields, names: Iterable[str]) -> int | None:
    """Return the first year that one of the fields has, from 1500 to 2099; None without one.

    A field may be a number, a text with a year in it (``2019-05-01``, ``1 May 2019``, ``2019///``),
    or a date of CSL-JSON.
    """
    for name in names:
        year = find_year(fields.get(name))
        if year is not None:
            return year
    return None


def find_year(value: object) -> int | None:
    """Return the year in a value, from 1500 to 2099; None without one.

    The value may be a number, a text ("1 May 2019"), a list with the year first ([[2019, 5, 1]]),
    or a date of CSL-JSON ({"date-parts": [[2019, 5, 1]]}).
    """
    if isinstance(value, Mapping):
        return read_year(value, DATE_FIELDS)
    if isinstance(value, (list, tuple)):
        return find_year(value[0]) if value else None

    if isinstance(value, str):
        text = value
    elif _is_finite_number(value):
        text = str(int(float(value)))  # "2019" for 2019.0
    else:
        return None
    match = YEAR.search(text)
    return int(match[0]) if match else None


def _is_finite_number(value: object) -> TypeGuard[Real]:
    """Return whether a value is a number, but not NaN, infinity, True or False."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return bool(np.isfinite(float(value)))
