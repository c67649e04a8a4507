"""Search all vectors in a folder of shards: on this machine, or by Spark's workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from ..encoders import as_encoder, vectors
from ..frames import check, ranked, some
from ..logs.engines import spark_session
from ..similarity.best import Best, k_best
from ..transformers.step import Step
from ._shards import Damaged, Folder, Manifest, read_manifest, read_shard, shard_path

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

PER_CORE = 2  # tasks, so that a slow one does not delay all
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # numbers of queries, ids, scores
Queries: TypeAlias = pd.DataFrame | np.ndarray


def search_shards(
    queries: Queries, folder: Folder, k: int = 1000, *, similarity: str = "cosine"
) -> pd.DataFrame:
    """Search the k nearest documents of each query, exactly, in a folder of shards.

    One shard is in memory at a time. Scores are computed in float64 and rounded to float32; ties go
    by descending `docno`, as trec_eval reads a run. So the result depends neither on the shards nor
    on the machine, and `search_on_spark` gives the same.

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
    qids, query_vectors, manifest = _checked(queries, folder)
    numbers = range(manifest.shards)
    return _frame(qids, _best(folder, manifest, k, similarity, query_vectors, numbers))


def search_on_spark(
    queries: Queries,
    folder: Folder,
    k: int = 1000,
    *,
    similarity: str = "cosine",
    session: "SparkSession | None" = None,
) -> pd.DataFrame:
    """Search like `search_shards`, by Spark's workers, each in some shards; then merge.

    Args:
        session: a SparkSession; None for this process's, or a new local one.

    Raises:
        ImportError: the extra `spark` is not installed.
        ValueError: as `search_shards`.
    """
    context = (session or spark_session("search_on_spark")).sparkContext
    qids, query_vectors, manifest = _checked(queries, folder)
    sent = context.broadcast(query_vectors)
    tasks = max(1, min(manifest.shards, PER_CORE * context.defaultParallelism))
    work = partial(_on_worker, str(folder), manifest, k, similarity, sent)
    try:
        parts = context.parallelize(range(manifest.shards), tasks).mapPartitions(work)
        rows = parts.treeReduce(lambda one, other: k_best([one, other], k))
    finally:
        sent.destroy()
    if len(rows[0]) and rows[0][0] < 0:
        raise ValueError(rows[1][0])
    return _frame(qids, rows)


def _best(
    folder: Folder,
    manifest: Manifest,
    k: int,
    similarity: str,
    query_vectors: np.ndarray,
    numbers: Iterable[int],
) -> Rows:
    """Return the best rows in the shards of these numbers."""
    best = Best(query_vectors, k, similarity)
    for number in numbers:
        try:
            best.add(*read_shard(folder, manifest, number))
        except Damaged as error:
            raise _remedy(folder, str(error)) from None
    return best.rows()


def _on_worker(
    folder: str,
    manifest: Manifest,
    k: int,
    similarity: str,
    sent: "Broadcast",
    numbers: Iterable[int],
) -> Iterator[Rows]:
    """Yield the best rows; an error becomes a row of query -1."""
    try:
        yield _best(folder, manifest, k, similarity, sent.value, numbers)
    except ValueError as error:
        yield np.array([-1]), np.array([str(error)], dtype=object), np.zeros(1)


def _checked(queries: Queries, folder: Folder) -> tuple[list[str], np.ndarray, Manifest]:
    """Return qids, vectors (q, d) and the manifest, after checking that no shard is missing."""
    manifest = read_manifest(folder)
    lost = [number for number in range(manifest.shards) if not shard_path(folder, number).exists()]
    if lost:
        raise _remedy(folder, f"{len(lost)} of {manifest.shards} shards are missing: {some(lost)}")
    if not isinstance(queries, pd.DataFrame):
        return [str(number) for number in range(len(queries))], np.asarray(queries), manifest
    queries = check(queries, "search of shards", ["qid", "query_vec"])
    lengths = {len(vector) for vector in queries["query_vec"]}
    if len(lengths) > 1:
        raise ValueError(f"Query vectors must have one length; they have {sorted(lengths)}.")
    rows = np.array(queries["query_vec"].tolist() or np.zeros((0, 0)), dtype=np.float32)
    return queries["qid"].tolist(), rows, manifest


def _remedy(folder: Folder, problem: str) -> ValueError:
    return ValueError(
        f"{folder}: {problem}. Call encode_shards or encode_on_spark again with the same texts, "
        "encoder and shard_size: it writes missing and damaged shards."
    )


def _frame(qids: list[str], rows: Rows) -> pd.DataFrame:
    numbers, docnos, scores = rows
    columns = {"docno": pd.Series(docnos, dtype=object), "score": scores}
    return ranked(pd.DataFrame({"qid": [qids[number] for number in numbers], **columns}))


BACKENDS = {"numpy": search_shards, "pyspark": search_on_spark}


@dataclass(eq=False, repr=False)
class ShardRetriever(Step):
    """Retrieve the documents whose vectors in a folder of shards are nearest to the query's.

    Columns in: `qid` and `query_vec`; with an encoder, `qid` and `query`. Columns out: the same and
    `docno`, `score` and `rank`, queries in their order, rows by rank. Exact: see `search_shards`.

    Args:
        folder: what `encode_shards` or `encode_on_spark` wrote.
        encoder: for queries without vectors; the one that encoded the folder.
        similarity: ``"cosine"`` or ``"dot"``.
        num_results: documents per query.
        backend: ``"numpy"``, or ``"pyspark"`` for this process's Spark session.

    Raises:
        ValueError: an unknown backend or similarity, missing or damaged shards.
    """

    folder: Folder
    encoder: object = None
    similarity: str = field(default="cosine", kw_only=True)
    num_results: int = field(default=1000, kw_only=True)
    backend: str = field(default="numpy", kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve."""
        if self.backend not in BACKENDS:
            raise ValueError(f"backend={self.backend!r}: choose one of {tuple(BACKENDS)}.")
        needed = ["qid", "query_vec" if self.encoder is None else "query"]
        topics = check(topics, self, needed, without=["docno"])
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        if not len(topics):
            columns = {"docno": object, "score": float, "rank": int}
            return topics.assign(**{name: pd.Series(dtype=kind) for name, kind in columns.items()})
        queries = topics
        if self.encoder is not None:
            embeddings = vectors(self.loaded(as_encoder).encode_queries, topics["query"])
            queries = pd.DataFrame({"qid": topics["qid"], "query_vec": list(embeddings)})
        search = BACKENDS[self.backend]
        found = search(queries, self.folder, self.num_results, similarity=self.similarity)
        return topics.merge(found, on="qid")
