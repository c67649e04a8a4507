"""Embeddings of ten million texts, in numbered shards, encoded and searched on Spark or here.

`_texts` reads texts in a fixed order, `_shards` is a folder of shards, `encoding` fills it (each
process by `_worker`) and `searching` searches it, on one machine or many.
"""

from .shard_encoding import ShardSummary, encode_on_spark, encode_shards
from .shard_search import ShardRetriever, search_on_spark, search_shards

__all__ = [
    "ShardRetriever",
    "ShardSummary",
    "encode_on_spark",
    "encode_shards",
    "search_on_spark",
    "search_shards",
]
