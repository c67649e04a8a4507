"""The texts, in a fixed order, as files that every worker can read a part of."""

import hashlib
import json
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ir_datasets_ext.store import fingerprint, new_file
from ir_datasets_ext.store.files import file_hash

STAGED, STAGE = "texts.parquet", 10_000  # rows that are written together
IDS = ("docno", "doc_id", "id")


@dataclass(frozen=True)
class Source:
    """Parquet files one after the other.

    files: paths, each with the sizes of its row groups; columns: of id and text; identity: a hash.
    """

    files: tuple
    columns: tuple
    identity: str

    @property
    def count(self) -> int:
        """How many texts there are."""
        return sum(sum(groups) for _, groups in self.files)

    def read(self, rows):
        """Ids and texts of a range of rows; of the files, only the row groups that have some."""
        import pyarrow.parquet as pq

        ids, texts, at = [], [], 0
        for path, groups in self.files:
            for number, size in enumerate(groups):
                first, last = max(rows.start - at, 0), min(rows.stop - at, size)
                at += size
                if first >= last:
                    continue
                with pq.ParquetFile(path) as file:
                    table = file.read_row_group(number, list(self.columns))
                table = table.slice(first, last - first)
                ids += map(str, table[self.columns[0]].to_pylist())
                texts += table[self.columns[1]].to_pylist()
        return ids, texts


def of_files(paths, columns=None) -> Source:
    """The texts of Parquet files, or of a folder of them in the order of names.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a column is missing.
    """
    import pyarrow.parquet as pq

    found = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        path = Path(path).absolute()  # workers run elsewhere
        found += sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not found:
        raise FileNotFoundError(f"No Parquet files in {paths}.")
    files = []
    for path in found:
        names = pq.read_schema(path).names
        columns = columns or _columns(names, path)
        missing = set(columns) - set(names)
        if missing:
            raise ValueError(f"{path} has no column {sorted(missing)}: give columns=(id, text).")
        files.append((str(path), _groups(path)))
    digest = fingerprint([columns, *(file_hash(path, "sha256") for path in found)])
    return Source(tuple(files), tuple(columns), f"files {digest}")


def stage(rows, file):
    """Write rows of id and text to a binary file, in pieces; returns a hash of them, and the sizes.

    Raises:
        ValueError: a row is no id and text; names the id.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    digest, rows, groups = hashlib.sha256(), map(_pair, rows), []
    schema = pa.schema([("docno", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(file, schema) as writer:
        while piece := list(islice(rows, STAGE)):
            for row in piece:
                digest.update(json.dumps(row).encode() + b"\n")
            writer.write_table(pa.table(list(zip(*piece)), schema=schema))
            groups.append(len(piece))
    return f"rows {digest.hexdigest()}", tuple(groups)


def pairs(texts, columns=None):
    """Rows of id and text, of a frame or an iterable."""
    if hasattr(texts, "itertuples"):
        columns = columns or _columns(list(texts.columns), "the frame")
        return zip(*(texts[name].tolist() for name in columns))
    if isinstance(texts, dict):
        return texts.items()
    return texts


def is_files(texts) -> bool:
    """Whether `texts` is a path, or a list of paths."""
    several = isinstance(texts, (list, tuple)) and len(texts) > 0
    return all(isinstance(one, (str, os.PathLike)) for one in (texts if several else [texts]))


def staged(texts, folder, columns, accept) -> Source:
    """The texts that are no files, written into `folder` once `accept` takes their Source."""
    final = Path(folder, STAGED).absolute()
    with new_file(final, "wb") as file:
        identity, groups = stage(pairs(texts, columns), file)
        source = Source(((str(final), groups),), ("docno", "text"), identity)
        accept(source)
    return source


def _groups(path):
    import pyarrow.parquet as pq

    meta = pq.read_metadata(path)
    return tuple(meta.row_group(number).num_rows for number in range(meta.num_row_groups))


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
