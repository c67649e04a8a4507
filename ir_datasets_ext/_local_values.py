"""What a field of a table may hold: checked, and made plain Python."""

import math
import numbers

RATING = ("rating", "int")  # the one field that may be null: a rating that is missing


def checks_of(fields):
    """Return a function per field that gives its value in plain Python, or raises TypeError."""
    return [_rating if field == RATING else CHECKS[field[1]] for field in fields.items()]


def _rating(value):
    if value is None or value != value:  # None in a frame is NaN, and the others are floats then
        return None
    return _whole(int(value) if isinstance(value, float) and value.is_integer() else value)


def _text(value):
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"expected a text, got {value!r}")


def _whole(value):
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"expected a whole number, got {value!r}")


def _number(value):
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise TypeError(f"expected a finite number, got {value!r}")


def _texts(value):
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"expected a list of texts, got {value!r}")
    return tuple(map(_text, value))


CHECKS = {"str": _text, "int": _whole, "float": _number, "list": _texts}
