"""Search of all vectors in a folder of shards: on this machine, or by the workers of Spark."""

from functools import partial

import numpy as np
import pandas as pd

from ..frames import check, ranked, some
from ..logs.engines import spark_session
from ..similarity.best import Best, k_best
from ._shards import Damaged, read_manifest, read_shard, shard_path

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
    search = folder, manifest, k, similarity, vectors
    return _frame(qids, _best(*search, range(manifest.shards)))


def search_on_spark(queries, folder, k=1000, *, similarity="cosine", session=None) -> pd.DataFrame:
    """`search_shards` by the workers of Spark: each finds the best of its shards, then they merge.

    Args:
        session: a SparkSession; None for the one of this process, a local one where there is none.

    Raises:
        ImportError: the extra `spark` is not installed.
        ValueError: as `search_shards`.
    """
    context = (session or spark_session("search_on_spark")).sparkContext
    qids, vectors, manifest = _checked(queries, folder)
    sent = context.broadcast(vectors)
    tasks = max(1, min(manifest.shards, PER_CORE * context.defaultParallelism))
    work = partial(_on_worker, str(folder), manifest, k, similarity, sent)
    try:
        parts = context.parallelize(range(manifest.shards), tasks).mapPartitions(work)
        found = parts.treeReduce(lambda one, other: k_best([one, other], k))
    finally:
        sent.destroy()
    if len(found[0]) and found[0][0] < 0:
        raise ValueError(found[1][0])
    return _frame(qids, found)


def _best(folder, manifest, k, similarity, vectors, numbers):
    """Numbers of queries, ids and scores of the best in the shards of these numbers."""
    best = Best(vectors, k, similarity)
    for number in numbers:
        try:
            best.add(*read_shard(folder, manifest, number))
        except Damaged as error:
            raise _remedy(folder, str(error)) from None
    return best.rows()


def _on_worker(folder, manifest, k, similarity, sent, numbers):
    """On a worker: the same; of query -1, what is wrong."""
    try:
        yield _best(folder, manifest, k, similarity, sent.value, numbers)
    except ValueError as error:
        yield np.array([-1]), np.array([str(error)], dtype=object), np.zeros(1)


def _checked(queries, folder):
    """qids, vectors (q, d) and the manifest of a folder that has all its shards."""
    manifest = read_manifest(folder)
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


def _frame(qids, found):
    queries, docnos, scores = found
    qids = [qids[number] for number in queries]
    docnos = pd.Series(docnos, dtype=object)
    return ranked(pd.DataFrame({"qid": qids, "docno": docnos, "score": scores}))
