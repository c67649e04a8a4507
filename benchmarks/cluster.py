"""Time shards of embeddings: encode and search on one machine, and with local Spark workers.

    python benchmarks/cluster.py [--sizes 5000 10000 20000] [--queries 50] [--workers 2]

The encoder is a toy, so the times are those of reading, hashing, writing and Spark. A first small
job, where Spark starts its workers, is not timed.
"""

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from zlib import crc32

from _running import clean, print_versions


@dataclass
class Toy:
    """An encoder where each word is a random direction, and a text is their sum."""

    dimensions: int

    def encode(self, texts, side):
        """Return embeddings (n, dimensions)."""
        import numpy as np

        if "table" not in vars(self):
            random = np.random.default_rng(7)
            self.table = random.standard_normal((4_096, self.dimensions), dtype="float32")
        rows = [[crc32(word.encode()) % 4_096 for word in text.split()] for text in texts]
        return np.stack([self.table[row].sum(axis=0) for row in rows])


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", type=int, nargs="+", default=[5_000, 10_000, 20_000])
    arguments.add_argument("--queries", type=int, default=50)
    arguments.add_argument("--dimensions", type=int, default=384)
    arguments.add_argument("--shard-size", type=int, default=2_500)
    arguments.add_argument("--workers", type=int, default=2)
    options = arguments.parse_args()
    clean()
    print_versions("numpy", "pyarrow", "pyspark")
    session, encoder = started(options.workers), Toy(options.dimensions)
    with tempfile.TemporaryDirectory() as folder:
        measured(session, encoder, 100, Path(folder, "warm"), options)
        print(
            f"{'texts':>8} | seconds to encode: here, Spark | again | search: here, Spark | equal"
        )
        for size in options.sizes:
            took, equal, stored = measured(session, encoder, size, Path(folder, str(size)), options)
            here, there, again, own, spark = (f"{seconds:7.2f}" for seconds in took)
            print(f"{size:8,} | {here} {there} | {again} | {own} {spark} | {equal}, {stored}")
    session.stop()


def started(workers):
    """Start a local Spark session."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
    settings |= {"spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "4"}
    session = SparkSession.builder.master(f"local[{workers}]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def measured(session, encoder, size, folder, options):
    """Return seconds of each step, the number of queries with equal results, and bytes per text."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.cluster import (
        encode_on_spark,
        encode_shards,
        search_on_spark,
        search_shards,
    )

    words = (
        np.random.default_rng(size).integers(0, 20_000, (size + options.queries, 30)).astype(str)
    )
    texts = [" ".join(row) for row in words]
    folder.mkdir()
    source = folder / "texts.parquet"
    frame = pd.DataFrame({"docno": [f"d{n}" for n in range(size)], "text": texts[:size]})
    frame.to_parquet(source, row_group_size=options.shard_size)
    cut = {"shard_size": options.shard_size}
    queries, here, there = encoder.encode(texts[size:], "query"), folder / "here", folder / "spark"
    steps = (
        lambda: encode_shards(source, encoder, here, **cut),
        lambda: encode_on_spark(source, encoder, there, session=session, **cut),
        lambda: encode_on_spark(source, encoder, there, session=session, **cut),
        lambda: search_shards(queries, here, 20),
        lambda: search_on_spark(queries, there, 20, session=session),
    )
    took, given = zip(*map(timed, steps))
    one, other = ([list(own["docno"]) for _, own in found.groupby("qid")] for found in given[-2:])
    equal = f"{sum(map(list.__eq__, one, other))} of {options.queries}"
    stored = sum(path.stat().st_size for path in here.glob("shard-*")) / size
    return took, equal, f"{stored:.0f} bytes a text"


def timed(step):
    """Return the seconds and the result."""
    start = perf_counter()
    given = step()
    return perf_counter() - start, given


if __name__ == "__main__":
    main()
