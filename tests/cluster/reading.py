"""Read shards as Parquet files, by number."""

import numpy as np
import pyarrow.parquet as pq


def shard_path(folder, number):
    """Return the path of a shard."""
    return folder / f"shard-{number:06}.parquet"


def read_shard(folder, number):
    """Return ids and vectors (n, d)."""
    table = pq.read_table(shard_path(folder, number), partitioning=None)
    return table["docno"].to_pylist(), np.array(table["doc_vec"].to_pylist(), dtype=np.float32)


def content(folder):
    """Return ids and vectors of all shards."""
    parts = [read_shard(folder, number) for number in range(len(list(folder.glob("shard-*"))))]
    return [one for ids, _ in parts for one in ids], np.concatenate([rows for _, rows in parts])
