"""Documents in one file of entries: records as MessagePack, compressed with LZ4."""

import json

import ir_datasets
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore

from ir_datasets_ext.store import Damaged, new_file, write_entries

DOCS = "docs.entries"
CHUNK, ROWS = 10_000, 64  # documents that are looked up, and read on, together


class Packing:
    """Between records of a class and bytes.

    JSON has what MessagePack cannot hold: lone surrogates, integers beyond 64 bits.
    """

    def __init__(self, cls):
        import msgspec

        self._lz4 = ir_datasets.lazy_libs.lz4_block().block
        self._cls = cls
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(cls).decode

    def encode(self, record) -> bytes:
        """Return the bytes of a record."""
        try:
            held = self._encode(record)
        except (UnicodeEncodeError, OverflowError):
            held = json.dumps(record).encode()
        return self._lz4.compress(held)

    def decode(self, held):
        """Return the record of `encode`'s bytes."""
        held = self._lz4.decompress(held)
        if held[:1] != b"[":  # which begins no array of MessagePack
            return self._decode(held)
        row = json.loads(held)
        return self._cls(*(tuple(value) if isinstance(value, list) else value for value in row))


def write_documents(path, records, cls) -> int:
    """Write records with a `doc_id` to a file of documents; return how many there were."""
    pack = Packing(cls).encode
    told = ir_datasets.log.easy().pbar(records, "docs_iter", unit="doc")
    with new_file(path, "wb") as file:
        return write_entries(file, ((_key(record.doc_id), pack(record)) for record in told))


class DocumentStore(Docstore):
    """ir_datasets' interface to a file of documents, which is made again where it is damaged.

    Args:
        segment: of the file, which stays open.
        cls: class of the records.
        again: from a damaged file's path, the error and its segment to that of the file when it is
            made again.
    """

    def __init__(self, segment, cls, again, options=DEFAULT_DOCSTORE_OPTIONS):
        super().__init__(cls, options=options)
        self._segment, self._again, self._packing = segment, again, Packing(cls)

    @property
    def path(self):
        """The folder of the store."""
        return self._segment.path.parent

    def get_many_iter(self, doc_ids):
        """Yield the documents of those ids that there are."""
        keys = [_key(doc_id) for doc_id in doc_ids]
        for start in range(0, len(keys), CHUNK):
            some = keys[start : start + CHUNK]
            for _, held in self._whole(lambda segment, some=some: list(segment.get_many(some))):
                yield self._packing.decode(held)

    def rows(self, numbers):
        """Yield the documents at these places."""
        for start in range(0, len(numbers), ROWS):
            some = numbers[start : start + ROWS]
            for _, held in self._whole(lambda segment, some=some: list(segment.entries(some))):
                yield self._packing.decode(held)

    def _whole(self, read):
        try:
            return read(self._segment)
        except Damaged as error:
            self._segment = self._again(self._segment.path, error, self._segment)
            return read(self._segment)

    def __iter__(self):
        return Documents(self, slice(0, self.count(), 1))

    def count(self):
        """Return how many documents there are."""
        return len(self._segment)


class Documents:
    """Iterates over a part of the documents; ``[i]`` and ``[i:j]`` give parts of what is left."""

    def __init__(self, store, part):
        self._store, self._part, self._rows = store, part, None

    def __iter__(self):
        return self

    def __next__(self):
        start, stop, step = self._part.start, self._part.stop, self._part.step or 1
        if self._rows is None:
            self._rows = self._store.rows(range(start, stop, step))
        found = next(self._rows)
        self._part = slice(start + step, stop, step)
        return found

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Documents(self._store, ir_datasets.util.apply_sub_slice(self._part, key))
        if isinstance(key, int):
            part = ir_datasets.util.slice_idx(self._part, key)
            for found in self._store.rows(range(part.start, part.stop)):
                return found
            raise IndexError(f"there is no document at {key}")
        raise TypeError(f"{key!r} is no place of a document: expected a whole number or a slice")


def _key(doc_id):
    return str(doc_id).encode("utf-8", "surrogatepass")
