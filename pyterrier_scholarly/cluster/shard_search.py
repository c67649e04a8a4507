"""Search all vectors in a folder of shards: on this machine, or by Spark's workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
import pandas as pd

from .. import encoders, frames
from ..arguments import Count, FilePath, check_arguments, one_of
from ..encoders import EncoderLike
from ..similarity.array_checks import check_real
from ..similarity.k_best import SIMILARITIES, Best, Rows, k_best
from ..spark_sessions import start_spark
from ..transformers.step import Step
from ._shards import Damaged, Manifest, complete_manifest, read_shard, remedy

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

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
    qids, asked, manifest = _checked(queries, folder)
    return _frame(qids, _best(folder, manifest, range(manifest.shards), asked, k, similarity))


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
    qids, asked, manifest = _checked(queries, folder)
    sent = context.broadcast((asked, k, similarity))
    tasks = max(1, min(manifest.shards, 2 * context.defaultParallelism))  # 2 a core even out
    work = partial(_on_worker, str(folder), manifest, sent)
    try:
        parts = context.parallelize(range(manifest.shards), tasks).mapPartitions(work)
        rows = parts.treeReduce(lambda one, other: k_best([one, other], k))
    finally:
        sent.destroy()
    if len(rows[0]) and rows[0][0] < 0:
        raise ValueError(rows[1][0])
    return _frame(qids, rows)


def _best(folder: FilePath, manifest: Manifest, numbers: Iterable[int], *search: Any) -> Rows:
    """Return the best rows in the shards of these numbers; `search` is what `Best` takes."""
    best = Best(*search)
    for number in numbers:
        try:
            best.add(*read_shard(folder, manifest, number))
        except Damaged as error:
            raise remedy(folder, error) from None
    return best.rows()


def _on_worker(
    folder: str, manifest: Manifest, sent: "Broadcast", numbers: Iterable[int]
) -> Iterator[Rows]:
    """Yield the best rows; an error becomes a row of query -1."""
    try:
        yield _best(folder, manifest, numbers, *sent.value)
    except ValueError as error:
        yield Rows(np.array([-1]), np.array([str(error)], dtype=object), np.zeros(1))


def _checked(queries: Queries, folder: FilePath) -> tuple[list[str], np.ndarray, Manifest]:
    """Return qids, vectors (q, d) and the manifest, after checking that no shard is missing."""
    manifest = complete_manifest(folder)
    if not isinstance(queries, pd.DataFrame):
        vectors = np.asarray(queries)
        check_real(queries, "query vectors")
        if vectors.ndim != 2 or vectors.dtype.kind not in "iuf":
            raise ValueError(
                f"queries has shape {vectors.shape} and type {vectors.dtype}: expected a frame, or "
                "an array of numbers (queries, dimensions)."
            )
        return [str(number) for number in range(len(vectors))], vectors, manifest
    queries = frames.check(queries, "search of shards", ["qid", "query_vec"])
    lengths = sorted({len(vector) for vector in queries["query_vec"]})
    if len(lengths) > 1:
        raise ValueError(f"Query vectors must have one length; they have {lengths}.")
    rows = np.array(queries["query_vec"].tolist() or np.zeros((0, 0)), dtype=np.float32)
    return queries["qid"].tolist(), rows, manifest


def _frame(qids: list[str], rows: Rows) -> pd.DataFrame:
    numbers, docnos, scores = rows
    found = {"qid": [qids[number] for number in numbers], "docno": docnos.astype(object)}
    return frames.ranked(pd.DataFrame({**found, "score": scores}))


BACKENDS = {"numpy": search_shards, "pyspark": search_on_spark}


@dataclass(eq=False, repr=False)
class ShardRetriever(Step):
    """Retrieve the documents with the nearest vectors in a folder of shards; see `search_shards`.

    Columns in: `qid` and `query_vec`; with an encoder, `qid` and `query`. Columns out: the same and
    `docno`, `score` and `rank`, queries in their order, rows by rank.

    Args:
        folder: what `encode_shards` or `encode_on_spark` wrote.
        encoder: for queries without vectors; the one that encoded the folder.
        similarity, num_results: as `search_shards`'s `similarity` and `k`.
        backend: ``"numpy"``, or ``"pyspark"`` for this process's Spark session.

    Raises:
        ValueError: an unknown backend or similarity, missing or damaged shards.
    """

    folder: FilePath
    encoder: EncoderLike | None = None
    similarity: Annotated[str, one_of(SIMILARITIES)] = field(default="cosine", kw_only=True)
    num_results: Count = field(default=1000, kw_only=True)
    backend: Annotated[str, one_of(BACKENDS)] = field(default="numpy", kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve."""
        needed = ["qid", "query_vec" if self.encoder is None else "query"]
        topics = frames.check(topics, self, needed, without=["docno"])
        search = BACKENDS[self.backend]
        if not len(topics):
            return frames.retrieved(topics, [])
        queries = topics = topics.drop(columns=["score", "rank"], errors="ignore")
        if self.encoder is not None:
            encode = self.loaded(encoders.as_encoder).encode_queries
            queries = topics.assign(query_vec=list(encoders.vectors(encode, topics["query"])))
        found = search(queries, self.folder, self.num_results, similarity=self.similarity)
        return topics.merge(found, on="qid")
