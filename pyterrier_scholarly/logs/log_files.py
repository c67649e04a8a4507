"""A log's files: their form, their first lines, and the columns of user, time and document."""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

FORMS = ("parquet", "csv", "tsv", "jsonl")
SEPARATORS = {"csv": ",", "tsv": "\t"}
SUFFIXES = {
    **{f".{form}": form for form in FORMS},
    **{".pq": "parquet", ".tab": "tsv", ".ndjson": "jsonl", ".json": "jsonl"},
}
TIME_FORMS = ("auto", "iso", "seconds", "milliseconds")
SECOND = 1_000_000  # microseconds

#: common column names, compared without capitals and punctuation; the first match wins
KNOWN = {
    "user": "user userid uid visitor visitorid client clientid cookie session sessionid".split(),
    "time": "time timestamp datetime downloadtime date ts".split(),
    "doc": "doc docid docno document documentid paper paperid article articleid item itemid "
    "bibcode doi arxivid".split(),
}

File = str | Path
Column = str | int | None  # a name, a place from 0, or None to recognise it
FirstLines = Callable[[File, int], list[str]]  # from a file and a number to that many lines


def files_of(log: File | Iterable[File]) -> list[File]:
    """List the files of a path, of several paths, or of a folder (by their suffixes).

    An address with ``://`` is passed on to the engine.

    Raises:
        FileNotFoundError: a path does not exist, or a folder has no such files.
        ValueError: `log` is an empty list.
    """
    paths = [log] if isinstance(log, (str, Path)) else list(log)
    if wrong := [path for path in paths if not isinstance(path, (str, Path))]:
        raise ValueError(f"log has {wrong[0]!r:.80}, which is no path: expected files or folders.")
    files = [file for path in paths for file in _files(path)]
    if not files:
        raise ValueError("a log of no files: expected at least one.")
    return files


def _files(path: File) -> list[File]:
    if "://" in str(path):
        return [path]
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no log {path}: give a file or a folder.")
    if not path.is_dir():
        return [path]
    inside = sorted(p for p in path.rglob("*") if _form(p) and p.name[0] not in "._")
    if not inside:
        raise FileNotFoundError(
            f"no file of a log in {path}: expected names that end with {', '.join(SUFFIXES)}, or "
            "one of these and .gz."
        )
    return [*inside]


def form_of(files: Sequence[File], form: object = None) -> str:
    """Return `form`, or the form that all file names have; ValueError if it is unknown."""
    if form is not None:
        if not isinstance(form, str) or form not in FORMS:
            raise ValueError(f"{form!r} is no form of a log: expected one of {', '.join(FORMS)}.")
        return form
    forms = {_form(file) for file in files}
    known = forms.pop()
    if forms or known is None:
        raise ValueError(
            f"unknown form of {', '.join(map(str, files[:3]))}: expected names with one and the "
            f"same suffix of {', '.join(SUFFIXES)} (text also .gz). Pass form=, one of "
            f"{', '.join(FORMS)}."
        )
    return known


def _form(file: File) -> str | None:
    return SUFFIXES.get(Path(re.sub(r"[.]gz$", "", str(file))).suffix.lower())


def columns_of(names: Iterable[str], given: Mapping[str, Column]) -> dict[str, str]:
    """Choose the columns of user, time and document among `names`: as `given`, else by their names.

    given: dict from ``"user"``, ``"time"`` and ``"doc"`` to a name, or None.

    Raises:
        ValueError: a given name is missing, or no name is known.
    """
    names, chosen = list(names), {}
    plain = {re.sub(r"[^a-z]", "", name.lower()): name for name in reversed(names)}
    for what, name in given.items():
        known = (plain[word] for word in KNOWN[what] if word in plain)
        column = next(known, None) if name is None else name
        if not isinstance(column, str) or column not in names:  # `in` fails for an array
            raise ValueError(
                f"the log has no column {f'known as its {what}' if name is None else repr(name)}: "
                f"it has {', '.join(map(repr, names)) or 'none'}. Name the "
                f"column with {what}=. Recognised names: {', '.join(KNOWN[what])}."
            )
        chosen[what] = column
    return chosen


def sample(files: Iterable[File], first_lines: FirstLines) -> list[str]:
    """Return the first thousand lines of the first file that is not empty."""
    return next(filter(None, (first_lines(file, 1000) for file in files)), [])


def json_names(
    files: Iterable[File], given: Mapping[str, Column], first_lines: FirstLines
) -> dict[str, Column]:
    """Choose the names of user, time and document in JSON lines, by a file's first lines."""
    names: dict[str, None] = {}
    for line in sample(files, first_lines):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            names.update(dict.fromkeys(row if isinstance(row, dict) else ()))
    if not names:
        return {what: what if name is None else name for what, name in given.items()}
    return {**columns_of(names, given)}


def first_lines(file: Path, count: int) -> list[str]:
    """Return the first lines of a file that are not blank, at most `count`."""
    lines = (line for block in blocks(file, 1 << 16) for line in lines_of(block) if line.strip())
    return [line.removesuffix("\r").removeprefix("\ufeff") for line in islice(lines, count)]


def lines_of(block: bytes) -> list[str]:
    """Split at line feeds. Invalid UTF-8 becomes U+FFFD, which marks a line as broken."""
    return block.decode("utf-8", "replace").split("\n")


def blocks(file: Path, size: int) -> Iterator[bytes]:
    """Yield a file's bytes in parts of whole lines."""
    try:
        with (gzip.open if file.name.endswith(".gz") else open)(file, "rb") as opened:
            while block := opened.read(size):
                # before the rest of the line is read, which would be the whole file
                _check_line_ends(file, block)
                yield block + opened.readline()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(file, error) from error


def _check_line_ends(file: Path, block: bytes) -> None:
    """Raise ValueError if lines end with carriage returns alone, as of old Macintoshes.

    They cannot be told from carriage returns inside of a quoted field, so they are not guessed.
    """
    if b"\r" in block and b"\n" not in block:
        raise ValueError(
            f"{file} ends its lines with carriage returns (CR): expected line feeds (LF, or CR "
            f"LF). Convert it, for example by `tr '\\r' '\\n' < {file} > new.csv`."
        )


def damaged(file: File, error: object) -> ValueError:
    """Return the error for a gzipped file that cannot be unpacked to its end."""
    return ValueError(
        f"{file} is a damaged or truncated .gz file ({error}): copy or download it again, or "
        "unpack the readable part and mine that."
    )
