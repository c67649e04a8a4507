"""The stores of documents and queries by id, with ir_datasets' interface.

Records are in one file of entries, as MessagePack, compressed with LZ4.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from struct import Struct

import ir_datasets
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore, DocstoreOptions

from ir_datasets_ext.store import Damaged, Segment, new_file, write_entries
from ir_datasets_ext.typed_records import Record

LOOKED_UP, ITERATED = 10_000, 64  # records per batch
LZ4_SIZE = Struct("<I")  # of the content, before it was compressed
MOST_COMPRESSED = 255  # times: LZ4 cannot do more, so a larger size is made up
Rebuild = Callable[[Path, Damaged, Segment], Segment]


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
        self._errors = (self._lz4.LZ4BlockError, msgspec.MsgspecError, ValueError, TypeError)

    def encode(self, record: Record) -> bytes:
        """Return the bytes of a record."""
        try:
            content = self._encode(record)
        except (UnicodeEncodeError, OverflowError):
            content = json.dumps(record).encode()
        return self._lz4.compress(content)

    def decode(self, compressed: bytes) -> Record:
        """Return the record of `encode`'s bytes; raise ValueError for other bytes."""
        try:
            return self._decode_record(compressed)
        except self._errors as error:
            raise ValueError(f"an entry is no {self._cls.__name__}: {error}") from None

    def _decode_record(self, compressed: bytes) -> Record:
        (size,) = LZ4_SIZE.unpack(compressed[: LZ4_SIZE.size].ljust(LZ4_SIZE.size, b"\xff"))
        if size > MOST_COMPRESSED * len(compressed):
            raise ValueError(f"{len(compressed)} bytes cannot be {size} bytes, compressed")

        content = self._lz4.decompress(compressed)
        if content[:1] != b"[":  # no array of MessagePack begins so
            return self._decode(content)
        values = json.loads(content)
        return self._cls(*(tuple(value) if isinstance(value, list) else value for value in values))


def write_records(path: Path, records: Iterable[tuple[bytes, Record]], cls: type) -> int:
    """Write records of a class, each with a key, to a file of entries; return their number."""
    encode = Packing(cls).encode
    with new_file(path, "wb") as file:
        return write_entries(file, ((key, encode(record)) for key, record in records))


def read_records(path: Path, cls: type) -> Iterator[Record]:
    """Yield the records that `write_records` has just written; damage is an error."""
    decode = Packing(cls).decode
    return (decode(value) for _, value in Segment(path))


def write_documents(path: Path, documents: Iterable, cls: type) -> int:
    """Write records with a `doc_id` to a file of documents; return their number."""
    # a bar on terminals only (disable=None): in logs and notebooks it would stand between others
    shown = ir_datasets.log.easy().pbar(
        documents, "docs_iter", unit="doc", quiet=True, leave=False, delay=1, disable=None
    )
    return write_records(path, ((_key_of(document.doc_id), document) for document in shown), cls)


class PackedRecords:
    """The records in a file of entries, which is rebuilt if it is damaged.

    segment: of the file, open. cls: class of the records.
    rebuild: a function of the damaged file's path, the error and the segment; returns the segment
        of the new file.
    """

    def __init__(self, segment: Segment, cls: type, rebuild: Rebuild) -> None:
        self._segment = segment
        self._packing = Packing(cls)
        self._rebuild = rebuild

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self._segment.path.parent

    def __len__(self) -> int:
        return len(self._segment)

    def get_many(self, keys: Sequence[bytes]) -> Iterator[Record]:
        """Yield the records of those keys, in the file's order, without unknown ones."""
        for start in range(0, len(keys), LOOKED_UP):
            batch = keys[start : start + LOOKED_UP]
            yield from self._decode(partial(Segment.get_many, keys=batch))

    def rows(self, numbers: Sequence[int]) -> Iterator[Record]:
        """Yield the records at these 0-based positions, ascending."""
        for start in range(0, len(numbers), ITERATED):
            batch = numbers[start : start + ITERATED]
            yield from self._decode(partial(Segment.entries, numbers=batch))

    def __iter__(self) -> Iterator[Record]:
        return self.rows(range(len(self)))

    def _decode(self, read: Callable[[Segment], Iterable[tuple[bytes, bytes]]]) -> list[Record]:
        """Return the records that `read` gets from the segment, rebuilt first if it is damaged."""
        try:
            return self._decode_from(self._segment, read)
        except Damaged as error:
            self._segment = self._rebuild(self._segment.path, error, self._segment)
            return self._decode_from(self._segment, read)

    def _decode_from(
        self, segment: Segment, read: Callable[[Segment], Iterable[tuple[bytes, bytes]]]
    ) -> list[Record]:
        try:
            return [self._packing.decode(value) for _, value in read(segment)]
        except Damaged:
            raise
        except ValueError as error:  # what was written was no record
            raise Damaged(f"{segment.path} is damaged: {error}") from None


class DocumentStore(Docstore):
    """Documents by id, from a file of documents; cls: their class."""

    def __init__(
        self,
        records: PackedRecords,
        cls: type,
        options: DocstoreOptions = DEFAULT_DOCSTORE_OPTIONS,
    ) -> None:
        super().__init__(cls, options=options)
        self._records = records
        self._filled_fields: dict[str, bool] = {}

    @property
    def path(self) -> Path:
        """The folder of the store."""
        return self._records.folder

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator:
        """Yield the documents of those ids, without unknown ones."""
        return self._records.get_many([_key_of(doc_id) for doc_id in doc_ids])

    def rows(self, numbers: Sequence[int]) -> Iterator:
        """Yield the documents at these 0-based positions, ascending."""
        return self._records.rows(numbers)

    def __iter__(self) -> "Documents":
        return Documents(self, slice(0, self.count(), 1))

    def count(self) -> int:
        """Return the number of documents."""
        return len(self._records)

    def fills(self, field: str) -> bool:
        """Return whether any document has a value in a field; looked up once."""
        if field not in self._filled_fields:
            self._filled_fields[field] = any(getattr(document, field) for document in self)
        return self._filled_fields[field]


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


def _key_of(doc_id: str) -> bytes:
    return str(doc_id).encode("utf-8", "surrogatepass")
