"""Read records of a file, checked by type, with one form of error.

A layout is a `msgspec.Struct` with the file's fields. Types are strict: "3" is no number, 1.0 no
whole number. Fields that the layout lacks are skipped. A misfit raises ValueError of the form
``FILE, RECORD, FIELD: expected X, got VALUE. REMEDY``.
"""

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from reprlib import Repr
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from msgspec import Struct

# msgspec and layouts are imported when the first record is read: importing us loads no library
Type = TypeVar("Type")
Row = TypeVar("Row", bound="Struct")

Json: TypeAlias = Any  #: a value of JSON's types
Record: TypeAlias = Any  #: a record of a dataset: a named tuple, with its class's fields

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
#: type -> msgspec's name for it
CALLED: dict[type, str] = {kind: kind.__name__ for kind in (int, float, str, bool)} | {
    list: "array",
    tuple: "array",
    dict: "object",
    type(None): "null",
}
STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")

shortened = Repr()
shortened.maxstring = shortened.maxother = 60
shortened.maxdict = shortened.maxlist = 4


class MissingContent(ValueError):
    """The files at hand have nothing that a part of a collection is made from."""


def refused(
    file: str | Path, record: str, field: str, what: str, remedy: str = DELETE
) -> ValueError:
    """Return the ValueError that all readers raise; `record` and `field` may be empty."""
    return ValueError(f"{', '.join(filter(None, (str(file), record, field)))}: {what}. {remedy}")


def check_known(
    value: str, known: Container[str], what: str, file: str | Path, record: str, field: str
) -> None:
    """Raise ValueError unless an id is among the known ones; `what` describes these."""
    if value not in known:
        raise refused(file, record, field, f"expected {what}, got {value!r}")


def checked(
    value: object, of_type: type[Type], file: str | Path, record: str = "", remedy: str = DELETE
) -> Type:
    """Convert a value of JSON's types, as streams and Parquet have it, to `of_type`.

    of_type: a Struct, or another type that msgspec knows. record: its place in the file.
    """
    import msgspec

    try:
        return msgspec.convert(value, of_type)
    except msgspec.ValidationError as error:
        raise _refused(error, value, file, record, remedy) from None
    except UnicodeEncodeError as error:
        what = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
        raise refused(file, record, "", what, remedy) from None


def decoded(
    text: bytes, of_type: type[Type], file: str | Path, record: str = "", remedy: str = DELETE
) -> Type:
    """Convert JSON, as bytes, to `of_type`; see `checked`."""
    import msgspec

    try:
        return msgspec.json.decode(text, type=of_type)
    except msgspec.ValidationError as error:
        plain = decoded(text, object, file, record, remedy)
        raise _refused(error, plain, file, record, remedy) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:  # msgspec refuses half a surrogate pair, escaped, which JSON allows
            plain = json.loads(text.decode(), parse_constant=int)  # refuses NaN
        except (ValueError, RecursionError):
            raise _no_json(error, file, record, remedy) from None
        return checked(plain, of_type, file, record, remedy)


def read_json(
    path: str | Path, of_type: type = dict, remedy: str = RESTORE, content: bytes | None = None
) -> Json:
    """Return the content of a JSON file as `of_type`; a field of any type may be NaN.

    content: the file's bytes, if they were read before.
    """
    if content is None:
        content = Path(path).read_bytes()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _no_json(error, path, "", remedy) from None
    return checked(value, of_type, path, "", remedy)


def read_lines(
    path: str | Path, lines: Iterable[bytes], of_type: type[Type], remedy: str = DELETE
) -> Iterator[Type]:
    """Yield the records of JSON lines; `path` is only named in errors."""
    for number, line in enumerate(lines, 1):
        yield decoded(line, of_type, path, f"line {number}", remedy)


def read_parquet(
    path: str | Path,
    of_type: type[Row],
    remedy: str = DELETE,
    at_once: int = 256,
    content: bytes | None = None,
) -> Iterator[Row]:
    """Yield the rows of a Parquet file as a Struct; at most `at_once` are in memory.

    content: the file's bytes, if they were read before.
    """
    names = of_type.__struct_encode_fields__
    source = path if content is None else BytesIO(content)
    for number, row in enumerate(_read_rows(path, source, names, remedy, at_once)):
        yield checked(dict(zip(names, row)), of_type, path, f"row {number}", remedy)


def _read_rows(
    path: str | Path,
    source: str | Path | IO[bytes],
    names: Sequence[str],
    remedy: str,
    at_once: int,
) -> Iterator[tuple]:
    """Yield the columns `names` of each row; `path` is only named in errors."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(source) as file:
            present = file.schema_arrow.names
            missing = [name for name in names if name not in present]
            if missing:
                what = f"expected the columns {', '.join(names)}, got {', '.join(present)}"
                raise refused(path, "", f"column {missing[0]}", what, remedy)

            for batch in file.iter_batches(at_once, columns=names, use_threads=False):
                # by name, because the order of columns may differ
                columns = [batch.column(name).to_pylist() for name in names]
                yield from zip(*columns)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise refused(path, "", "", f"expected a whole Parquet file, got {why}", remedy) from error


def read_items(path: str | Path, blocks: Iterable[bytes], prefix: str) -> Iterator[Json]:
    """Yield the values at ijson's `prefix` of JSON that comes in blocks; `path` is only named."""
    import ijson  # it streams, fastest with its yajl2_c backend

    try:
        yield from ijson.items(ijson.from_iter(blocks), prefix, use_float=True)
    except ijson.JSONError as error:
        what = f"expected JSON, which may be truncated: {first_line(error)}"
        raise refused(path, "", "", what) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, which ijson has as bytes if it is no UTF-8."""
    what = error.args[0] if error.args else ""
    text = what.decode(errors="replace") if isinstance(what, bytes) else str(what)
    return (text.splitlines() or [""])[0].strip()


def _no_json(error: Exception, file: str | Path, record: str, remedy: str) -> ValueError:
    why = "one nested too deeply" if isinstance(error, RecursionError) else str(error)
    return refused(file, record, "", f"expected JSON, whole and in UTF-8, got: {why}", remedy)


def _refused(
    error: Exception, value: object, file: str | Path, record: str, remedy: str
) -> ValueError:
    """Return msgspec's ValidationError in our form, with the wrong value."""
    message, _, path = str(error).partition(" - at ")
    path = path.replace("`", "") or "$"
    expected, _, got = message.partition(", got ")
    expected = {"Number out of range": "Expected a number of 64 bits"}.get(expected, expected)
    values = _values(value, path)
    if missing := re.fullmatch("Object missing required field `(.*)`", expected):
        found = [(at, each) for at, each in values if missing[1] not in each]
        path, beside = (found or values)[0]
        what = f"expected a value, got none beside {', '.join(map(str, beside)) or 'nothing'}"
        return refused(file, record, f"{path}.{missing[1]}", what, remedy)
    wrong = [(at, each) for at, each in values if CALLED.get(type(each)) == got.strip("`")]
    if wrong or len(values) == 1:
        path, found = (wrong or values)[0]
    else:
        found = [each for _, each in values]
    expected = re.sub(
        "`([^`]*)`",
        lambda kinds: " or ".join(KINDS.get(kind, kind) for kind in kinds[1].split(" | ")),
        expected,
    )
    what = f"{expected[0].lower()}{expected[1:]}, got {shortened.repr(found)}"
    return refused(file, record, path.removesuffix("$"), what, remedy)


def _values(value: object, path: str) -> list[tuple[str, Json]]:
    """Return (path, value) of each value at msgspec's path, where ``[...]`` is any key."""
    values: list[tuple[str, Json]] = [("$", value)]
    for name, place in STEP.findall(path):
        values = [
            (f"{at}.{key}" if name or place == "..." else f"{at}[{key}]", inner)
            for at, each in values
            for key, inner in _inside(each, name, place)
        ]
    return values


def _inside(value: object, name: str, place: str) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return [(k, v) for k, v in value.items() if place == "..." or k == name]
    if isinstance(value, (list, tuple)) and place.isdigit():
        return [(place, each) for each in value[int(place) :][:1]]
    return []
