"""Read records of a file, checked by type, with one form of error.

::

    class Paper(msgspec.Struct):  # a layout: the file's fields and their types
        id: int
        title: str

    with open("papers.jsonl", "rb") as lines:
        for paper in read_lines("papers.jsonl", lines, Paper):
            print(paper.title)

Types are strict: "3" is no number, 1.0 no whole number. Fields that the layout lacks are skipped. A
misfit raises ValueError of the form ``FILE, RECORD: PROBLEM. REMEDY``. The problem is msgspec's
message, which says what was expected and where, and the beginning of the record.
"""

import json
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
LONGEST_SHOWN_RECORD = 200  # characters

shortened = Repr()
shortened.maxstring = shortened.maxother = 60
shortened.maxdict = shortened.maxlist = 4


class MissingContent(ValueError):
    """The files at hand have nothing that a part of a collection is made from."""


def convert(
    value: object, of_type: type[Type], file: str | Path, record: str = "", remedy: str = DELETE
) -> Type:
    """Return a value of JSON's types as `of_type`; raise ValueError if it does not fit.

    of_type: a Struct, or another type that msgspec knows.
    file, record: where the value is, for errors.
    """
    import msgspec

    try:
        return msgspec.convert(value, of_type)
    except msgspec.ValidationError as error:
        problem = f"{error}, in {_show_record(value)}"
        raise reading_error(file, record, "", problem, remedy) from None
    except UnicodeEncodeError as error:
        problem = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
        raise reading_error(file, record, "", problem, remedy) from None


def convert_values(
    values: object, of_type: type[Type], file: str | Path, kind: str, remedy: str = DELETE
) -> dict[str, Type]:
    """Return an object's values, by key, each as `of_type`; an error names the key.

    kind: what the keys are, as "query".
    """
    values_by_key = convert(values, dict, file, remedy=remedy)
    return {
        key: convert(value, of_type, file, f"{kind} {key}", remedy)
        for key, value in values_by_key.items()
    }


def decode_json(
    text: bytes, of_type: type[Type], file: str | Path, record: str = "", remedy: str = DELETE
) -> Type:
    """Return the value in a JSON text as `of_type`; for arguments and errors see `convert`.

    msgspec reads and checks in one go. If it cannot read the text, the standard library tries,
    which accepts some JSON that msgspec refuses; see `_decode_refused`.
    """
    import msgspec

    try:
        return msgspec.json.decode(text, type=of_type)
    except msgspec.ValidationError as error:
        # it is JSON, but of another type: read it as any type, to show its beginning
        plain_value = decode_json(text, object, file, record, remedy)
        problem = f"{error}, in {_show_record(plain_value)}"
        raise reading_error(file, record, "", problem, remedy) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        plain_value = _decode_refused(text, error, file, record, remedy)
        return convert(plain_value, of_type, file, record, remedy)


def read_json(
    path: str | Path, of_type: type = dict, remedy: str = RESTORE, content: bytes | None = None
) -> Json:
    """Return the content of a JSON file as `of_type`; NaN is accepted where any value is.

    content: the file's bytes, if they were read before.
    """
    if content is None:
        content = Path(path).read_bytes()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _make_json_error(error, path, "", remedy) from None
    return convert(value, of_type, path, "", remedy)


def read_lines(
    path: str | Path, lines: Iterable[bytes], of_type: type[Type], remedy: str = DELETE
) -> Iterator[Type]:
    """Yield the records of JSON lines; `path` is only named in errors."""
    for number, line in enumerate(lines, 1):
        yield decode_json(line, of_type, path, f"line {number}", remedy)


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
    column_names = of_type.__struct_encode_fields__
    source = path if content is None else BytesIO(content)
    rows = _read_rows(path, source, column_names, remedy, at_once)
    for number, values in enumerate(rows):
        value_by_column = dict(zip(column_names, values))
        yield convert(value_by_column, of_type, path, f"row {number}", remedy)


def read_items(path: str | Path, blocks: Iterable[bytes], prefix: str) -> Iterator[Json]:
    """Yield the values at ijson's `prefix` in JSON that comes in blocks, one at a time.

    `path` is only named in errors.
    """
    import ijson  # it streams, fastest with its yajl2_c backend

    try:
        yield from ijson.items(ijson.from_iter(blocks), prefix, use_float=True)
    except ijson.JSONError as error:
        problem = f"expected JSON, which may be truncated: {first_line(error)}"
        raise reading_error(path, "", "", problem) from error


def reading_error(
    file: str | Path, record: str, field: str, problem: str, remedy: str = DELETE
) -> ValueError:
    """Return the ValueError that all readers raise: ``FILE, RECORD, FIELD: PROBLEM. REMEDY``.

    An empty `record` or `field` is left out.
    """
    places = [place for place in (str(file), record, field) if place]
    return ValueError(f"{', '.join(places)}: {problem}. {remedy}")


def check_known(
    value: str, known: Container[str], what: str, file: str | Path, record: str, field: str
) -> None:
    """Raise ValueError unless an id is among the known ones.

    value: the id.
    known: the ids that may occur.
    what: which they are, for the error: "the id of a document".
    file, record, field: where the id is, for the error.
    """
    if value not in known:
        raise reading_error(file, record, field, f"expected {what}, got {value!r}")


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, which ijson has as bytes if it is no UTF-8."""
    message = error.args[0] if error.args else ""
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    lines = text.splitlines()
    return lines[0].strip() if lines else ""


def _read_rows(
    path: str | Path,
    source: str | Path | IO[bytes],
    column_names: Sequence[str],
    remedy: str,
    at_once: int,
) -> Iterator[tuple]:
    """Yield the values of each row of a Parquet file, in the order of `column_names`.

    path: of the file, which errors name.
    source: what is read: the path, or the file's bytes as an open file.
    column_names: the columns that are read; the file may have others.
    remedy: what to do, for errors.
    at_once: how many rows are in memory at most.

    Raises ValueError for a missing column, or a file that is not whole.
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(source) as file:
            _check_columns(path, file.schema_arrow.names, column_names, remedy)
            for batch in file.iter_batches(at_once, columns=column_names, use_threads=False):
                # by name, so that the order of a batch's columns does not matter
                columns = [batch.column(name).to_pylist() for name in column_names]
                yield from zip(*columns)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        message = " ".join(str(error).split())  # in one line
        problem = f"expected a whole Parquet file, got {type(error).__name__}: {message}"
        raise reading_error(path, "", "", problem, remedy) from error


def _check_columns(
    path: str | Path, present_names: Sequence[str], needed_names: Sequence[str], remedy: str
) -> None:
    """Raise ValueError, with the first missing name, unless a file has all needed columns."""
    missing_names = [name for name in needed_names if name not in present_names]
    if missing_names:
        needed_list = ", ".join(needed_names)
        present_list = ", ".join(present_names)
        problem = f"expected the columns {needed_list}, got {present_list}"
        raise reading_error(path, "", f"column {missing_names[0]}", problem, remedy)


def _decode_refused(
    text: bytes, error: Exception, file: str | Path, record: str, remedy: str
) -> Json:
    """Return the value in a JSON text that msgspec refused; raise ValueError if it is no JSON.

    Half of a surrogate pair, escaped, is JSON too, and msgspec does not read it.

    error: msgspec's, which says best what is wrong.
    """
    try:
        # the function is called with "NaN" or "Infinity", which are no JSON: `int` raises for them
        return json.loads(text.decode(), parse_constant=int)
    except (ValueError, RecursionError):
        raise _make_json_error(error, file, record, remedy) from None


def _make_json_error(error: Exception, file: str | Path, record: str, remedy: str) -> ValueError:
    """Return the ValueError for a text that is no JSON, from the error of the reader."""
    reason = "one nested too deeply" if isinstance(error, RecursionError) else str(error)
    problem = f"expected JSON, whole and in UTF-8, got: {reason}"
    return reading_error(file, record, "", problem, remedy)


def _show_record(value: object) -> str:
    """Return the beginning of a record, for an error: its values say which one it is."""
    text = shortened.repr(value)
    if len(text) <= LONGEST_SHOWN_RECORD:
        return text
    return f"{text[:LONGEST_SHOWN_RECORD]}..."
