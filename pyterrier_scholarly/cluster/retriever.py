"""A folder of shards as a first stage."""

import os
from dataclasses import dataclass, field

import pandas as pd

from .. import frames
from ..encoders import as_encoder, vectors
from ..transformers.step import Step
from .searching import search_on_spark, search_shards

BACKENDS = {"numpy": search_shards, "pyspark": search_on_spark}


@dataclass(eq=False, repr=False)
class ShardRetriever(Step):
    """Retrieves the documents whose vectors in a folder of shards are nearest to the query's.

    Columns in: `qid` and `query_vec`; with an encoder, `qid` and `query`. Columns out: the same and
    `docno`, `score` and `rank`, queries in their order, rows by rank. Exact: see `search_shards`.

    Args:
        folder: what `encode_shards` or `encode_on_spark` wrote.
        encoder: for queries without vectors; the one that the folder was written with.
        similarity: ``"cosine"`` or ``"dot"``.
        num_results: documents per query.
        backend: ``"numpy"``, or ``"pyspark"`` for the Spark session of this process.

    Raises:
        ValueError: an unknown backend or similarity, shards that are missing or damaged.
    """

    folder: str | os.PathLike
    encoder: object = None
    similarity: str = field(default="cosine", kw_only=True)
    num_results: int = field(default=1000, kw_only=True)
    backend: str = field(default="numpy", kw_only=True)

    def transform(self, topics):
        """Retrieve."""
        if self.backend not in BACKENDS:
            raise ValueError(f"backend={self.backend!r}: choose one of {tuple(BACKENDS)}.")
        needed = ["qid", "query_vec" if self.encoder is None else "query"]
        topics = frames.check(topics, self, needed, without=["docno"])
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        if not len(topics):
            return topics.assign(
                docno=pd.Series(dtype=object),
                score=pd.Series(dtype=float),
                rank=pd.Series(dtype=int),
            )
        search = BACKENDS[self.backend]
        found = search(
            self._asked(topics), self.folder, self.num_results, similarity=self.similarity
        )
        return topics.merge(found, on="qid")

    def _asked(self, topics):
        if self.encoder is None:
            return topics
        made = vectors(self.loaded(as_encoder).encode_queries, topics["query"])
        return pd.DataFrame({"qid": topics["qid"], "query_vec": list(made)})
