"""The parts of a mined collection, in the form in which `write_folder` takes them.

    parts = list_parts(mined, documents)
    write_folder(folder, documents.values(), parts, …)

Rows are read from Arrow tables while they are written.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TypeAlias

import pyarrow as pa

from ir_datasets_ext.writing import Rows

from .log_mining import Mined

#: from an id to the document: `doc_id`, and `title` and `text` if they are known
Documents: TypeAlias = Mapping[str, Mapping[str, str]]

# names of the parts, as in Krstovski et al.
WHOLE = ""  # the collection itself
PAIR_PART = "1m"
QUERY_PART = "100q"
RANDOM_QUERY_PART = "100q-random"

ROWS_AT_ONCE = 1 << 14  # in memory as Python objects


def list_parts(mined: Mined, documents: Documents) -> dict[str, dict[str, Rows]]:
    """Return the collection's parts: a dict from their names to the rows of each kind.

    A kind is named as ir_datasets names it: "queries", "scoreddocs", "qrels", or our "pairs".
    Without queries there are no parts of queries.
    """
    whole: dict[str, Rows] = {}
    if mined.pairs is not None:
        whole["pairs"] = _read_records(mined.pairs)
    similar = _read_records(mined.similar, kind="similar")
    random = _read_records(mined.random, kind="random")
    sampled_pairs = chain(similar, random)

    parts: dict[str, dict[str, Rows]] = {WHOLE: whole, PAIR_PART: {"pairs": sampled_pairs}}
    if not len(mined.queries):
        return parts

    judged = mined.judged.select(["query_id", "doc_id", "relevance"])
    parts[QUERY_PART] = _list_query_rows(mined.queries, judged, documents)
    # how often a document was downloaded after a query: that is a pair, too
    counted_pairs = mined.judged.select(["query_id", "doc_id", "count"])
    counted_pairs = counted_pairs.rename_columns(["doc_id_a", "doc_id_b", "count"])
    parts[QUERY_PART]["pairs"] = _read_records(counted_pairs)

    parts[RANDOM_QUERY_PART] = _list_query_rows(mined.queries, mined.others, documents)
    return parts


def _list_query_rows(queries: pa.Table, judged: pa.Table, documents: Documents) -> dict[str, Rows]:
    """Return the rows of queries, judgements, and a pool of all judged documents."""
    query_ids = queries["query_id"].to_pylist()
    query_rows = [
        {"query_id": query_id, "query": _make_query(documents[query_id])} for query_id in query_ids
    ]
    return {
        "queries": query_rows,
        "scoreddocs": _read_records(judged.select(["query_id", "doc_id"])),
        "qrels": _read_records(judged),
    }


def _make_query(document: Mapping[str, str]) -> str:
    """Return a query document's title and text, or its id if it has neither."""
    texts = [document.get("title"), document.get("text")]
    known_texts = [text for text in texts if text]
    if not known_texts:
        return document["doc_id"]
    return " ".join(known_texts)


def _read_records(table: pa.Table, **same_fields: str) -> Iterator[dict]:
    """Yield a table's rows, each with some more fields that are the same in all."""
    for batch in table.to_batches(ROWS_AT_ONCE):
        for row in batch.to_pylist():
            yield {**row, **same_fields}
