"""What a mined log gives, as the rows that a collection is written from."""

from itertools import chain

from ..datasets import irds, text

BLOCK = 1 << 14  # rows in memory as Python objects at once


def texts_of(found, dataset) -> list:
    """The documents, with title and text where there is a dataset; counts unknown ones."""
    doc_ids = found.documents["doc_id"].to_pylist()
    if dataset is None:
        return [{"doc_id": doc_id} for doc_id in doc_ids]
    known = irds(dataset).docs_store().get_many(doc_ids)
    found.summary.unknown = len(doc_ids) - len(known)
    return [_document(doc_id, known.get(doc_id)) for doc_id in doc_ids]


def _document(doc_id, record):
    own = text(record) if record else ""
    return {"doc_id": doc_id, "title": getattr(record, "title", ""), "text": own}


def parts_of(found, texts):
    """What `write_folder` takes, by part; a set of no queries is none."""
    kinds = (("similar", found.similar), ("random", found.random))
    drawn = chain.from_iterable(_records(table, kind=kind) for kind, table in kinds)
    parts = {"": {"pairs": _records(found.pairs)} if found.pairs is not None else {}}
    parts["1m"] = {"pairs": drawn}
    if len(found.queries):
        counts = found.judged.drop_columns("relevance")
        parts["100q"] = {
            **_queries(found.queries, found.judged.drop_columns("count"), texts),
            "pairs": _records(counts.rename_columns(["doc_id_a", "doc_id_b", "count"])),
        }
        parts["100q-random"] = _queries(found.queries, found.others, texts)
    return parts


def _queries(queries, judged, texts):
    """Queries, with a pool of all that is judged."""
    return {
        "queries": (
            {"query_id": query, "query": _query(texts[query])}
            for query in queries["query_id"].to_pylist()
        ),
        "scoreddocs": _records(judged.select(["query_id", "doc_id"])),
        "qrels": _records(judged),
    }


def _query(document):
    """A query document's title and text; its id where nothing else is known of it."""
    return (
        " ".join(filter(None, (document.get("title"), document.get("text")))) or document["doc_id"]
    )


def _records(table, **more):
    for batch in table.to_batches(BLOCK):
        for row in batch.to_pylist():
            yield {**row, **more}
