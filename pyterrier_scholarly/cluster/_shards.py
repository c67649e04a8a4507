"""A folder of shards: its manifest, and each shard, a Parquet file that is complete or absent.

    manifest = read_manifest("vectors")
    shard = read_shard("vectors", manifest, number=0)
    print(shard.ids[0], shard.vectors[0])

Conventions: shards are numbered from 0. Vectors are arrays (n, d), float32.
"""

import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.atomic import new_file

from ..choices import some
from ..fingerprint import fingerprint
from ..folders import Damaged, read_folder

METADATA_KEY = b"scholarly"  # of a shard's Parquet file
LONGEST_SHOWN_ERROR = 200  # characters

Folder: TypeAlias = str | PathLike[str]


@dataclass(frozen=True)
class Manifest:
    """Which texts are encoded by what, and how they are divided into shards.

    Existing shards have the fingerprint of this class's name, module and fields, so these stay.

    Attributes:
        encoder: its fingerprint, or the name that was passed.
        source: a hash of the texts.
        texts: their number.
        shard_size: of each shard but the last.
        shown: the encoder's repr, for people.
    """

    encoder: str
    source: str
    texts: int
    shard_size: int
    shown: str = field(default="", compare=False)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.texts // self.shard_size)  # rounded up

    @property
    def key(self) -> str:
        """A hash of all this, except `shown`."""
        return fingerprint(self)

    def rows(self, number: int) -> range:
        """Return the positions of a shard's texts."""
        start = number * self.shard_size
        end = min(start + self.shard_size, self.texts)
        return range(start, end)


class Shard(NamedTuple):
    """The content of a shard: n ids, and their vectors (n, d)."""

    ids: list[str]
    vectors: np.ndarray


class _StoredShard(NamedTuple):
    """A shard as its file has it, before it is checked.

    Attributes:
        shard: ids and vectors.
        key: of the manifest of the folder that it was written for.
        number: of the shard there.
        digest: of ids and vectors, when they were written.
        actual_digest: of ids and vectors, as they were read.
    """

    shard: Shard
    key: str
    number: int
    digest: str
    actual_digest: str


def read_manifest(folder: Folder) -> Manifest:
    """Return the manifest of a folder that has all its shards.

    Raises:
        ValueError: it is missing or not readable, or shards are missing.
    """
    try:
        manifest = Manifest(**read_folder(Path(folder)))
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no shards: write them with encode_shards.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder} holds no shards ({error}): remove the folder.") from None

    missing = [
        number for number in range(manifest.shards) if not shard_path(folder, number).exists()
    ]
    if missing:
        problem = f"{len(missing)} of {manifest.shards} shards are missing: {some(missing)}"
        raise shard_error(folder, problem)
    return manifest


def shard_error(folder: Folder, problem: object) -> ValueError:
    """Return the error for missing or damaged shards, with the remedy."""
    return ValueError(
        f"{folder}: {problem}. Call encode_shards or encode_on_spark again with the same texts, "
        "encoder and shard_size: it writes missing and damaged shards."
    )


def shard_path(folder: Folder, number: int) -> Path:
    """Return the path of shard `number`."""
    return Path(folder, f"shard-{number:06d}.parquet")


def write_shard(folder: Folder, manifest: Manifest, number: int, shard: Shard) -> None:
    """Write a shard: the whole file or nothing."""
    row_count, dimensions = shard.vectors.shape
    # lists of any size, because Spark cannot read lists of a fixed one
    offsets = np.arange(row_count + 1, dtype=np.int32) * dimensions
    numbers = np.ascontiguousarray(shard.vectors).ravel()
    vector_lists = pa.ListArray.from_arrays(offsets, numbers)

    about = {
        "key": manifest.key,
        "number": number,
        "dimensions": dimensions,
        "sha256": fingerprint([shard.ids, shard.vectors]),
    }
    columns = {"docno": pa.array(shard.ids, pa.string()), "doc_vec": vector_lists}
    table = pa.table(columns, metadata={METADATA_KEY: json.dumps(about)})
    with new_file(shard_path(folder, number), "wb") as file:
        pq.write_table(
            table, file, compression="none", use_dictionary=False, write_statistics=False
        )


def read_shard(folder: Folder, manifest: Manifest, number: int) -> Shard:
    """Return the content of shard `number`.

    Raises:
        FileNotFoundError: the shard is missing.
        Damaged: its file is not readable, belongs to another folder, or has changed.
    """
    path = shard_path(folder, number)
    try:
        stored = _read_file(path)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, LookupError, ValueError, TypeError) as error:
        message = str(error)[:LONGEST_SHOWN_ERROR]
        raise Damaged(f"{path.name} cannot be read ({type(error).__name__}: {message})") from None

    shard = stored.shard
    expected_rows = len(manifest.rows(number))
    if stored.key != manifest.key or stored.number != number:
        raise Damaged(f"{path.name} is a shard of something else")
    if len(shard.ids) != expected_rows:
        raise Damaged(f"{path.name} has {len(shard.ids)} rows, not {expected_rows}")
    if shard.vectors.dtype != np.float32 or stored.digest != stored.actual_digest:
        raise Damaged(f"{path.name} holds other bytes than were written")
    if not np.isfinite(shard.vectors).all():
        raise Damaged(f"{path.name} holds NaN or infinity")
    return shard


def _read_file(path: Path) -> _StoredShard:
    """Return what a shard's file has; raises errors of many classes if it is damaged."""
    table = pq.read_table(path, partitioning=None)
    about = json.loads((table.schema.metadata or {})[METADATA_KEY])

    ids = table["docno"].to_pylist()
    numbers = table["doc_vec"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    vectors = numbers.reshape(len(ids), about["dimensions"])
    return _StoredShard(
        Shard(ids, vectors),
        key=about["key"],
        number=about["number"],
        digest=about["sha256"],
        actual_digest=fingerprint([ids, vectors]),  # raises if ids are not texts
    )
