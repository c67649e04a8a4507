"""Rows on their way into a collection: converted, checked, and written as its tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from msgspec.json import encode
from msgspec.structs import astuple

from ir_datasets_ext.local.kinds import (
    RATING,
    REQUIRED,
    Ids,
    Rows,
    check_fields,
    known_pairs,
    known_types,
    layout_of,
)
from ir_datasets_ext.local.record_files import write_table
from ir_datasets_ext.store.folders import About, measure_file
from ir_datasets_ext.typed_records import convert, reading_error

#: PyTerrier's name of a column -> ours, in the kinds that require it
RENAMED = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
EXPECTED = "expected a data frame, or an iterable of mappings (dict) or named tuples"
OF_TYPE = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "list"}


def table_of(kind: str, rows: Rows) -> tuple[dict[str, str], Iterator[tuple]]:
    """Return the fields of `rows`, and the rows as tuples of plain Python, checked one by one.

    rows: a data frame, or an iterable of mappings or named tuples. The first row defines the
        fields. A stream is read once, as the result is iterated. A ValueError names kind and row.
    """
    names, tuples = _named_tuples(kind, rows)
    first = next(tuples, None)
    known, values = known_types(kind), repeat("") if first is None else map(_python, first)
    fields = {
        name: known.get(name) or OF_TYPE.get(type(value), type(value).__name__)
        for name, value in zip(names or REQUIRED[kind], values)
    }
    check_fields(kind, fields, f"the {kind} to be written")
    return fields, _plain(kind, fields, chain(() if first is None else (first,), tuples))


def _named_tuples(kind: str, rows: Any) -> tuple[list[str], Iterator[tuple]]:
    """Return the names of the columns, required ones first, and the rows as tuples in order."""
    if hasattr(rows, "itertuples"):  # a data frame
        columns = _required_first(kind, rows.columns)
        tuples: Iterable[tuple] = zip(*(rows[column].tolist() for column in columns))
    else:
        try:
            rows = iter(rows)
        except TypeError:
            raise ValueError(f"{kind} are {rows!r:.60}: {EXPECTED}") from None
        first = next(rows, None)
        if first is None:
            return [], iter(())
        names = first if hasattr(first, "keys") else getattr(first, "_fields", ())
        if not names:
            raise ValueError(f"{kind}: {first!r} has no field names: {EXPECTED}")
        columns = _required_first(kind, names)
        tuples = _in_order(kind, columns, chain((first,), rows))
    names = [_ours(kind, column) for column in columns]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"the {kind} have two columns for {', '.join(duplicates)}: leave one out")
    return names, iter(tuples)


def _ours(kind: str, column: str) -> str:
    ours = RENAMED.get(column, column)
    return ours if ours in REQUIRED[kind] else column


def _required_first(kind: str, columns: Iterable[str]) -> list[str]:
    order = {name: place for place, name in enumerate(REQUIRED[kind])}
    return sorted(columns, key=lambda column: order.get(_ours(kind, column), len(order)))


def _in_order(kind: str, names: Sequence[str], rows: Rows) -> Iterator[tuple]:
    for number, row in enumerate(rows, 1):
        value_of = row.__getitem__ if hasattr(row, "keys") else partial(getattr, row)
        try:
            values = tuple(map(value_of, names)) if len(row) == len(names) else ()
        except (KeyError, AttributeError, TypeError):
            values = ()
        if not values:
            expected = f"expected {', '.join(names)}, as in the first row"
            raise ValueError(f"row {number} of the {kind} is {row!r}: {expected}")
        yield values


def _plain(kind: str, fields: dict[str, str], rows: Iterable[tuple]) -> Iterator[tuple]:
    layout, where = layout_of(fields), f"the {kind} to be written"
    remedy = f"Correct the row: the first one has the fields {fields}"
    for number, row in enumerate(rows, 1):
        values = dict(zip(fields, map(_python, row)))
        if RATING[0] in values:
            values[RATING[0]] = _rating(values[RATING[0]])
        record = convert(values, layout, where, f"row {number}", remedy)
        try:
            encode(record)
        except UnicodeEncodeError as error:
            what = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
            raise reading_error(where, f"row {number}", "", what, remedy) from None
        yield astuple(record)


def _rating(value: object) -> object:
    """Return a rating as an integer, None if it is missing; frames have floats and NaN."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None if value != value else value


def _python(value: object) -> object:
    """Return a value without NumPy's types."""
    if isinstance(value, str):
        return str(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(map(_python, value)) if isinstance(value, (list, tuple)) else value


def write_tables(
    folder: Path,
    docs: Rows,
    parts: Mapping[str, Mapping[str, Rows]],
    form: str,
    definitions: Mapping[int, str] | None,
) -> About:
    """Write all tables; return the manifest's `docs` and `parts`."""

    def write(part: str, kind: str, rows: Rows, check: Callable) -> About:
        path = folder / part / f"{kind}.{form}"
        path.parent.mkdir(exist_ok=True)
        fields, tuples = table_of(kind, rows)
        about = {"fields": fields, "rows": write_table(path, fields, check(tuples))}
        return {"file": path.relative_to(folder).as_posix(), **about, **measure_file(path)}

    documents = Ids("document")
    entry = write("", "docs", docs, documents.pass_on)
    if not entry["rows"]:
        raise ValueError("the collection has no documents: expected one or more")
    entries: dict[str, dict] = {}
    for part, tables in parts.items():
        kinds = [kind for kind in REQUIRED if kind != "docs"]
        if wrong := [kind for kind in tables if kind not in kinds]:
            raise ValueError(f"part {part!r} has {', '.join(wrong)}: expected {', '.join(kinds)}")
        queries, entries[part] = Ids("query"), {}
        for kind in filter(tables.__contains__, kinds):  # queries first
            known = partial(known_pairs, kind, queries, documents)
            check = queries.pass_on if kind == "queries" else known
            entries[part][kind] = write(part, kind, tables[kind], check)
        if "qrels" in entries[part] and definitions:
            meanings = {str(int(grade)): text for grade, text in definitions.items()}
            entries[part]["qrels"]["definitions"] = meanings
    return {"docs": entry, "parts": entries}
