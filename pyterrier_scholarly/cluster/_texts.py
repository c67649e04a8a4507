"""Texts in a fixed order, as files that every worker can read in parts."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.store import fingerprint, new_file
from ir_datasets_ext.store.hashes import file_hash

STAGED, STAGE = "texts.parquet", 10_000  # rows per row group
SCHEMA = pa.schema([("docno", pa.string()), ("text", pa.string())])
IDS = ("docno", "doc_id", "id")  # the first of these columns is the id

Columns = Sequence[str] | None


@dataclass(frozen=True)
class Source:
    """Row groups of Parquet files, one after the other.

    groups: each one's file, number in the file, and number of rows; columns: of id and text;
    identity: a hash.
    """

    groups: tuple[tuple[str, int, int], ...]
    columns: tuple[str, ...]
    identity: str

    @property
    def count(self) -> int:
        """Return the number of texts."""
        return sum(size for *_, size in self.groups)

    def read(self, rows: range) -> tuple[list[str], list[str]]:
        """Return ids and texts of a range of rows, reading only their row groups."""
        ids: list[str] = []
        texts: list[str] = []  # None where a file has null
        start = 0
        for path, number, size in self.groups:
            first, last = max(rows.start - start, 0), min(rows.stop - start, size)
            start += size
            if first < last:
                with pq.ParquetFile(path) as file:
                    table = file.read_row_group(number, list(self.columns))
                docnos, part = table.slice(first, last - first).select(self.columns).columns
                ids += map(str, docnos.to_pylist())
                texts += part.to_pylist()
        return ids, texts


@contextmanager
def source_of(texts: Any, folder: Path, columns: Columns) -> Iterator[Source]:
    """Yield the texts' `Source`.

    Parquet files, or a folder of them sorted by name, are read in place. Everything else is written
    into `folder`, in blocks, unless the caller raises.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a column is missing, or a row is not an id and a text (names the id).
    """
    paths = texts if isinstance(texts, (list, tuple)) and len(texts) > 0 else [texts]
    if all(isinstance(path, (str, os.PathLike)) for path in paths):
        yield _of_files(paths, columns)
        return
    if hasattr(texts, "itertuples"):
        columns = columns or _columns(list(texts.columns), "the frame")
        texts = zip(*(texts[name].tolist() for name in columns))
    if not isinstance(texts, Iterable):
        raise ValueError(
            f"texts={texts!r:.80}: expected Parquet files, a frame, a dict, or an iterable of "
            "(id, text), dicts or documents."
        )
    rows = map(_pair, texts.items() if isinstance(texts, dict) else texts)
    path = Path(folder, STAGED).absolute()
    digest = hashlib.sha256()
    groups: list[tuple[str, int, int]] = []
    with new_file(path, "wb", follow=False) as file:
        with pq.ParquetWriter(file, SCHEMA) as writer:
            while block := list(islice(rows, STAGE)):
                for row in block:
                    digest.update(json.dumps(row).encode() + b"\n")
                writer.write_table(pa.table(list(zip(*block)), schema=SCHEMA))
                groups.append((str(path), len(groups), len(block)))
        yield Source(tuple(groups), ("docno", "text"), f"rows {digest.hexdigest()}")


def _of_files(paths: Iterable[str | os.PathLike[str]], columns: Columns) -> Source:
    files: list[Path] = []
    groups: list[tuple[str, int, int]] = []
    for path in map(Path.absolute, map(Path, paths)):  # workers have another current folder
        files += sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(
            f"No Parquet files in {', '.join(repr(str(path)) for path in paths)}: pass a folder "
            "that has some."
        )
    for path in files:
        if not path.is_file():
            raise FileNotFoundError(
                f"There is no Parquet file {path}: pass texts as a frame or a dict, or their files."
            )
        try:
            with pq.ParquetFile(path) as file:
                names, meta = file.schema_arrow.names, file.metadata
        except (pa.ArrowException, OSError) as error:
            raise ValueError(
                f"{path} is no Parquet file, or damaged ({error}): make or copy it again."
            ) from error
        columns = columns or _columns(names, str(path))
        if missing := sorted(set(columns) - set(names)):
            raise ValueError(f"{path} has no column {missing}: pass columns=(id, text).")
        sizes = [meta.row_group(number).num_rows for number in range(meta.num_row_groups)]
        groups += [(str(path), number, size) for number, size in enumerate(sizes)]
    digest = fingerprint([columns, *(file_hash(path, "sha256") for path in files)])
    return Source(tuple(groups), tuple(columns or ()), f"files {digest}")


def _pair(row: Any) -> tuple[str, str]:
    """Return the id and the text of a row: a pair, a dict or a document."""
    if hasattr(row, "default_text"):
        row = (row.doc_id, row.default_text())
    elif isinstance(row, dict):
        row = [row[name] for name in _columns(list(row), f"the row {row}")]
    try:
        docno, text = row
    except (TypeError, ValueError):
        raise ValueError(
            f"{row!r} is no row of texts: expected (id, text), a dict or a document."
        ) from None
    if not isinstance(text, str):
        raise ValueError(f"The text of {docno} is {text!r}, no text: fill it, or drop the row.")
    pair = str(docno), text
    try:
        "".join(pair).encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{docno!r} or its text has half a surrogate pair, which no file can hold: correct it, "
            "or drop the row."
        ) from None
    return pair


def _columns(names: Sequence[str], where: str) -> tuple[str, str]:
    ids = [name for name in IDS if name in names]
    if not ids or "text" not in names:
        raise ValueError(
            f"No columns of ids and texts recognised in {where} (it has {names}): expected one of "
            f"{IDS} and 'text'. Pass columns=(id, text)."
        )
    return ids[0], "text"
