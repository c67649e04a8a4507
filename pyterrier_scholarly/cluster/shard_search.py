"""Search all vectors in a folder of shards: on this machine, or by Spark's workers.

    found = search_shards(query_vectors, "vectors", k=10)  # a frame qid, docno, score, rank

Both ways find the same. Conventions: q queries are the rows of an array (q, d).
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import Count, FilePath, check_arguments
from ..similarity.k_best import Best, Rows, k_best
from ..similarity.vectors import check_real
from ..spark_sessions import start_spark
from ..step import ranked
from ._shards import Damaged, Manifest, read_manifest, read_shard, shard_error

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

TASKS_PER_CORE = 2  # of Spark: some even out what takes longer on one core

Queries: TypeAlias = pd.DataFrame | np.ndarray


@check_arguments
def search_shards(
    queries: Queries, folder: FilePath, k: Count = 1000, *, similarity: str = "cosine"
) -> pd.DataFrame:
    """Search the k nearest documents of each query, exactly, one shard in memory at a time.

    Scores are computed in float64 and rounded to float32; ties go by descending `docno`, as
    trec_eval reads a run. So the result depends neither on the shards nor on the machine.

    Args:
        queries: a frame with `qid` and `query_vec` (other columns are dropped), or an array (q, d)
            with the qids "0", "1", ….
        folder: what `encode_shards` or `encode_on_spark` wrote.
        k: documents per query.
        similarity: ``"cosine"`` (0 with a zero vector) or ``"dot"``.

    Returns:
        A frame `qid`, `docno`, `score`, `rank`: queries in their order, best first.

    Raises:
        ValueError: missing or damaged shards (named), vectors of another d, NaN or infinity, a
            duplicate qid.
    """
    manifest = read_manifest(folder)
    checked = _check_queries(queries)
    search = _Search(checked.vectors, k, similarity)

    best = _search_shards(folder, manifest, range(manifest.shards), search)
    return _make_frame(checked.qids, best)


@check_arguments
def search_on_spark(
    queries: Queries,
    folder: FilePath,
    k: Count = 1000,
    *,
    similarity: str = "cosine",
    session: "SparkSession | None" = None,
) -> pd.DataFrame:
    """Search like `search_shards`, by Spark's workers, each in some shards; then merge.

    Args:
        session: a SparkSession; None for this process's, or a new local one.

    Raises:
        ImportError: the extra `spark` is not installed. ValueError: as `search_shards`.
    """
    context = (session or start_spark("search_on_spark")).sparkContext
    manifest = read_manifest(folder)
    checked = _check_queries(queries)
    search = context.broadcast(_Search(checked.vectors, k, similarity))

    most_tasks = TASKS_PER_CORE * context.defaultParallelism
    task_count = max(1, min(manifest.shards, most_tasks))
    search_some_shards = partial(_search_on_worker, str(folder), manifest, search)
    merge_two_parts = partial(_merge_parts, k)
    try:
        shard_numbers = context.parallelize(range(manifest.shards), task_count)
        parts = shard_numbers.mapPartitions(search_some_shards)
        merged = parts.treeReduce(merge_two_parts)
    finally:
        search.destroy()

    if merged.error is not None:
        raise ValueError(merged.error)
    return _make_frame(checked.qids, merged.best)


class _CheckedQueries(NamedTuple):
    """The ids of q queries, and their vectors (q, d)."""

    qids: list[str]
    vectors: np.ndarray


class _Search(NamedTuple):
    """What is searched: vectors (q, d), documents per query, and the similarity."""

    vectors: np.ndarray
    k: int
    similarity: str


class _Part(NamedTuple):
    """What was found in some shards; or, if one could not be searched, why.

    Attributes:
        best: the k best documents of each query in these shards.
        error: the message of the error; None if all shards were searched.
    """

    best: Rows
    error: str | None = None


NOTHING_FOUND = Rows(np.zeros(0, int), np.zeros(0, object), np.zeros(0))


def _check_queries(queries: Queries) -> _CheckedQueries:
    """Return ids and vectors of the queries; ValueError if they cannot be searched."""
    if isinstance(queries, pd.DataFrame):
        return _check_frame(queries)

    vectors = np.asarray(queries)
    check_real(queries, "query vectors")
    if vectors.ndim != 2 or vectors.dtype.kind not in "iuf":
        raise ValueError(
            f"queries has shape {vectors.shape} and type {vectors.dtype}: expected a frame, or "
            "an array of numbers (queries, dimensions)."
        )
    qids = [str(number) for number in range(len(vectors))]
    return _CheckedQueries(qids, vectors)


def _check_frame(queries: pd.DataFrame) -> _CheckedQueries:
    """Return ids and vectors of a frame of queries."""
    queries = frames.check(queries, "search of shards", ["qid", "query_vec"])
    lengths = sorted({len(vector) for vector in queries["query_vec"]})
    if len(lengths) > 1:
        raise ValueError(f"Query vectors must have one length; they have {lengths}.")

    if not len(queries):
        return _CheckedQueries([], np.zeros((0, 0), dtype=np.float32))
    vectors = np.array(queries["query_vec"].tolist(), dtype=np.float32)
    return _CheckedQueries(queries["qid"].tolist(), vectors)


def _search_shards(
    folder: FilePath, manifest: Manifest, numbers: Iterable[int], search: _Search
) -> Rows:
    """Return the best rows in the shards of these numbers."""
    best = Best(search.vectors, search.k, search.similarity)
    for number in numbers:
        try:
            shard = read_shard(folder, manifest, number)
        except Damaged as error:
            raise shard_error(folder, error) from None
        best.add(shard.ids, shard.vectors)
    return best.rows()


def _search_on_worker(
    folder: str, manifest: Manifest, search: "Broadcast", numbers: Iterable[int]
) -> Iterator[_Part]:
    """Yield one part: the best documents in the shards of these numbers, or the error.

    Spark calls this in its processes. If it raised, Spark would repeat the task, and wrap the error
    in its own; so the error is yielded.
    """
    try:
        best = _search_shards(folder, manifest, numbers, search.value)
    except ValueError as error:
        yield _Part(NOTHING_FOUND, str(error))
    else:
        yield _Part(best)


def _merge_parts(k: int, first: _Part, second: _Part) -> _Part:
    """Return one part from two: each query's k best documents in the shards of both.

    If the shards of one could not be searched, return its error instead, without documents. Spark
    calls this for two parts at a time, in any order, until one is left.
    """
    errors = [part.error for part in (first, second) if part.error is not None]
    if errors:
        # messages are equal up to the shard's number, so the least is that of the first damaged
        # shard: the one that `search_shards` raises
        return _Part(NOTHING_FOUND, min(errors))

    best = k_best([first.best, second.best], k)
    return _Part(best)


def _make_frame(qids: list[str], best: Rows) -> pd.DataFrame:
    """Return a ranked frame `qid`, `docno`, `score` of the best rows."""
    found = pd.DataFrame(
        {
            "qid": [qids[number] for number in best.queries],
            "docno": best.ids.astype(object),
            "score": best.scores,
        }
    )
    return ranked(found)
