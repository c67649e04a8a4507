"""Fields of a log's lines: CSV and TSV by Ibis, JSON by one function on every engine.

Each line stands for itself: a broken line is marked with its reason and costs no other line.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from .backends import ibis
from .log_files import SEPARATORS, Column, File, FirstLines, columns_of, sample
from .mining_summary import ENCODING, FIELDS, HEADER, JSON, KEPT, QUOTATION

TEXTS = ("user", "time", "doc")
SCHEMA = pa.schema([*((name, pa.string()) for name in TEXTS), ("broken", pa.int8())])
QUOTED = '"[^"]*(?:""[^"]*)*"'


def header_of(
    files: Iterable[File], form: str, given: Mapping[str, Column], first_lines: FirstLines
) -> tuple[dict[str, Column], list[int], int, str | None]:
    """Return columns, their places, the number of fields and the header line of CSV or TSV.

    If `given` has places, there is no header line (None). A line then has as many fields as most
    of the first thousand lines of the first file that is not empty.
    """
    places = [place for place in given.values() if isinstance(place, int)]
    if len(places) == len(given):
        widths = [len(_split(line, form)) for line in sample(files, first_lines)]
        width = max(set(widths), key=widths.count, default=0)
        return dict(given), places, max(width, 1 + max(places)), None
    lines = [(file, line) for file in files for line in first_lines(file, 1)]
    if not lines:
        return dict(given), [0, 1, 2], 3, None
    first, header = lines[0]
    names = [name.strip() for name in _split(header, form)]
    columns = columns_of(names, given)
    for file, line in lines:
        if line != header and set(columns.values()) <= {*map(str.strip, _split(line, form))}:
            raise ValueError(
                f"{file} begins with other columns than {first}: {line!r}, expected {header!r}. "
                "Mine only files with the same columns together, or rewrite them alike."
            )
    return {**columns}, [names.index(name) for name in columns.values()], len(names), header


def _split(line: str, form: str) -> list[str]:
    return next(csv.reader([line], delimiter=SEPARATORS[form]), [])


def separated(
    lines: ibis.Table, separator: str, places: Sequence[int], width: int, header: str | None
) -> ibis.Table:
    """Split a table of `line` (CSV or TSV) into the columns `user`, `time`, `doc` and `broken`.

    A quoted field begins and ends with a quotation mark, and doubles those inside. Other fields
    have none.

    Args:
        places: where the user, the time and the document are, from 0.
        width: the number of fields.
        header: the header line, dropped wherever it occurs; None if there is none.
    """
    line = lines.line
    plain = f'[^"{separator}]*'
    field = f"(?:{QUOTED}|{plain})"
    quoted = line.contains('"')
    # padded, so that no engine fails where a short line lacks a field
    bare = (line + separator * width).split(separator)
    well_quoted = line.re_search(f"^{field}(?:{separator}{field})*\\z")
    complete = line.re_search(f"^{field}(?:{separator}{field}){{{width - 1}}}\\z")
    broken = ibis.cases(
        (line.contains("\ufffd"), ENCODING),
        (line == header if header else ibis.literal(False), HEADER),
        (quoted & ~well_quoted, QUOTATION),
        (ibis.ifelse(quoted, ~complete, bare.length() != 2 * width), FIELDS),
        else_=KEPT,
    )

    def at(place: int) -> ibis.Value:
        before = f"^(?:{field}{separator}){{{place}}}({QUOTED}|{plain})"
        return ibis.ifelse(quoted, _unquoted(line.re_extract(before, 1)), bare[place])

    return lines.select(
        broken=broken.cast("int8"), **{name: at(place) for name, place in zip(TEXTS, places)}
    )


def _unquoted(field: ibis.Value) -> ibis.Value:
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)


def cleaned(lines: ibis.Table) -> ibis.Table:
    """Remove byte order marks, carriage returns and blank lines."""
    line = lines.line
    line = ibis.ifelse(line.startswith("\ufeff"), line.substr(1), line)
    line = ibis.ifelse(line.endswith("\r"), line.substr(0, line.length() - 1), line)
    return lines.select(line=line).filter(lambda table: table.line.strip() != "")


def json_fields(
    names: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield batches of SCHEMA for batches of `line`; `names` are of user, time and document.

    Python parses on every engine, because the engines disagree on JSON: DuckDB accepts NaN and
    rewrites 1.58e9. A field is null if it is missing, or neither text nor number. Numbers stay as
    written. Blank lines are skipped.
    """
    for batch in batches:
        rows = [_fields(names, line) for line in batch["line"].to_pylist() if line.strip()]
        columns = zip(SCHEMA.types, zip(*rows) if rows else [()] * 4)
        yield pa.record_batch([pa.array(column, kind) for kind, column in columns], SCHEMA)


def _fields(names: Sequence[str], line: str) -> tuple[str | int | None, ...]:
    """Return user, time, document and the reason code of one line."""
    if "\ufffd" in line:
        return None, None, None, ENCODING
    try:
        # int refuses NaN
        row = json.loads(line.lstrip("\ufeff"), parse_int=str, parse_float=str, parse_constant=int)
        values = [value if isinstance(value, str) else None for value in map(row.get, names)]
        "".join(filter(None, values)).encode()  # fails for half a surrogate pair
    except (AttributeError, ValueError, RecursionError):
        return None, None, None, JSON
    return *values, KEPT
