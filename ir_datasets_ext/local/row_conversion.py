"""Convert the rows that a user passes to tuples of plain Python, checked one by one.

::

    table = convert_rows("queries", [{"qid": "1", "query": "ants"}])
    table.fields      # {"query_id": "str", "query": "str"}
    list(table.rows)  # [("1", "ants")]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.json import encode
from msgspec.structs import astuple

from ir_datasets_ext.local.kinds import (
    RATING,
    REQUIRED,
    Rows,
    check_fields,
    fixed_types,
    layout_of,
)
from ir_datasets_ext.typed_records import convert, reading_error

if TYPE_CHECKING:
    from pandas import DataFrame

#: PyTerrier's name of a column -> ours, in the kinds that require it
RENAMED = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
EXPECTED = "expected a data frame, or an iterable of mappings (dict) or named tuples"
#: type of a value -> the field's type in a manifest
FIELD_TYPES = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "list"}


class ConvertedTable(NamedTuple):
    """The fields of a table (name -> type), and its rows as tuples of plain Python."""

    fields: dict[str, str]
    rows: Iterator[tuple]


class NamedRows(NamedTuple):
    """The names of a table's columns, and its rows as tuples in their order, not yet checked.

    names: empty if the table is a stream without rows.
    """

    names: list[str]
    rows: Iterator[tuple]


class PeekedRows(NamedTuple):
    """The first row of a stream, None if there is none, and all its rows, the first one too."""

    first_row: Any
    all_rows: Iterator


def convert_rows(kind: str, rows: Rows) -> ConvertedTable:
    """Return the fields of `rows`, and the rows as tuples of plain Python, checked one by one.

    rows: a data frame, or an iterable of mappings or named tuples. The first row defines the
        fields. A stream is read once, as the result is iterated. A ValueError names kind and row.
    """
    named_rows = _name_rows(kind, rows)
    names = named_rows.names or list(REQUIRED[kind])  # an empty stream has no names
    peeked_rows = _peek(named_rows.rows)
    first_row = peeked_rows.first_row
    if first_row is None:
        first_row = [""] * len(names)  # fields whose type is not fixed become texts

    fields = {name: _find_type(kind, name, value) for name, value in zip(names, first_row)}
    check_fields(kind, fields, f"the {kind} to be written")
    return ConvertedTable(fields, _convert_each(kind, fields, peeked_rows.all_rows))


def _name_rows(kind: str, rows: Any) -> NamedRows:
    """Return the rows with the names of their columns, required ones first."""
    if hasattr(rows, "itertuples"):
        named_rows = _name_frame_rows(kind, rows)
    else:
        named_rows = _name_stream_rows(kind, rows)

    names = named_rows.names
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueError(f"the {kind} have two columns for {', '.join(duplicates)}: leave one out")
    return named_rows


def _name_frame_rows(kind: str, frame: "DataFrame") -> NamedRows:
    """Return the rows of a data frame."""
    columns = _sort_required_first(kind, frame.columns)
    values_by_column = [frame[column].tolist() for column in columns]  # plain Python, not NumPy's
    names = [_rename(kind, column) for column in columns]
    return NamedRows(names, zip(*values_by_column))


def _name_stream_rows(kind: str, rows: Any) -> NamedRows:
    """Return the rows of an iterable of mappings or named tuples."""
    try:
        stream = iter(rows)
    except TypeError:
        raise ValueError(f"{kind} are {rows!r:.60}: {EXPECTED}") from None

    first_row, all_rows = _peek(stream)
    if first_row is None:
        return NamedRows([], all_rows)

    is_mapping = hasattr(first_row, "keys")
    row_fields = list(first_row) if is_mapping else getattr(first_row, "_fields", ())
    if not row_fields:
        raise ValueError(f"{kind}: {first_row!r} has no field names: {EXPECTED}")

    columns = _sort_required_first(kind, row_fields)
    names = [_rename(kind, column) for column in columns]
    return NamedRows(names, _order_values(kind, columns, all_rows))


def _peek(rows: Iterator) -> PeekedRows:
    """Return the first of some rows, and an iterator that yields all of them."""
    first_row = next(rows, None)
    if first_row is None:
        return PeekedRows(None, iter(()))
    return PeekedRows(first_row, chain((first_row,), rows))


def _rename(kind: str, column: str) -> str:
    """Return our name of a column, which PyTerrier may call otherwise."""
    our_name = RENAMED.get(column, column)
    return our_name if our_name in REQUIRED[kind] else column


def _sort_required_first(kind: str, columns: Iterable[str]) -> list[str]:
    """Return the required columns in the order of REQUIRED, then the others in theirs."""
    required_names = list(REQUIRED[kind])

    def find_position(column: str) -> int:
        name = _rename(kind, column)
        if name in required_names:
            return required_names.index(name)
        return len(required_names)  # all others: sorting keeps their order

    return sorted(columns, key=find_position)


def _order_values(kind: str, columns: Sequence[str], rows: Iterable) -> Iterator[tuple]:
    """Yield the values of mappings or named tuples in the order of `columns`, which all have."""
    for number, row in enumerate(rows, 1):
        values = _read_values(row, columns)
        if values is None:
            raise ValueError(
                f"row {number} of the {kind} is {row!r}: expected {', '.join(columns)}, as in the "
                "first row"
            )
        yield values


def _read_values(row: Any, columns: Sequence[str]) -> tuple | None:
    """Return the values of a mapping or named tuple; None unless it has just these columns."""
    try:
        if len(row) != len(columns):
            return None
        if hasattr(row, "keys"):
            return tuple([row[column] for column in columns])
        return tuple([getattr(row, column) for column in columns])
    except (KeyError, AttributeError, TypeError):
        return None


def _find_type(kind: str, name: str, value: object) -> str:
    """Return the type of a field in a manifest: the fixed one, or that of the first row's value."""
    fixed_type = fixed_types(kind).get(name)
    if fixed_type is not None:
        return fixed_type
    python_type = type(_make_plain(value))
    return FIELD_TYPES.get(python_type, python_type.__name__)  # an unknown one is refused later


def _convert_each(kind: str, fields: Mapping[str, str], rows: Iterable[tuple]) -> Iterator[tuple]:
    """Yield each row's values as plain Python; ValueError for a row that misfits the fields.

    Args:
        kind: what is written, such as "queries"; for errors.
        fields: dict from a field's name to its type, in the order of each row's values.
    """
    layout = layout_of(fields)
    where = f"the {kind} to be written"
    remedy = f"Correct the row: the first one has the fields {fields}"
    for number, row in enumerate(rows, 1):
        row_name = f"row {number}"
        plain_values = [_make_plain(value) for value in row]
        values_by_field = dict(zip(fields, plain_values))
        if RATING in values_by_field:
            values_by_field[RATING] = _make_rating(values_by_field[RATING])
        record = convert(values_by_field, layout, where, row_name, remedy)

        try:
            encode(record)  # only to find texts that cannot be written
        except UnicodeEncodeError as error:
            problem = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
            raise reading_error(where, row_name, "", problem, remedy) from None
        yield astuple(record)


def _make_rating(value: object) -> object:
    """Return a rating as an integer, None if it is missing; frames have floats and NaN."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    is_nan = value != value
    return None if is_nan else value


def _make_plain(value: object) -> object:
    """Return a value without NumPy's types."""
    if isinstance(value, str):
        return str(value)  # a NumPy string is one, too
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_make_plain(item) for item in value]
    return value
