"""Retrieve from a folder of shards, as a step of a pipeline.

    ShardRetriever("vectors", encoder, num_results=100)

Queries need `query_vec`, or `query` if there is an encoder.
"""

from dataclasses import field
from typing import Literal

import pandas as pd

from .. import encoders
from ..arguments import FilePath
from ..encoders import EncoderLike
from ..step import Count, Step, retrieved
from .shard_search import search_on_spark, search_shards

BACKENDS = {"numpy": search_shards, "pyspark": search_on_spark}


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
    similarity: Literal["cosine", "dot"] = field(default="cosine", kw_only=True)
    num_results: Count = field(default=1000, kw_only=True)
    backend: Literal["numpy", "pyspark"] = field(default="numpy", kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return for each query the documents with the nearest vectors, in all shards."""
        query_column = "query_vec" if self.encoder is None else "query"
        topics = self.check(topics, ["qid", query_column], without=["docno"])
        if topics.empty:
            return retrieved(topics, [])

        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        queries = topics
        if self.encoder is not None:
            encoder = self.loaded(encoders.as_encoder)
            query_vectors = encoders.vectors(encoder, topics["query"], "query")
            queries = topics.assign(query_vec=list(query_vectors))

        search = BACKENDS[self.backend]
        results = search(queries, self.folder, self.num_results, similarity=self.similarity)
        return topics.merge(results, on="qid")
