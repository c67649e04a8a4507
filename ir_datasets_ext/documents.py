"""The documents of a collection: built from its files on first use, and rebuilt if these change."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, DocstoreOptions

from ir_datasets_ext.docstore import Documents, DocumentStore, write_documents
from ir_datasets_ext.handlers import answer
from ir_datasets_ext.store import Damaged, Segment, built, say_once
from ir_datasets_ext.store.disk import Origin, collection_folder
from ir_datasets_ext.store.files import ensure_writable, remove

#: increase when the same source gives other records than before, so that stores are rebuilt
READERS = 1
STORES = ".stores"  # folder under ir_datasets' home, apart from the folders that people share
DOCS = "docs.entries"
Value = TypeVar("Value")


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call follows the present files. After a file is replaced, the next `docs_iter`,
    `docs_count` or `docs_store` has the new documents; stores and iterators in use keep the old
    ones. A damaged store is rebuilt, with a warning.

    namespace: the collection's name; ids are unique in it.
    folder: of the store, below `STORES`.
    sources: a function that returns the collection's files.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    """

    _opened: tuple[object, Any] = (None, None)  # what identifies the open store, and the store

    def __init__(
        self,
        namespace: str,
        folder: str,
        sources: Callable[[], Sequence[Origin]],
        read: Callable[[], Iterable],
        cls: type,
        lang: str = "en",
    ) -> None:
        self._folder, self._sources, self._read, self._cls = folder, sources, read, cls
        answer(self, "docs", cls=cls, namespace=namespace, lang=lang)

    def docs_iter(self) -> Documents:
        """Iterate over the records in the file's order; ``[i]`` and ``[i:j]`` select parts."""
        return iter(self.docs_store())

    def docs_count(self) -> int | None:
        """Return the number of records, or None while their files are not downloaded."""
        complete = all(source.present() for source in self._sources())
        return self.docs_store().count() if complete else None

    def docs_store(self, options: DocstoreOptions = DEFAULT_DOCSTORE_OPTIONS) -> DocumentStore:
        """Return the store for look-ups by doc_id, built first if need be.

        It is the same object until the files change.
        """
        path = self._whole(lambda folder: (folder / DOCS, (folder / DOCS).stat().st_ino))
        if self._opened[0] != path:
            self._opened = path, self._whole(lambda folder: self._store(folder, options))
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

    def _store(self, folder: Path, options: DocstoreOptions) -> DocumentStore:
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
