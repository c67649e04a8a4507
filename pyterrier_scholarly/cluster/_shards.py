"""A folder of shards: its manifest, and each shard, a Parquet file that is complete or absent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.store import Damaged, fingerprint, new_file, read_folder
from ir_datasets_ext.store.plain_files import check_plain

from ..frames import some

META = b"scholarly"
Folder = str | PathLike[str]


@dataclass(frozen=True)
class Manifest:
    """Which texts are encoded by what, and how they are divided into shards.

    encoder: its fingerprint, or the name that was passed; source: a hash of the texts; texts:
    their number; shard_size: of each shard but the last; shown: the encoder's repr, for people.
    """

    encoder: str
    source: str
    texts: int
    shard_size: int
    shown: str = field(default="", compare=False)

    @property
    def shards(self) -> int:
        """Return the number of shards."""
        return -(-self.texts // self.shard_size)

    @property
    def key(self) -> str:
        """Return a hash of all this."""
        return fingerprint(self)

    def rows(self, number: int) -> range:
        """Return the places of a shard's texts."""
        start = number * self.shard_size
        return range(start, min(start + self.shard_size, self.texts))


def complete_manifest(folder: Folder) -> Manifest:
    """Return the manifest of `folder`.

    Raises:
        ValueError: it is missing or not readable, or shards are missing.
    """
    try:
        manifest = Manifest(**read_folder(Path(folder)))
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no shards: write them with encode_shards.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder} holds no shards ({error}): remove the folder.") from None
    if lost := [n for n in range(manifest.shards) if not shard_path(folder, n).exists()]:
        raise remedy(folder, f"{len(lost)} of {manifest.shards} shards are missing: {some(lost)}")
    return manifest


def remedy(folder: Folder, problem: object) -> ValueError:
    """Return the error for missing or damaged shards."""
    return ValueError(
        f"{folder}: {problem}. Call encode_shards or encode_on_spark again with the same texts, "
        "encoder and shard_size: it writes missing and damaged shards."
    )


def shard_path(folder: Folder, number: int) -> Path:
    """Return the path of shard `number`."""
    return Path(folder, f"shard-{number:06d}.parquet")


def write_shard(
    folder: Folder, manifest: Manifest, number: int, ids: Sequence[str], vectors: np.ndarray
) -> None:
    """Write ids and their vectors (n, d), float32: the whole file or nothing."""
    rows, dimensions = vectors.shape
    # Spark cannot read lists of a fixed size
    offsets = np.arange(rows + 1, dtype=np.int32) * dimensions
    lists = pa.ListArray.from_arrays(offsets, np.ascontiguousarray(vectors).ravel())
    about = {
        "key": manifest.key,
        "number": number,
        "dimensions": dimensions,
        "sha256": fingerprint([ids, vectors]),
    }
    table = pa.table(
        {"docno": pa.array(ids, pa.string()), "doc_vec": lists}, metadata={META: json.dumps(about)}
    )
    with new_file(shard_path(folder, number), "wb", follow=False) as file:
        pq.write_table(
            table, file, compression="none", use_dictionary=False, write_statistics=False
        )


def read_shard(folder: Folder, manifest: Manifest, number: int) -> tuple[list[str], np.ndarray]:
    """Return ids and vectors (n, d), float32.

    Raises:
        FileNotFoundError: the shard is missing.
        Damaged: its file is not readable, belongs to another folder, or has changed.
    """
    path = shard_path(folder, number)
    try:
        check_plain(path)
        table = pq.read_table(path, partitioning=None)
        about = json.loads((table.schema.metadata or {})[META])
        ids = table["docno"].to_pylist()
        flat = table["doc_vec"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        vectors = flat.reshape(len(ids), about["dimensions"])
        origin, digest = (about["key"], about["number"]), about["sha256"]
        actual = fingerprint([ids, vectors])  # raises if ids are not texts
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, LookupError, ValueError, TypeError) as error:
        raise Damaged(
            f"{path.name} cannot be read ({type(error).__name__}: {str(error)[:200]})"
        ) from None
    if origin != (manifest.key, number):
        raise Damaged(f"{path.name} is a shard of something else")
    if len(ids) != len(manifest.rows(number)):
        raise Damaged(f"{path.name} has {len(ids)} rows, not {len(manifest.rows(number))}")
    if vectors.dtype != np.float32 or digest != actual:
        raise Damaged(f"{path.name} holds other bytes than were written")
    if not np.isfinite(vectors).all():
        raise Damaged(f"{path.name} holds NaN or infinity")
    return ids, vectors
