"""Texts by the ten million: vectors in numbered shards, made and searched on Spark or here.

`_shards` is a folder of shards, `_texts` are the texts in their fixed order, `_job` encodes one
shard; `encoding` and `searching` do so for all shards, on one machine or on many.
"""

from .encoding import ShardSummary, encode_on_spark, encode_shards
from .retriever import ShardRetriever
from .searching import search_on_spark, search_shards

__all__ = [
    "ShardRetriever",
    "ShardSummary",
    "encode_on_spark",
    "encode_shards",
    "search_on_spark",
    "search_shards",
]
