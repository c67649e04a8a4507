"""The stores of documents and queries by id, with ir_datasets' interface.

Documents are in one file of entries: records as MessagePack, compressed with LZ4.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import ir_datasets
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore, DocstoreOptions

from ir_datasets_ext.records import Record
from ir_datasets_ext.store import Damaged, Segment, new_file, write_entries

CHUNK, ROWS = 10_000, 64  # documents per batch: of look-ups, and of iteration


class QueryStore(Docstore):
    """Queries by id, as ``ir_datasets lookup ID -q`` reads them."""

    def __init__(self, queries: Iterable, cls: type) -> None:
        super().__init__(cls, "query_id")
        self._queries = {query.query_id: query for query in queries}

    def get(self, query_id: str, field: str | None = None) -> object:
        """Return the query, or its `field`; raise KeyError for an unknown id."""
        if query_id not in self._queries:
            raise KeyError(f"query_id={query_id} not found")
        return super().get(query_id, field)

    def get_many_iter(self, query_ids: Iterable[str]) -> Iterator:
        """Yield the queries of those ids, without unknown ones."""
        return (self._queries[query_id] for query_id in query_ids if query_id in self._queries)


class Packing:
    """Convert records of a class to bytes and back.

    JSON is used for values that MessagePack lacks: lone surrogates, integers beyond 64 bits.
    """

    def __init__(self, cls: type) -> None:
        import msgspec

        self._lz4 = ir_datasets.lazy_libs.lz4_block().block
        self._cls = cls
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode: Callable[[bytes], Record] = msgspec.msgpack.Decoder(cls).decode

    def encode(self, record: Record) -> bytes:
        """Return the bytes of a record."""
        try:
            content = self._encode(record)
        except (UnicodeEncodeError, OverflowError):
            content = json.dumps(record).encode()
        return self._lz4.compress(content)

    def decode(self, compressed: bytes) -> Record:
        """Return the record of `encode`'s bytes."""
        content = self._lz4.decompress(compressed)
        if content[:1] != b"[":  # no array of MessagePack begins so
            return self._decode(content)
        row = json.loads(content)
        return self._cls(*(tuple(value) if isinstance(value, list) else value for value in row))


def write_documents(path: Path, records: Iterable, cls: type) -> int:
    """Write records with a `doc_id` to a file of documents; return their number."""
    pack = Packing(cls).encode
    # a bar on terminals only (disable=None): in logs and notebooks it would stand between others
    shown = ir_datasets.log.easy().pbar(
        records, "docs_iter", unit="doc", quiet=True, leave=False, delay=1, disable=None
    )
    with new_file(path, "wb") as file:
        return write_entries(file, ((_key(record.doc_id), pack(record)) for record in shown))


class DocumentStore(Docstore):
    """A file of documents, which is rebuilt if it is damaged.

    segment: of the file, open. cls: class of the records.
    again: rebuilds a damaged file; a function of its path, the error and its segment that returns
        the new segment.
    """

    def __init__(
        self,
        segment: Segment,
        cls: type,
        again: Callable[[Path, Damaged, Segment], Segment],
        options: DocstoreOptions = DEFAULT_DOCSTORE_OPTIONS,
    ) -> None:
        super().__init__(cls, options=options)
        self._segment, self._again, self._packing = segment, again, Packing(cls)

    @property
    def path(self) -> Path:
        """The folder of the store."""
        return self._segment.path.parent

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator:
        """Yield the documents of those ids, without unknown ones."""
        return self._records([_key(doc_id) for doc_id in doc_ids], CHUNK, Segment.get_many)

    def rows(self, numbers: Sequence[int]) -> Iterator:
        """Yield the documents at these 0-based positions, ascending."""
        return self._records(numbers, ROWS, Segment.entries)

    def _records(self, wanted: Sequence, batch: int, read: Callable[..., Iterable]) -> Iterator:
        """Yield the documents that `read` gets from the segment for `wanted`, batch by batch."""
        for start in range(0, len(wanted), batch):
            some = wanted[start : start + batch]
            try:
                entries = list(read(self._segment, some))
            except Damaged as error:
                self._segment = self._again(self._segment.path, error, self._segment)
                entries = list(read(self._segment, some))
            for _, value in entries:
                yield self._packing.decode(value)

    def __iter__(self) -> "Documents":
        return Documents(self, slice(0, self.count(), 1))

    def count(self) -> int:
        """Return the number of documents."""
        return len(self._segment)


class Documents:
    """Iterates over a part of the documents; ``[i]`` and ``[i:j]`` select parts of the rest."""

    def __init__(self, store: DocumentStore, part: slice) -> None:
        self._store, self._part = store, part
        self._rows = store.rows(range(part.start, part.stop, part.step or 1))  # reads nothing yet

    def __iter__(self) -> "Documents":
        return self

    def __next__(self) -> Record:
        document = next(self._rows)
        part = self._part
        self._part = slice(part.start + (part.step or 1), part.stop, part.step)
        return document

    def __getitem__(self, key: int | slice) -> "Record | Documents":
        if isinstance(key, slice):
            return Documents(self._store, ir_datasets.util.apply_sub_slice(self._part, key))
        if isinstance(key, int):
            part = ir_datasets.util.slice_idx(self._part, key)
            if rows := list(self._store.rows(range(part.start, part.stop))):
                return rows[0]
            raise IndexError(f"no document at {key}: expected a position in what is left")
        raise TypeError(f"{key!r} is no position of a document: expected a whole number or a slice")


def _key(doc_id: str) -> bytes:
    return str(doc_id).encode("utf-8", "surrogatepass")
