"""Read JSON, checked by type, with one form of error.

::

    class Paper(msgspec.Struct):  # a layout: the file's fields and their types
        id: int
        title: str

    paper = read_json("paper.json", Paper)

Types are strict: "3" is no number, 1.0 no whole number. Fields that the layout lacks are skipped. A
misfit raises ValueError of the form ``FILE, RECORD: PROBLEM. REMEDY``. The problem is msgspec's
message, which says what was expected and where, and the beginning of the record.
"""

import json
from pathlib import Path
from reprlib import Repr
from typing import Any, TypeAlias, TypeVar

# msgspec and layouts are imported when the first record is read: importing us loads no library
Type = TypeVar("Type")

Json: TypeAlias = Any  #: a value of JSON's types
Record: TypeAlias = Any  #: a record of a dataset: a named tuple, with its class's fields

DELETE = "Correct the file, or delete it to download the release's"
RESTORE = "Restore it from a copy, or write it again"
LONGEST_SHOWN_RECORD = 200  # characters

shortened = Repr()
shortened.maxstring = shortened.maxother = 60
shortened.maxdict = shortened.maxlist = 4


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
        raise reading_error(file, record, problem, remedy) from None
    except UnicodeEncodeError as error:
        problem = f"expected texts that UTF-8 can hold, got {error.object!r:.80}"
        raise reading_error(file, record, problem, remedy) from None


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

    NaN is accepted where any value is.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "one nested too deeply" if isinstance(error, RecursionError) else str(error)
        problem = f"expected JSON, whole and in UTF-8, got: {reason}"
        raise reading_error(file, record, problem, remedy) from None
    return convert(value, of_type, file, record, remedy)


def read_json(path: str | Path, of_type: type = dict, remedy: str = RESTORE) -> Json:
    """Return the content of a JSON file as `of_type`; for errors see `convert`."""
    return decode_json(Path(path).read_bytes(), of_type, path, remedy=remedy)


def reading_error(file: str | Path, record: str, problem: str, remedy: str) -> ValueError:
    """Return the ValueError that all readers raise: ``FILE, RECORD: PROBLEM. REMEDY``.

    An empty `record` is left out.
    """
    place = f"{file}, {record}" if record else f"{file}"
    return ValueError(f"{place}: {problem}. {remedy}")


def _show_record(value: object) -> str:
    """Return the beginning of a record, for an error: its values say which one it is."""
    text = shortened.repr(value)
    if len(text) <= LONGEST_SHOWN_RECORD:
        return text
    return f"{text[:LONGEST_SHOWN_RECORD]}..."
