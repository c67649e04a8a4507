"""The texts, in a fixed order, as files that every worker can read a part of."""

import hashlib
import json
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.store import fingerprint, new_file
from ir_datasets_ext.store.files import file_hash

STAGED, STAGE = "texts.parquet", 10_000  # rows that are written together
SCHEMA = pa.schema([("docno", pa.string()), ("text", pa.string())])
IDS = ("docno", "doc_id", "id")


@dataclass(frozen=True)
class Source:
    """Row groups of Parquet files, one after the other.

    groups: of each its file, its number there, and how many rows it has; columns: of id and text;
    identity: a hash.
    """

    groups: tuple
    columns: tuple
    identity: str

    @property
    def count(self) -> int:
        """How many texts there are."""
        return sum(size for *_, size in self.groups)

    def read(self, rows):
        """Ids and texts of a range of rows; of the files, only the row groups that have some."""
        ids, texts, at = [], [], 0
        for path, number, size in self.groups:
            first, last = max(rows.start - at, 0), min(rows.stop - at, size)
            at += size
            if first < last:
                with pq.ParquetFile(path) as file:
                    table = file.read_row_group(number, list(self.columns))
                own, other = table.slice(first, last - first).select(self.columns).columns
                ids += map(str, own.to_pylist())
                texts += other.to_pylist()
        return ids, texts


def source_of(texts, folder, columns, accept):
    """Return what `accept` makes of the texts' `Source`, which it may refuse.

    Parquet files, or a folder of them in the order of names, are read where they are. Anything else
    is written into `folder`, once `accept` has taken it.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a column is missing; a row is no id and text (names the id).
    """
    several = isinstance(texts, (list, tuple)) and len(texts) > 0
    paths = texts if several else [texts]
    if all(isinstance(one, (str, os.PathLike)) for one in paths):
        return accept(_of_files(paths, columns))
    return _staged(_pairs(texts, columns), Path(folder, STAGED).absolute(), accept)


def _of_files(paths, columns):
    found, groups = [], []
    for path in paths:
        path = Path(path).absolute()  # workers run elsewhere
        found += sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not found:
        raise FileNotFoundError(f"No Parquet files in {', '.join(map(str, paths))}.")
    for path in found:
        with pq.ParquetFile(path) as file:
            names, meta = file.schema_arrow.names, file.metadata
        columns = columns or _columns(names, path)
        missing = set(columns) - set(names)
        if missing:
            raise ValueError(f"{path} has no column {sorted(missing)}: give columns=(id, text).")
        sizes = [meta.row_group(number).num_rows for number in range(meta.num_row_groups)]
        groups += [(str(path), number, size) for number, size in enumerate(sizes)]
    digest = fingerprint([columns, *(file_hash(path, "sha256") for path in found)])
    return Source(tuple(groups), tuple(columns), f"files {digest}")


def _staged(rows, path, accept):
    """Write pairs of id and text to `path`, in pieces, if `accept` takes them."""
    digest, groups = hashlib.sha256(), []
    with new_file(path, "wb") as file:
        with pq.ParquetWriter(file, SCHEMA) as writer:
            while piece := list(islice(rows, STAGE)):
                for row in piece:
                    digest.update(json.dumps(row).encode() + b"\n")
                writer.write_table(pa.table(list(zip(*piece)), schema=SCHEMA))
                groups.append((str(path), len(groups), len(piece)))
        return accept(Source(tuple(groups), ("docno", "text"), f"rows {digest.hexdigest()}"))


def _pairs(texts, columns):
    """Yield id and text of the rows of a frame, a dict or an iterable."""
    if hasattr(texts, "itertuples"):
        columns = columns or _columns(list(texts.columns), "the frame")
        texts = zip(*(texts[name].tolist() for name in columns))
    return map(_pair, texts.items() if isinstance(texts, dict) else texts)


def _pair(row):
    if hasattr(row, "default_text"):
        row = (row.doc_id, row.default_text())
    elif isinstance(row, dict):
        row = [row[name] for name in _columns(list(row), f"the row {row}")]
    try:
        docno, text = row
    except (TypeError, ValueError):
        raise ValueError(
            f"{row!r} is no row of texts: give (id, text), dicts or documents."
        ) from None
    if not isinstance(text, str):
        raise ValueError(f"The text of {docno} is {text!r}, no text: fill it, or leave it out.")
    return str(docno), text


def _columns(names, where):
    ids = [name for name in IDS if name in names]
    if not ids or "text" not in names:
        raise ValueError(
            f"Neither columns nor names tell ids and texts of {where} (it has {names}): expected "
            f"one of {IDS} and 'text', or give columns=(id, text)."
        )
    return ids[0], "text"
