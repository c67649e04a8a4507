"""The documents of a collection: built from its files on first use, looked up and iterated over.

They are in one file of entries: records as MessagePack, compressed with LZ4.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import ir_datasets
from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore

from ir_datasets_ext.handlers import answer
from ir_datasets_ext.store import Damaged, Segment, built, new_file, say_once, write_entries
from ir_datasets_ext.store.files import collection_folder, ensure_writable, remove

#: increase when the same source gives other records than before, so that stores are rebuilt
READERS = 1
STORES = ".stores"  # folder under ir_datasets' home, apart from the folders that people share
DOCS = "docs.entries"
CHUNK, ROWS = 10_000, 64  # documents per batch: of look-ups, and of iteration
Value = TypeVar("Value")


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call follows the present files. After a file is replaced, the next `docs_iter`,
    `docs_count` or `docs_store` has the new documents; stores and iterators in use keep the old
    ones. A damaged store is rebuilt, with a warning.

    namespace: the collection's name; ids are unique in it.
    folder: of the store, below `STORES`.
    sources: a function that returns the collection's files, a list of `Source`.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    """

    _opened: "tuple[object, Any]" = (None, None)  # what identifies the open store, and the store

    def __init__(
        self,
        namespace: str,
        folder: str,
        sources: Callable[[], Sequence[Any]],
        read: Callable[[], Iterable],
        cls: type,
        lang: str = "en",
    ) -> None:
        self._folder, self._sources, self._read, self._cls = folder, sources, read, cls
        answer(self, "docs", cls=cls, namespace=namespace, lang=lang)

    def docs_iter(self) -> "Documents":
        """Iterate over the records in the file's order; ``[i]`` and ``[i:j]`` select parts."""
        return iter(self.docs_store())

    def docs_count(self) -> int | None:
        """Return the number of records, or None while their files are not downloaded."""
        if not all(source.present() for source in self._sources()):
            return None
        return self.docs_store().count()

    def docs_store(self, options: Any = DEFAULT_DOCSTORE_OPTIONS) -> "DocumentStore":
        """Return the store for look-ups by doc_id, built first if need be.

        It is the same object until the files change.
        """
        path = self._whole(lambda folder: (folder / DOCS, (folder / DOCS).stat().st_ino))
        if self._opened[0] != path:
            store = self._whole(lambda folder: self._store(folder, options))
            self._opened = (path, store)
        return self._opened[1]

    def _whole(self, read: Callable[[Path], Value]) -> Value:
        """Return ``read(folder)`` of the store, even if others replace the folder meanwhile."""
        for _ in range(10):
            folder = self._built()
            with suppress(FileNotFoundError):
                return read(folder)
        raise RuntimeError(f"{folder} changes all the time: let only one process write there")

    def _built(self) -> Path:
        path = collection_folder(STORES) / self._folder
        types = {name: str(kind) for name, kind in self._cls.__annotations__.items()}
        return built(path, self._sources(), self._make, f"{READERS} {types}")

    def _make(self, folder: Path) -> None:
        if not write_documents(folder / DOCS, self._read(), self._cls):
            names = ", ".join(str(source.place()) for source in self._sources())
            raise ValueError(f"{names} has no records: delete it to download the release's file")

    def _store(self, folder: Path, options: Any) -> "DocumentStore":
        path = folder / DOCS
        try:
            segment = Segment(path, keep=True)
        except Damaged as error:  # its index
            segment = self._again(path, error)
        return DocumentStore(segment, self._cls, self._again, options)

    def _again(self, path: Path, error: Damaged, segment: Segment | None = None) -> Segment:
        """Rebuild the damaged store at `path`; return its Segment."""
        say_once(f"{error}: {path.parent} is built again")
        ensure_writable(path.parent.parent)
        with suppress(FileNotFoundError):
            if segment is None or segment.is_at(path):  # else another process was faster
                remove(path.parent)
        return self._whole(lambda folder: Segment(folder / DOCS, keep=True))


class Packing:
    """Convert records of a class to bytes and back.

    JSON is used for values that MessagePack lacks: lone surrogates, integers beyond 64 bits.
    """

    def __init__(self, cls: type) -> None:
        import msgspec

        self._lz4 = ir_datasets.lazy_libs.lz4_block().block
        self._cls = cls
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode: Callable[[bytes], Any] = msgspec.msgpack.Decoder(cls).decode

    def encode(self, record: Any) -> bytes:
        """Return the bytes of a record."""
        try:
            content = self._encode(record)
        except (UnicodeEncodeError, OverflowError):
            content = json.dumps(record).encode()
        return self._lz4.compress(content)

    def decode(self, compressed: bytes) -> Any:
        """Return the record of `encode`'s bytes."""
        content = self._lz4.decompress(compressed)
        if content[:1] != b"[":  # no array of MessagePack begins so
            return self._decode(content)
        row = json.loads(content)
        return self._cls(*(tuple(value) if isinstance(value, list) else value for value in row))


def write_documents(path: Path, records: Iterable, cls: type) -> int:
    """Write records with a `doc_id` to a file of documents; return their number."""
    pack = Packing(cls).encode
    shown = ir_datasets.log.easy().pbar(records, "docs_iter", unit="doc")
    with new_file(path, "wb") as file:
        return write_entries(file, ((_key(record.doc_id), pack(record)) for record in shown))


class DocumentStore(Docstore):
    """ir_datasets' interface to a file of documents, which is rebuilt if it is damaged.

    Args:
        segment: of the file, open.
        cls: class of the records.
        again: rebuilds a damaged file; a function of its path, the error and its segment that
            returns the new segment.
    """

    def __init__(
        self,
        segment: Segment,
        cls: type,
        again: Callable[[Path, Damaged, Segment], Segment],
        options: Any = DEFAULT_DOCSTORE_OPTIONS,
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
        self._rows: Iterator | None = None

    def __iter__(self) -> "Documents":
        return self

    def __next__(self) -> Any:
        start, stop, step = self._part.start, self._part.stop, self._part.step or 1
        if self._rows is None:
            self._rows = self._store.rows(range(start, stop, step))
        document = next(self._rows)
        self._part = slice(start + step, stop, step)
        return document

    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            return Documents(self._store, ir_datasets.util.apply_sub_slice(self._part, key))
        if isinstance(key, int):
            part = ir_datasets.util.slice_idx(self._part, key)
            for document in self._store.rows(range(part.start, part.stop)):
                return document
            raise IndexError(f"no document at {key}: expected a position in what is left")
        raise TypeError(f"{key!r} is no position of a document: expected a whole number or a slice")


def _key(doc_id: str) -> bytes:
    return str(doc_id).encode("utf-8", "surrogatepass")
