"""Rows as they are handed over become checked tuples, on their way into a table."""

from itertools import chain

from msgspec.json import encode
from msgspec.structs import astuple

from ir_datasets_ext.local.kinds import (
    RATING,
    REQUIRED,
    check_fields,
    known_types,
    layout_of,
)
from ir_datasets_ext.records import checked, refused

#: names of columns as PyTerrier has them -> ours, in the kinds that require these
RENAMED = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
OF_TYPE = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "list"}


def table_of(kind, rows):
    """Return the fields of `rows` and the rows as tuples in plain Python, checked one by one.

    rows: a data frame, or an iterable of mappings or named tuples; a stream is read once, as the
        result is. The first row says which fields there are.
    Raises ValueError, at once or when the row in question is reached, that names kind and row.
    """
    names, tuples = _named_tuples(kind, rows)
    first = next(tuples, None)
    fields = {name: _type(name, kind, first, at) for at, name in enumerate(names or REQUIRED[kind])}
    check_fields(kind, fields, f"the {kind} to be written")
    return fields, _plain(kind, fields, chain(() if first is None else (first,), tuples))


def _named_tuples(kind, rows):
    """The names of the columns, those that are required first, and the rows as tuples in order."""
    if hasattr(rows, "itertuples"):  # a data frame
        columns = _required_first(kind, rows.columns)
        tuples = zip(*(rows[column].tolist() for column in columns))
    else:
        try:
            rows = iter(rows)
        except TypeError:
            raise ValueError(
                f"{kind} are {rows!r:.60}: expected a data frame, or an iterable of dicts or named "
                "tuples"
            ) from None
        first = next(rows, None)
        if first is None:
            return [], iter(())
        names = first if hasattr(first, "keys") else getattr(first, "_fields", ())
        if not names:
            raise ValueError(
                f"{kind}: {first!r} has no names: expected mappings (dict), named tuples, or a "
                "data frame"
            )
        columns = _required_first(kind, names)
        tuples = _in_order(kind, columns, chain((first,), rows))
    names = [_ours(kind, column) for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"the {kind} have two columns for {', '.join(twice)}: leave one out")
    return names, iter(tuples)


def _ours(kind, column):
    ours = RENAMED.get(column, column)
    return ours if ours in REQUIRED[kind] else column


def _required_first(kind, columns):
    order = {name: place for place, name in enumerate(REQUIRED[kind])}
    return sorted(columns, key=lambda column: order.get(_ours(kind, column), len(order)))


def _in_order(kind, names, rows):
    for number, row in enumerate(rows, 1):
        try:
            if hasattr(row, "keys"):
                values = tuple(row[name] for name in names)
            else:
                values = tuple(getattr(row, name) for name in names)
            whole = len(row) == len(names)
        except (KeyError, AttributeError, TypeError):
            whole = False
        if not whole:
            raise ValueError(
                f"row {number} of the {kind} is {row!r}: expected {', '.join(names)}, as in the "
                "first row"
            )
        yield values


def _type(name, kind, first, at):
    known = known_types(kind)
    if name in known or first is None:
        return known.get(name, "str")
    value = first[at].tolist() if hasattr(first[at], "tolist") else first[at]  # numpy's
    return OF_TYPE.get(type(value), type(value).__name__)


def _plain(kind, fields, rows):
    layout, remedy = layout_of(fields), f"Correct the row: the first one has the fields {fields}"
    for number, row in enumerate(rows, 1):
        values = {
            name: _rating(value) if name == RATING[0] else _python(value)
            for name, value in zip(fields, row)
        }
        record = checked(values, layout, f"the {kind} to be written", f"row {number}", remedy)
        try:
            encode(record)
        except UnicodeEncodeError as error:
            what = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
            raise refused(f"the {kind} to be written", f"row {number}", "", what, remedy) from None
        yield astuple(record)


def _rating(value):
    """A missing rating, which is NaN in a frame and makes floats of the others, as None."""
    value = _python(value)
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    return value


def _python(value):
    """A value without NumPy's types."""
    if isinstance(value, str):
        return str(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(map(_python, value)) if isinstance(value, (list, tuple)) else value
