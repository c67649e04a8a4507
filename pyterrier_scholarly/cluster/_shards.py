"""A folder of shards: what it is of, and each shard, a Parquet file that is whole or not there."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ir_datasets_ext.store import Damaged, fingerprint, new_file, read_folder

META = b"scholarly"


@dataclass(frozen=True)
class Manifest:
    """Which texts are encoded by what, and how they are cut into shards.

    encoder: its fingerprint, or a name given to it; source: a hash of the texts; texts: how many;
    shard_size: of each shard but the last; shown: the encoder's repr, for people alone.
    """

    encoder: str
    source: str
    texts: int
    shard_size: int
    shown: str = field(default="", compare=False)

    @property
    def shards(self) -> int:
        """How many there are."""
        return -(-self.texts // self.shard_size)

    @property
    def key(self) -> str:
        """A hash of all this."""
        return fingerprint(self)

    def rows(self, number) -> range:
        """The places of the texts of a shard."""
        start = number * self.shard_size
        return range(start, min(start + self.shard_size, self.texts))


def read_manifest(folder) -> Manifest:
    """Return the manifest of `folder`.

    Raises:
        ValueError: there is none, or it cannot be read.
    """
    try:
        return Manifest(**read_folder(folder))
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no shards: write them with encode_shards.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder} holds no shards ({error}): remove the folder.") from None


def shard_path(folder, number) -> Path:
    """Where shard `number` is."""
    return Path(folder, f"shard-{number:06d}.parquet")


def write_shard(folder, manifest, number, ids, vectors):
    """Write ids and their vectors (n, d), float32, under the final name at once or not at all."""
    rows, dimensions = vectors.shape
    # a list of fixed size, which would be the obvious type, is none that Spark reads
    offsets = np.arange(rows + 1, dtype=np.int32) * dimensions
    lists = pa.ListArray.from_arrays(offsets, np.ascontiguousarray(vectors).ravel())
    about = {
        "key": manifest.key,
        "number": number,
        "dimensions": dimensions,
        "sha256": fingerprint([ids, vectors]),
    }
    table = pa.table({"docno": pa.array(ids, pa.string()), "doc_vec": lists})
    table = table.replace_schema_metadata({META: json.dumps(about)})
    path = shard_path(folder, number)
    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    with new_file(path, "wb") as file:
        pq.write_table(table, file, **plain)


def read_shard(folder, manifest, number):
    """Ids, a list, and vectors (n, d), float32.

    Raises:
        FileNotFoundError: there is no such shard.
        Damaged: its file cannot be read, is of another folder, or has other content than written.
    """
    path = shard_path(folder, number)
    try:
        table = pq.read_table(path, partitioning=None)
        about = json.loads((table.schema.metadata or {})[META])
        ids = table["docno"].to_pylist()
        flat = table["doc_vec"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        vectors = flat.reshape(len(ids), about["dimensions"])
        of, digest = (about["key"], about["number"]), about["sha256"]
        found = fingerprint([ids, vectors])  # which ids that are no texts have not
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, LookupError, ValueError, TypeError) as error:
        raise Damaged(
            f"{path.name} cannot be read ({type(error).__name__}: {str(error)[:200]})"
        ) from None
    if of != (manifest.key, number):
        raise Damaged(f"{path.name} is a shard of something else")
    if len(ids) != len(manifest.rows(number)):
        raise Damaged(f"{path.name} has {len(ids)} rows, not {len(manifest.rows(number))}")
    if vectors.dtype != np.float32 or digest != found:
        raise Damaged(f"{path.name} holds other bytes than were written")
    return ids, vectors
