"""Convert and check rows on their way into a collection's tables."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

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

#: PyTerrier's name of a column -> ours, in the kinds that require it
RENAMED = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
MOST = 1 << 10  # annotators
OF_TYPE = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "list"}


def table_of(kind: str, rows: Any) -> tuple[dict[str, str], Iterator[tuple]]:
    """Return the fields of `rows`, and the rows as tuples of plain Python, checked one by one.

    rows: a data frame, or an iterable of mappings or named tuples. The first row defines the
        fields. A stream is read once, as the result is iterated.
    Raises ValueError that names kind and row, at once or when a bad row is reached.
    """
    names, tuples = _named_tuples(kind, rows)
    first = next(tuples, None)
    fields = {name: _type(name, kind, first, at) for at, name in enumerate(names or REQUIRED[kind])}
    check_fields(kind, fields, f"the {kind} to be written")
    return fields, _plain(kind, fields, chain(() if first is None else (first,), tuples))


def _named_tuples(kind: str, rows: Any) -> tuple[list[str], Iterator[tuple]]:
    """Return the names of the columns, required ones first, and the rows as tuples in order."""
    tuples: Iterable[tuple]
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
                f"{kind}: {first!r} has no field names: expected mappings (dict), named tuples, "
                "or a data frame"
            )
        columns = _required_first(kind, names)
        tuples = _in_order(kind, columns, chain((first,), rows))
    names = [_ours(kind, column) for column in columns]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueError(f"the {kind} have two columns for {', '.join(duplicates)}: leave one out")
    return names, iter(tuples)


def _ours(kind: str, column: str) -> str:
    ours = RENAMED.get(column, column)
    return ours if ours in REQUIRED[kind] else column


def _required_first(kind: str, columns: Iterable[str]) -> list[str]:
    order = {name: place for place, name in enumerate(REQUIRED[kind])}
    return sorted(columns, key=lambda column: order.get(_ours(kind, column), len(order)))


def _in_order(kind: str, names: Sequence[str], rows: Iterable[Any]) -> Iterator[tuple]:
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


def _type(name: str, kind: str, first: tuple | None, at: int) -> str:
    known = known_types(kind)
    if name in known or first is None:
        return known.get(name, "str")
    value = _python(first[at])
    return OF_TYPE.get(type(value), type(value).__name__)


def _plain(kind: str, fields: dict[str, str], rows: Iterable[tuple]) -> Iterator[tuple]:
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


def _rating(value: Any) -> Any:
    """Return a rating as an integer, None if it is missing; frames have floats and NaN."""
    value = _python(value)
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    return value


def _python(value: Any) -> Any:
    """Return a value without NumPy's types."""
    if isinstance(value, str):
        return str(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(map(_python, value)) if isinstance(value, (list, tuple)) else value


class Ids:
    """The ids of documents or queries, without duplicates, numbered in their order."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.numbers: dict[str, int] = {}

    def pass_on(self, rows: Iterable[tuple]) -> Iterator[tuple]:
        """Yield `rows`, whose first value is the id; raise ValueError for a bad or duplicate id."""
        for row in rows:
            if row[0] in self.numbers:
                raise ValueError(f"duplicate {self._what} {row[0]}: expected each id once")
            if not row[0] or any(character.isspace() for character in row[0]):
                raise ValueError(
                    f"{row[0]!r} is no id of a {self._what}: expected a text without blanks, as "
                    "blanks split the lines of a TREC file"
                )
            self.numbers[row[0]] = len(self.numbers)
            yield row

    def number(self, value: str, kind: str) -> int:
        """Return the number of an id in a row of `kind`; raise ValueError if it is unknown."""
        if value not in self.numbers:
            raise ValueError(
                f"{kind} name the unknown {self._what} {value!r}: expected one of the collection's "
                f"{len(self.numbers)}. Add it to them, or leave the row out"
            )
        return self.numbers[value]


def known(kind: str, rows: Iterable[tuple], queries: Ids, docs: Ids) -> Iterator[tuple]:
    """Yield `rows` of query and document, or of two documents; raise ValueError for unknown ids.

    At the end, raise ValueError for duplicates of query and document; in ratings, of query,
    document and annotator.
    """
    first, seen = docs if kind == "pairs" else queries, array("q")
    people: dict[str, int] = {}
    for row in rows:
        pair = first.number(row[0], kind) * len(docs.numbers) + docs.number(row[1], kind)
        person = people.setdefault(row[2], len(people)) if kind == "ratings" else 0
        if person >= MOST:
            raise ValueError(f"{kind} have more than {MOST} annotators: expected fewer")
        if kind != "pairs":
            seen.append(pair * MOST + person)
        yield row
    duplicate = _duplicate(seen)
    if duplicate is not None:
        pair, person = divmod(duplicate, MOST)
        query, doc = divmod(pair, len(docs.numbers))
        by = f" by annotator {list(people)[person]}" if people else ""
        raise ValueError(
            f"{kind} have duplicates of query {list(queries.numbers)[query]} and document "
            f"{list(docs.numbers)[doc]}{by}: expected each pair once"
        )


def _duplicate(seen: array) -> int | None:
    """Return the first number that an array has twice, or None; it takes eight bytes a row."""
    import numpy as np

    ordered = np.sort(np.frombuffer(seen, dtype="q"))
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[again[0]]) if len(again) else None
