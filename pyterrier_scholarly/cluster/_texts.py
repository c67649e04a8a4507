"""Texts in a fixed order, as files that every worker can read in parts.

    with open_source([("d1", "A text."), ("d2", "Another.")], folder, columns=None) as source:
        print(source.count, source.identity)
        rows = source.read(range(0, 1))

Rows are numbered from 0 over all files.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.atomic import new_file

from ..fingerprint import fingerprint
from ..folders import hash_once
from ._text_rows import TextRow, read_row, recognise_columns

STAGED_FILE = "texts.parquet"  # in the folder of shards
STAGED_GROUP = 10_000  # rows per row group of that file
STAGED_SCHEMA = pa.schema([("docno", pa.string()), ("text", pa.string())])

Columns: TypeAlias = Sequence[str] | None  #: of id and text; None: those with common names
PathLike: TypeAlias = str | os.PathLike[str]


class RowGroup(NamedTuple):
    """A row group of a Parquet file: its number in the file, and its number of rows."""

    path: str
    number: int
    size: int


class Texts(NamedTuple):
    """Ids and texts of some rows; a text is None where a file has null."""

    ids: list[str]
    texts: list[str]


@dataclass(frozen=True)
class Source:
    """Row groups of Parquet files, one after the other.

    Attributes:
        groups: in order.
        columns: of id and text.
        identity: a hash of the texts.
    """

    groups: tuple[RowGroup, ...]
    columns: tuple[str, ...]
    identity: str

    @property
    def count(self) -> int:
        """The number of texts."""
        return sum(group.size for group in self.groups)

    def read(self, rows: range) -> Texts:
        """Return ids and texts of a range of rows, reading only their row groups."""
        ids: list[str] = []
        texts: list[str] = []
        group_start = 0  # the group's first row, among the rows of all groups
        for group in self.groups:
            first = max(rows.start - group_start, 0)
            end = min(rows.stop - group_start, group.size)
            if first < end:
                table = self._read_group(group).slice(first, end - first)
                docno_column, text_column = table.columns
                ids.extend(str(docno) for docno in docno_column.to_pylist())
                texts.extend(text_column.to_pylist())
            group_start += group.size
        return Texts(ids, texts)

    def _read_group(self, group: RowGroup) -> pa.Table:
        """Return a row group's columns of id and text, in this order."""
        with pq.ParquetFile(group.path) as file:
            table = file.read_row_group(group.number, list(self.columns))
        return table.select(self.columns)


@contextmanager
def open_source(texts: Any, folder: Path, columns: Columns) -> Iterator[Source]:
    """Yield the texts' `Source`.

    Parquet files, or a folder of them sorted by name, are read in place. Everything else is written
    into `folder`, in blocks, unless the caller raises.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a column is missing, or a row is not an id and a text (names the id).
    """
    paths = _list_paths(texts)
    if paths:
        yield _describe_files(paths, columns)
        return

    rows = map(read_row, _iterate_rows(texts, columns))
    path = Path(folder, STAGED_FILE).absolute()
    # the file gets its name when the block of `with` ends, so not if the caller raises in `yield`
    with new_file(path, "wb") as file:
        yield _stage_rows(rows, path, file)


def _list_paths(texts: Any) -> list[PathLike]:
    """Return the paths if `texts` is a path or a list of paths, else an empty list."""
    candidates = texts if isinstance(texts, (list, tuple)) else [texts]
    if all(isinstance(candidate, (str, os.PathLike)) for candidate in candidates):
        return list(candidates)
    return []


def _iterate_rows(texts: Any, columns: Columns) -> Iterable[Any]:
    """Return what has a row for each text: a pair, a dict or a document."""
    if hasattr(texts, "itertuples"):  # a frame
        docno_name, text_name = columns or recognise_columns(list(texts.columns), "the frame")
        return zip(texts[docno_name].tolist(), texts[text_name].tolist())
    if isinstance(texts, Mapping):
        return texts.items()
    if not isinstance(texts, Iterable):
        raise ValueError(
            f"texts={texts!r:.80}: expected Parquet files, a frame, a dict, or an iterable of "
            "(id, text), dicts or documents."
        )
    return texts


def _stage_rows(rows: Iterator[TextRow], path: Path, file: IO[bytes]) -> Source:
    """Write rows to a Parquet file, in blocks, and return its source.

    path: the name that the open file will have.
    """
    digest = hashlib.sha256()
    groups: list[RowGroup] = []
    with pq.ParquetWriter(file, STAGED_SCHEMA) as writer:
        block = list(islice(rows, STAGED_GROUP))
        while block:
            for row in block:
                digest.update(_serialise(row))
            writer.write_table(_make_table(block))
            groups.append(RowGroup(str(path), len(groups), len(block)))
            block = list(islice(rows, STAGED_GROUP))
    return Source(tuple(groups), ("docno", "text"), f"rows {digest.hexdigest()}")


def _serialise(row: TextRow) -> bytes:
    """Return the bytes by which a row enters the hash of all."""
    return json.dumps([row.docno, row.text]).encode() + b"\n"


def _make_table(rows: Sequence[TextRow]) -> pa.Table:
    """Return rows as an Arrow table."""
    ids = [row.docno for row in rows]
    texts = [row.text for row in rows]
    return pa.table([ids, texts], schema=STAGED_SCHEMA)


def _describe_files(paths: Sequence[PathLike], columns: Columns) -> Source:
    """Return the source of Parquet files; the first file decides which columns are meant."""
    files = _list_files(paths)
    groups: list[RowGroup] = []
    for path in files:
        layout = _read_layout(path)
        if columns is None:
            # a plain tuple: the class of a named one would be part of the fingerprint
            columns = tuple(recognise_columns(layout.names, str(path)))
        missing = sorted(set(columns) - set(layout.names))
        if missing:
            raise ValueError(f"{path} has no column {missing}: pass columns=(id, text).")

        for number, size in enumerate(layout.group_sizes):
            groups.append(RowGroup(str(path), number, size))

    hashes = [hash_once(path) for path in files]
    digest = fingerprint([columns, *hashes])
    return Source(tuple(groups), tuple(columns or ()), f"files {digest}")


def _list_files(paths: Sequence[PathLike]) -> list[Path]:
    """Return the files, those of a folder sorted by name; FileNotFoundError if there are none."""
    files: list[Path] = []
    for path in paths:
        absolute_path = Path(path).absolute()  # workers have another current folder
        if absolute_path.is_dir():
            files.extend(sorted(absolute_path.glob("*.parquet")))
        else:
            files.append(absolute_path)

    if not files:
        names = [repr(str(path)) for path in paths]
        raise FileNotFoundError(
            f"No Parquet files in {', '.join(names)}: pass a folder that has some."
        )
    return files


class _Layout(NamedTuple):
    """The names of a Parquet file's columns, and the numbers of rows of its row groups."""

    names: list[str]
    group_sizes: list[int]


def _read_layout(path: Path) -> _Layout:
    """Return how a Parquet file is divided, from its end.

    Raises:
        FileNotFoundError: it is missing.
        ValueError: it is no Parquet file.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no Parquet file {path}: pass texts as a frame or a dict, or their files."
        )

    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            metadata = file.metadata
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{path} is no Parquet file, or damaged ({error}): make or copy it again."
        ) from error

    group_sizes = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    return _Layout(names, group_sizes)
