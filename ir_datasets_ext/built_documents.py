"""The documents of a collection: built from its files on first use, and rebuilt if these change."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, DocstoreOptions

from ir_datasets_ext.docstore import Documents, DocumentStore, PackedRecords, write_documents
from ir_datasets_ext.handlers import answer
from ir_datasets_ext.store import Damaged, Segment, ensure_built, warn_once
from ir_datasets_ext.store.atomic_files import ensure_writable, remove
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import Identity, NoPlainFile, identity_of
from ir_datasets_ext.store.write_errors import collection_folder
from ir_datasets_ext.typed_records import DELETE, MissingContent

#: increase when the same source gives other records than before, so that stores are rebuilt
READERS = 2
STORES = ".stores"  # folder under ir_datasets' home, apart from the folders that people share
DOCS = "docs.entries"
TRIES = 10  # while other processes replace the store
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
    required: fields without which the documents are not those of the collection. If none of them
        has a value there, asking for the documents raises MissingContent.
    """

    _opened_file: tuple[Path, Identity] | None = None
    _opened_store: DocumentStore

    def __init__(
        self,
        namespace: str,
        folder: str,
        sources: Callable[[], Sequence[Origin]],
        read: Callable[[], Iterable],
        cls: type,
        lang: str = "en",
        required: Sequence[str] = (),
    ) -> None:
        self._folder, self._sources, self._read, self._cls = folder, sources, read, cls
        self._required = required
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
        present_file = self._read_store(_identify_docs)
        if self._opened_file != present_file:
            records = self._open_records(DOCS, self._cls)
            self._opened_store = DocumentStore(records, self._cls, options)
            self._opened_file = present_file

        for field in self._required:
            self._check_filled(self._opened_store, field)
        return self._opened_store

    def _require_field(self, field: str) -> None:
        """Raise MissingContent if no document has a value in a field: then the files lack it.

        A part that is made from the field calls this when it is asked for.
        """
        self._check_filled(self.docs_store(), field)

    def _read_store(self, read: Callable[[Path], Value]) -> Value:
        """Return ``read(folder)`` of the store, even if others replace the folder meanwhile."""
        for _ in range(TRIES):
            folder = self._ensure_built()
            with suppress(FileNotFoundError):
                return read(folder)
        raise RuntimeError(f"{folder} changes all the time: let only one process write there")

    def _open_records(self, name: str, cls: type) -> PackedRecords:
        """Return the records in a file of the store, which is rebuilt if the file is damaged."""
        return self._read_store(lambda folder: self._open_file(folder / name, cls))

    def _ensure_built(self) -> Path:
        """Return the store's folder, built first if need be."""
        path = collection_folder(STORES) / self._folder
        types = {name: str(kind) for name, kind in self._cls.__annotations__.items()}
        return ensure_built(path, self._sources(), self._build, f"{READERS} {types}")

    def _build(self, folder: Path) -> None:
        if not self._write_files(folder):
            raise ValueError(
                f"{self._name_sources()} has no records: delete it to download the release's file"
            )

    def _write_files(self, folder: Path) -> int:
        """Write the store's files into an empty folder; return the number of documents.

        A subclass may write more than the documents.
        """
        return write_documents(folder / DOCS, self._read(), self._cls)

    def _open_file(self, path: Path, cls: type) -> PackedRecords:
        try:
            segment = Segment(path, keep=True)
        except (Damaged, NoPlainFile) as error:  # its index, or a folder in its place
            segment = self._rebuild(path, error)
        return PackedRecords(segment, cls, self._rebuild)

    def _rebuild(self, path: Path, error: Exception, segment: Segment | None = None) -> Segment:
        """Rebuild the store of the damaged file `path`; return the Segment of the new file."""
        warn_once(f"{error}: {path.parent} is built again")
        ensure_writable(path.parent.parent)
        with suppress(FileNotFoundError):
            if segment is None or segment.is_at(path):  # else another process was faster
                remove(path.parent)
        return self._read_store(lambda folder: Segment(folder / path.name, keep=True))

    def _check_filled(self, store: DocumentStore, field: str) -> None:
        if not store.fills(field):
            raise MissingContent(
                f"{self._name_sources()}, {field}: expected a value in some of {store.count()} "
                f"documents, got none. {DELETE}"
            )

    def _name_sources(self) -> str:
        first, *others = (source.place() for source in self._sources())
        return f"{first} (and {len(others)} files more)" if others else str(first)


def _identify_docs(folder: Path) -> tuple[Path, Identity]:
    return folder, identity_of(folder / DOCS)
