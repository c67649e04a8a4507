"""Records checked by type where a file is first read, with one form of error.

A layout is a `msgspec.Struct`, whose fields are those of the file. Types are strict: "3" is no
number, 1.0 no whole number. Fields that a layout does not name are passed over. What does not fit
is a ValueError of the form ``FILE, RECORD, FIELD: expected X, got VALUE. REMEDY``.
"""

import json
import re
from itertools import chain
from pathlib import Path
from reprlib import Repr
from typing import Any

# msgspec, and the layouts, are imported where they are used: whoever imports us may read nothing

DELETE = "Correct the file, or delete it to download the release's"
RESTORE = "Restore it from a copy, or write it again"
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
#: what msgspec calls the types of JSON
CALLED = {int: "int", float: "float", str: "str", bool: "bool", list: "array", dict: "object"}
CALLED |= {tuple: "array", type(None): "null"}
STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")

shortened = Repr()
shortened.maxstring = shortened.maxother = 60
shortened.maxdict = shortened.maxlist = 4


def refused(file, record, field, what, remedy=DELETE):
    """Return the ValueError that all readers raise; `record` and `field` may be empty."""
    return ValueError(f"{', '.join(filter(None, (str(file), record, field)))}: {what}. {remedy}")


def checked(value, of_type, file, record="", remedy=DELETE):
    """Return plain Python, as a stream or Parquet gives it, as `of_type`.

    of_type: a Struct, or another type that msgspec knows. record: where it stands in the file.
    """
    import msgspec

    try:
        return msgspec.convert(value, of_type)
    except msgspec.ValidationError as error:
        raise _refused(error, value, file, record, remedy) from None
    except UnicodeEncodeError as error:
        what = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
        raise refused(file, record, "", what, remedy) from None


def decoded(text, of_type, file, record="", remedy=DELETE):
    """Return JSON, bytes, as `of_type`, likewise."""
    import msgspec

    try:
        return msgspec.json.decode(text, type=of_type)
    except msgspec.ValidationError as error:
        plain = decoded(text, Any, file, record, remedy)
        raise _refused(error, plain, file, record, remedy) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:  # JSON may have half a surrogate pair, escaped, and msgspec may not
            plain = json.loads(text.decode(), parse_constant=int)  # which NaN is not
        except (ValueError, RecursionError):
            raise _no_json(error, file, record, remedy) from None
        return checked(plain, of_type, file, record, remedy)


def read_json(path, of_type=dict, remedy=RESTORE):
    """Return what a JSON file holds as `of_type`; numbers may be NaN where any value may be."""
    try:
        value = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise _no_json(error, path, "", remedy) from None
    return checked(value, of_type, path, "", remedy)


def read_object(path, of_type, what, remedy=DELETE):
    """Return the object of records that a JSON file is, as a dict; `what` they are, for errors."""
    found = read_json(path, dict, remedy)
    return {key: checked(row, of_type, path, f"{what} {key}", remedy) for key, row in found.items()}


def read_lines(path, lines, of_type, remedy=DELETE):
    """Yield the records of JSON lines, given as bytes."""
    for number, line in enumerate(lines, 1):
        yield decoded(line, of_type, path, f"line {number}", remedy)


def read_parquet(path, of_type, remedy=DELETE, at_once=256):
    """Yield the rows of a Parquet file as a Struct; no more than `at_once` are in memory."""
    names = of_type.__struct_encode_fields__
    rows = chain.from_iterable(_batches(path, names, remedy, at_once))
    for number, row in enumerate(rows):
        yield checked(dict(zip(names, row)), of_type, path, f"row {number}", remedy)


def _batches(path, names, remedy, at_once):
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            there = file.schema_arrow.names
            if missing := [name for name in names if name not in there]:
                what = f"expected the columns {', '.join(names)}, got {', '.join(there)}"
                raise refused(path, "", f"column {missing[0]}", what, remedy)
            for batch in file.iter_batches(at_once, columns=names, use_threads=False):
                # by name: files may have their columns in another order
                yield zip(*(batch.column(name).to_pylist() for name in names))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise refused(path, "", "", f"expected a whole Parquet file, got {why}", remedy) from error


def first_line(error):
    """Return the first line of what an error says; ijson says bytes where these are no UTF-8."""
    what = error.args[0] if error.args else ""
    text = what.decode(errors="replace") if isinstance(what, bytes) else str(what)
    return (text.splitlines() or [""])[0].strip()


def _no_json(error, file, record, remedy):
    why = "one nested too deeply" if isinstance(error, RecursionError) else str(error)
    return refused(file, record, "", f"expected JSON, whole and in UTF-8, got: {why}", remedy)


def _refused(error, value, file, record, remedy):
    said, _, path = str(error).partition(" - at ")
    path = path.replace("`", "") or "$"
    expected, _, got = said.partition(", got ")
    expected = {"Number out of range": "Expected a number of 64 bits"}.get(expected, expected)
    found = list(_values(value, path))
    missing = re.fullmatch("Object missing required field `(.*)`", expected)
    if missing:
        wrong = [(at, each) for at, each in found if missing[1] not in each]
    else:
        wrong = [(at, each) for at, each in found if CALLED.get(type(each)) == got.strip("`")]
    if wrong or len(found) == 1:
        path, what = (wrong or found)[0]
    else:
        what = [each for _, each in found]
    if missing:
        path, expected = f"{path}.{missing[1]}", "Expected a value"
        what = f"none beside {', '.join(map(str, what)) or 'nothing'}"
    else:
        what = shortened.repr(what)
    named = re.sub(r"`([^`]*)`", _in_words, expected)
    named = named[0].lower() + named[1:]
    return refused(file, record, path.removesuffix("$"), f"{named}, got {what}", remedy)


def _in_words(match):
    return " or ".join(KINDS.get(kind, kind) for kind in match[1].split(" | "))


def _values(value, path):
    """Yield what stands at a path of msgspec's, where ``[...]`` is any key, with its own path."""
    found = [("$", value)]
    for name, place in STEP.findall(path):
        found = [
            (f"{at}.{key}" if name or place == "..." else f"{at}[{key}]", inner)
            for at, each in found
            for key, inner in _inside(each, name, place)
        ]
    return found


def _inside(value, name, place):
    if isinstance(value, dict):
        return [(k, v) for k, v in value.items() if place == "..." or k == name]
    if isinstance(value, (list, tuple)) and place.isdigit():
        return [(place, each) for each in value[int(place) :][:1]]
    return []
