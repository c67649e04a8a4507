"""The documents of a collection: built from its files on first use, looked up and iterated over.

They are in one file of entries: records as MessagePack, compressed with LZ4.
"""

import json
from contextlib import suppress

import ir_datasets
from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore

from ir_datasets_ext.handlers import answer
from ir_datasets_ext.store import Damaged, Segment, built, new_file, say_once, write_entries
from ir_datasets_ext.store.files import collection_folder, ensure_writable, remove

#: raise when the same source gives other records than before: stores are then built anew
READERS = 1
STORES = ".stores"  # folder under ir_datasets' home, apart from those that people hand on
DOCS = "docs.entries"
CHUNK, ROWS = 10_000, 64  # documents that are looked up, and read on, together


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call sees the files as they are then: replace one, and the next `docs_iter`, `docs_count`
    or `docs_store` follows it, while stores and iterators in use keep what they opened. A damaged
    store is built again, with a warning.

    namespace: the collection's name: ids are unique in it.
    folder: of the store, below `STORES`.
    sources: a function that gives the files it is built from, as a list of `Source`.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    """

    _opened = (None, None)  # what the store was opened for, and the store

    def __init__(self, namespace, folder, sources, read, cls, lang="en"):
        self._folder, self._sources, self._read, self._cls = folder, sources, read, cls
        answer(self, "docs", cls=cls, namespace=namespace, lang=lang)

    def docs_iter(self):
        """Iterate over the records in the file's order; ``[i]`` and ``[i:j]`` give parts of it."""
        return iter(self.docs_store())

    def docs_count(self):
        """Return how many records there are, or None while their files are not downloaded."""
        if not all(source.present() for source in self._sources()):
            return None
        return self.docs_store().count()

    def docs_store(self, options=DEFAULT_DOCSTORE_OPTIONS):
        """Return the store for look-ups by doc_id, built first if need be.

        It is the same object until the files change.
        """
        path = self._whole(lambda folder: (folder / DOCS, (folder / DOCS).stat().st_ino))
        if self._opened[0] != path:
            store = self._whole(lambda folder: self._store(folder, options))
            self._opened = (path, store)
        return self._opened[1]

    def _whole(self, read):
        """What `read` gives of the store's folder, while others may put a new one in its place."""
        for _ in range(10):
            folder = self._built()
            with suppress(FileNotFoundError):
                return read(folder)
        raise RuntimeError(f"{folder} changes all the time: expected one process to write there")

    def _built(self):
        path = collection_folder(STORES) / self._folder
        types = {name: str(kind) for name, kind in self._cls.__annotations__.items()}
        return built(path, self._sources(), self._make, f"{READERS} {types}")

    def _make(self, folder):
        if not write_documents(folder / DOCS, self._read(), self._cls):
            names = ", ".join(str(source.place()) for source in self._sources())
            raise ValueError(f"{names} has no records: delete it to download the release's file")

    def _store(self, folder, options):
        path = folder / DOCS
        try:
            segment = Segment(path, keep=True)
        except Damaged as error:  # its index, which no value's digest is of
            segment = self._again(path, error)
        return DocumentStore(segment, self._cls, self._again, options)

    def _again(self, path, error, segment=None):
        """The Segment of the store that is built in the place of a damaged one at `path`."""
        say_once(f"{error}: {path.parent} is built again")
        ensure_writable(path.parent.parent)
        with suppress(FileNotFoundError):
            if segment is None or segment.is_at(path):  # else another process was quicker
                remove(path.parent)
        return self._whole(lambda folder: Segment(folder / DOCS, keep=True))


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
        return self._records([_key(doc_id) for doc_id in doc_ids], CHUNK, Segment.get_many)

    def rows(self, numbers):
        """Yield the documents at these places."""
        return self._records(numbers, ROWS, Segment.entries)

    def _records(self, wanted, together, read):
        """Yield what `read` finds in the segment of `wanted`, so many of them at a time."""
        for start in range(0, len(wanted), together):
            some = wanted[start : start + together]
            try:
                found = list(read(self._segment, some))
            except Damaged as error:
                self._segment = self._again(self._segment.path, error, self._segment)
                found = list(read(self._segment, some))
            for _, held in found:
                yield self._packing.decode(held)

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
