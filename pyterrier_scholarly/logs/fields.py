"""Lines of a log taken apart: CSV and TSV by Ibis, JSON by one function on every engine.

Each line stands for itself. What is wrong with one is said in `broken`; it costs no other line.
"""

import json

import pyarrow as pa

from ._ibis import ibis
from .outcomes import ENCODING, FIELDS, HEADER, JSON, KEPT, QUOTATION

TEXTS = ("user", "time", "doc")
#: of lines taken apart
SCHEMA = pa.schema([*((name, pa.string()) for name in TEXTS), ("broken", pa.int8())])
_QUOTED = '"[^"]*(?:""[^"]*)*"'


def separated(lines, separator, places, width, header):
    """Columns `user`, `time`, `doc` and `broken` out of lines of CSV or TSV.

    A field that begins with a quotation mark ends with one, and has others in it doubled; elsewhere
    a field has none.

    Args:
        lines: an Ibis table with the column `line`.
        separator: a comma or a tab.
        places: where the user, the time and the document are, from 0.
        width: how many fields a line has.
        header: the header line, which is no row wherever it is found; None if there is none.
    """
    line = lines.line
    plain = f'[^"{separator}]*'
    field = f"(?:{_QUOTED}|{plain})"
    quoted = line.contains('"')
    # lengthened, so that no engine fails for a place that a short line has not
    bare = (line + separator * width).split(separator)
    sound = line.re_search(f"^{field}(?:{separator}{field})*\\z")
    enough = line.re_search(f"^{field}(?:{separator}{field}){{{width - 1}}}\\z")
    broken = ibis.cases(
        (line.contains("\ufffd"), ENCODING),
        (line == header if header else ibis.literal(False), HEADER),
        (quoted & ~sound, QUOTATION),
        (ibis.ifelse(quoted, ~enough, bare.length() != 2 * width), FIELDS),
        else_=KEPT,
    )

    def at(place):
        behind = f"^(?:{field}{separator}){{{place}}}({_QUOTED}|{plain})"
        return ibis.ifelse(quoted, _unquoted(line.re_extract(behind, 1)), bare[place])

    return lines.select(
        broken=broken.cast("int8"),
        **{name: at(place) for name, place in zip(TEXTS, places)},
    )


def _unquoted(field):
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)


def cleaned(lines):
    """`lines` without byte order marks, carriage returns and blank lines."""
    line = lines.line
    line = ibis.ifelse(line.startswith("\ufeff"), line.substr(1), line)
    line = ibis.ifelse(line.endswith("\r"), line.substr(0, line.length() - 1), line)
    lines = lines.select(line=line)
    return lines.filter(lines.line.strip() != "")


def json_fields(names, batches):
    """Yield batches of SCHEMA for Arrow batches of `line`; `names` are of user, time and document.

    The same function on every engine, since engines disagree on what JSON is. A field is null where
    it is missing, or neither text nor number; numbers are as they are written. Blank lines are left
    out.
    """
    for batch in batches:
        rows = [_fields(names, line) for line in batch["line"].to_pylist() if line.strip()]
        columns = zip(SCHEMA.types, zip(*rows) if rows else [()] * 4)
        yield pa.record_batch([pa.array(column, kind) for kind, column in columns], SCHEMA)


def _fields(names, line):
    """User, time, document, and what is wrong, of one line that is not blank."""
    if "\ufffd" in line:
        return None, None, None, ENCODING
    try:
        row = json.loads(line.lstrip("\ufeff"), parse_int=str, parse_float=str, parse_constant=_no)
        found = [row.get(name) if isinstance(row, dict) else _no(row) for name in names]
        found = [value if isinstance(value, str) else None for value in found]
        "".join(filter(None, found)).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        return None, None, None, JSON
    return *found, KEPT


def _no(value):
    raise ValueError(value)
