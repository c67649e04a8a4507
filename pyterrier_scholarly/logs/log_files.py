"""The files of a log, and their form.

>>> recognise_form(["2024.csv.gz", "2025.csv"])
<LogForm.CSV: 'csv'>
"""

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import TypeAlias

File: TypeAlias = str | Path


class LogForm(Enum):
    """A form in which logs are read and written; all but Parquet are lines of text."""

    PARQUET = "parquet"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"


#: what separates the fields of a line
SEPARATORS = {LogForm.CSV: ",", LogForm.TSV: "\t"}

FORM_OF_SUFFIX = {
    ".parquet": LogForm.PARQUET,
    ".csv": LogForm.CSV,
    ".tsv": LogForm.TSV,
    ".jsonl": LogForm.JSONL,
    ".pq": LogForm.PARQUET,
    ".tab": LogForm.TSV,
    ".ndjson": LogForm.JSONL,
    ".json": LogForm.JSONL,
}
MOST_NAMED_FILES = 3  # that an error names


def is_remote(file: File) -> bool:
    """Return whether `file` is an address, such as ``s3://logs/a.parquet``."""
    return "://" in str(file)


def list_files(log: File | Iterable[File]) -> list[File]:
    """List the files of a path, of several paths, or of a folder (by their suffixes).

    An address with ``://`` is passed on to the engine.

    Raises:
        FileNotFoundError: a path does not exist, or a folder has no such files.
        ValueError: `log` is an empty list, or has something else than paths.
    """
    paths = [log] if isinstance(log, (str, Path)) else list(log)
    for path in paths:
        if not isinstance(path, (str, Path)):
            raise ValueError(f"log has {path!r:.80}, which is no path: expected files or folders.")

    files: list[File] = []
    for path in paths:
        files.extend(_list_files_below(path))

    if not files:
        raise ValueError("a log of no files: expected at least one.")
    return files


def recognise_form(files: Sequence[File]) -> LogForm:
    """Return the form that all file names have; ValueError if it is unknown."""
    forms = {_form_of_name(file) for file in files}
    form = _form_of_name(files[0])
    if form is None or len(forms) > 1:
        names = [str(file) for file in files[:MOST_NAMED_FILES]]
        raise ValueError(
            f"unknown form of {', '.join(names)}: expected names with one and the same suffix of "
            f"{', '.join(FORM_OF_SUFFIX)} (text also .gz). Rename the files, or read them into an "
            "Ibis table."
        )
    return form


def _list_files_below(path: File) -> list[File]:
    """Return the file itself, or the files of a log in a folder and its subfolders, sorted."""
    if is_remote(path):
        return [path]

    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no log {path}: give a file or a folder.")
    if not path.is_dir():
        return [path]

    files = [file for file in path.rglob("*") if _is_log_file(file)]
    if not files:
        raise FileNotFoundError(
            f"no file of a log in {path}: expected names that end with "
            f"{', '.join(FORM_OF_SUFFIX)}, or one of these and .gz."
        )
    return [*sorted(files)]


def _is_log_file(file: Path) -> bool:
    """Return whether a folder's file is of its log, and not hidden or a remark of the writer."""
    is_remark = file.name.startswith((".", "_"))  # such as _SUCCESS of Spark
    return not is_remark and _form_of_name(file) is not None


def _form_of_name(file: File) -> LogForm | None:
    """Return the form that a file's suffix stands for, or None."""
    name = re.sub(r"[.]gz$", "", str(file))
    suffix = Path(name).suffix.lower()
    return FORM_OF_SUFFIX.get(suffix)
