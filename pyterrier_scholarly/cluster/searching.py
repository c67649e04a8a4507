"""Search of all vectors in a folder of shards: on this machine, or by the workers of Spark."""

from functools import partial

import numpy as np
import pandas as pd

from ..frames import check, ranked, some
from ..logs.engines import spark_session
from ..similarity.best import Best
from ._manifest import read_manifest
from ._shards import Damaged, read_shard, shard_path

FOUND = "query long, docno string, score double"
PER_CORE = 2  # tasks, so that a slow one does not hold up all


def search_shards(queries, folder, k=1000, *, similarity="cosine") -> pd.DataFrame:
    """The k nearest documents of each query, exactly, among all vectors of a folder of shards.

    One shard is in memory at a time. Scores are computed in float64 and rounded to float32; equal
    ones go by descending `docno`, as trec_eval reads a run. So the result depends neither on the
    shards nor on the machine, and `search_on_spark` gives the same.

    Args:
        queries: a frame with `qid` and `query_vec` (any of its other columns are left out), or an
            array (q, d), whose qids are "0", "1", ….
        folder: what `encode_shards` or `encode_on_spark` wrote.
        k: documents per query.
        similarity: ``"cosine"`` (0 with a zero vector) or ``"dot"``.

    Returns:
        A frame `qid`, `docno`, `score`, `rank`: queries in their order, best first.

    Raises:
        ValueError: shards are missing or damaged (named), vectors of another d, NaN or infinity, a
            qid twice.
    """
    qids, vectors, manifest = _checked(queries, folder)
    best = Best(vectors, k, similarity)
    try:
        for number in range(manifest.shards):
            best.add(*read_shard(folder, manifest, number))
    except Damaged as error:
        raise _remedy(folder, str(error)) from None
    return _frame(qids, *best.rows())


def search_on_spark(queries, folder, k=1000, *, similarity="cosine", session=None) -> pd.DataFrame:
    """`search_shards` by the workers of Spark: each finds the best of its shards, then they merge.

    Args:
        session: a SparkSession; None for the one of this process, a local one where there is none.

    Raises:
        ImportError: the extra `spark` is not installed.
        ValueError: as `search_shards`.
    """
    session = session or spark_session("search_on_spark")
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    qids, vectors, manifest = _checked(queries, folder)
    Best(vectors, k, similarity)  # says here what is wrong with them
    if not manifest.shards or not len(qids):
        return _frame(qids, [], [], [])
    sent = session.sparkContext.broadcast(vectors)
    tasks = min(manifest.shards, PER_CORE * session.sparkContext.defaultParallelism)
    work = partial(_worker, str(folder), manifest, sent, k, similarity)
    rank = f.row_number().over(
        Window.partitionBy("query").orderBy(f.desc("score"), f.desc("docno"))
    )
    try:
        rows = session.range(0, manifest.shards, 1, tasks).mapInArrow(work, FOUND)
        rows = rows.withColumn("rank", rank).where((f.col("rank") <= k) | (f.col("query") < 0))
        found = rows.orderBy("query", "rank").toArrow()
    finally:
        sent.destroy()
    queries, docnos, scores = (found[name].to_pylist() for name in ("query", "docno", "score"))
    if queries and queries[0] < 0:
        raise ValueError(docnos[0])
    return _frame(qids, queries, docnos, scores)


def _worker(folder, manifest, sent, k, similarity, batches):
    """On a worker: the best of the shards it is given; of query -1, what is wrong with one."""
    import pyarrow as pa

    best = Best(sent.value, k, similarity)
    columns = None
    try:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                best.add(*read_shard(folder, manifest, number))
    except Damaged as error:
        columns = [-1], [str(_remedy(folder, str(error)))], [0.0]
    except ValueError as error:  # of another d
        columns = [-1], [str(error)], [0.0]
    queries, ids, scores = columns or best.rows()
    types = pa.int64(), pa.string(), pa.float64()
    arrays = [pa.array(column, kind) for column, kind in zip((queries, ids, scores), types)]
    yield pa.RecordBatch.from_arrays(arrays, ["query", "docno", "score"])


def _checked(queries, folder):
    """qids, vectors (q, d) and the manifest of a folder that has all its shards."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise ValueError(f"{folder} holds no shards: write them with encode_shards.")
    lost = [number for number in range(manifest.shards) if not shard_path(folder, number).exists()]
    if lost:
        raise _remedy(folder, f"{len(lost)} of {manifest.shards} shards are missing: {some(lost)}")
    if not hasattr(queries, "columns"):
        vectors = np.asarray(queries)
        return [str(number) for number in range(len(vectors))], vectors, manifest
    queries = check(queries, "search of shards", ["qid", "query_vec"])
    lengths = {len(vector) for vector in queries["query_vec"]}
    if len(lengths) > 1:
        raise ValueError(f"Query vectors must have one length; they have {sorted(lengths)}.")
    rows = [np.asarray(vector, dtype=np.float32) for vector in queries["query_vec"]]
    return queries["qid"].tolist(), np.stack(rows) if rows else np.zeros((0, 0)), manifest


def _remedy(folder, what):
    return ValueError(
        f"{folder}: {what}. Call encode_shards or encode_on_spark again with the same texts, "
        "encoder and shard_size: it makes what is missing or damaged."
    )


def _frame(qids, queries, docnos, scores):
    frame = pd.DataFrame(
        {
            "qid": [qids[number] for number in queries],
            "docno": pd.Series(list(docnos), dtype=object),
            "score": pd.Series(list(scores), dtype=float),
        }
    )
    return ranked(frame)
