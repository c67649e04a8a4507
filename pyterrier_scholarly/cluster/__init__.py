"""Embeddings of ten million texts, in numbered shards, encoded and searched on Spark or here.

    encode_shards("papers.parquet", encoder, "vectors")
    found = search_shards(query_vectors, "vectors", k=10)

`_texts` reads texts in a fixed order (`_text_rows` one row), `_shards` is a folder of shards,
`shard_encoding` fills it (each process by `_worker`), and `shard_search` searches it, on one
machine or many. `shard_retriever` is the step of a pipeline.
"""

from .shard_encoding import ShardSummary, encode_on_spark, encode_shards
from .shard_retriever import ShardRetriever
from .shard_search import search_on_spark, search_shards

__all__ = [
    "ShardRetriever",
    "ShardSummary",
    "encode_on_spark",
    "encode_shards",
    "search_on_spark",
    "search_shards",
]
