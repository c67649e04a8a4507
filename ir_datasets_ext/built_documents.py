"""The documents of a collection: built from its files on first use, and rebuilt if these change.

::

    docs = StoredDocs("tiny", "tiny/docs", sources, read_docs, TinyDoc)
    docs.docs_store().get("7")   # builds the store at the first call ever
    docs.docs_iter()[:10]

A store is verified when it is opened, not at each look-up. As long as none of its files, nor of
those that it was built from, has another inode, size or time of change, it is what was verified.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, DocstoreOptions

from ir_datasets_ext.docstore import Documents, DocumentStore, write_documents
from ir_datasets_ext.handlers import add_answers
from ir_datasets_ext.packed_records import PackedRecords
from ir_datasets_ext.store import Damaged, Segment, ensure_built, warn_once
from ir_datasets_ext.store.atomic_files import ensure_writable, remove
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import Identity, NoPlainFile, identity_of
from ir_datasets_ext.store.write_errors import collection_folder
from ir_datasets_ext.typed_records import DELETE, MissingContent

#: increase when the same source gives other records than before, so that stores are rebuilt
READERS_VERSION = 2
STORES = ".stores"  # folder under ir_datasets' home, apart from the folders that people share
DOCS = "docs.entries"  # the file of documents in each store
MOST_TRIES = 10  # to open a store, while other processes replace it
Value = TypeVar("Value")


class IdentifiedFile(NamedTuple):
    """A file of a store, as it is at one moment."""

    path: Path
    identity: Identity


class FileContent(NamedTuple):
    """What was read from a file of a store, and what the file was then."""

    file: IdentifiedFile
    content: Any


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call follows the present files. After a file is replaced, the next `docs_iter`,
    `docs_count` or `docs_store` has the new documents; stores and iterators in use keep the old
    ones. A damaged store is rebuilt, with a warning.

    A subclass that keeps more than the documents overrides `_write_files`, and reads what it wrote
    by `_read_unchanged` and `_open_records`.

    namespace: the collection's name; ids are unique in it.
    folder: of the store, below `STORES`.
    sources: a function that returns the collection's files.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    required: fields that no release lacks. If no document has a value there, reading the field of
        a document raises MissingContent; all else is served.
    """

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
        self._folder = folder
        self._sources = sources
        self._read = read
        self._cls = cls
        self._required = required
        self._verified_files: dict[Path, Identity] | None = None
        self._contents: dict[str, FileContent] = {}  # by name of a file in the store
        add_answers(self, "docs", cls=cls, namespace=namespace, lang=lang)

    def docs_iter(self) -> Documents:
        """Iterate over the records in the file's order; ``[i]`` and ``[i:j]`` select parts."""
        return iter(self.docs_store())

    def docs_count(self) -> int | None:
        """Return the number of records, or None while their files are not downloaded."""
        if not all(source.present() for source in self._sources()):
            return None
        return self.docs_store().count()

    def docs_store(self, options: DocstoreOptions = DEFAULT_DOCSTORE_OPTIONS) -> DocumentStore:
        """Return the store for look-ups by doc_id, built first if need be.

        It is the same object until the files change.
        """
        return self._read_unchanged(DOCS, partial(self._open_documents, options=options))

    def docs_fingerprint(self) -> str:
        """Return a hash of all records, which are read from the files first if need be."""
        return self.docs_store().fingerprint

    def _require_field(self, store: DocumentStore, field: str) -> None:
        """Raise MissingContent if no document has a value in a field: then the files lack it.

        A part that is made from the field calls this when it is asked for.
        """
        if not store.fills(field):
            raise MissingContent(self._describe_missing(store, field))

    def _read_unchanged(self, name: str, read: Callable[[Path], Value]) -> Value:
        """Return ``read(path)`` of a file in the store; the same object until the file changes."""
        present_file = self._read_store(lambda folder: _identify(folder / name))
        remembered = self._contents.get(name)
        if remembered is not None and remembered.file == present_file:
            return remembered.content

        # identified before it is read: if it is replaced meanwhile, the next call reads it again
        content = self._read_store(lambda folder: read(folder / name))
        self._contents[name] = FileContent(present_file, content)
        return content

    def _read_store(self, read: Callable[[Path], Value]) -> Value:
        """Return ``read(folder)`` of the store, even if others replace the folder meanwhile."""
        for _ in range(MOST_TRIES):
            folder = self._ensure_verified()
            with suppress(FileNotFoundError):
                return read(folder)
        raise RuntimeError(f"{folder} changes all the time: let only one process write there")

    def _open_records(self, name: str, cls: type) -> PackedRecords:
        """Return the records in a file of the store, which is rebuilt if the file is damaged."""
        return self._read_store(lambda folder: self._open_file(folder / name, cls))

    def _write_files(self, folder: Path) -> int:
        """Write the store's files into an empty folder; return the number of documents.

        A hook: `ensure_built` calls it when the store is built. A subclass may write more files.
        """
        return write_documents(folder / DOCS, self._read(), self._cls)

    def _ensure_verified(self) -> Path:
        """Return the store's folder; it is verified or built first if any of its files changed."""
        folder = collection_folder(STORES) / self._folder
        files = self._identify_files(folder)
        if files == self._verified_files:
            return folder

        types = {name: str(kind) for name, kind in self._cls.__annotations__.items()}
        ensure_built(folder, self._sources(), self._build, recipe=f"{READERS_VERSION} {types}")

        # `files` as they were before: if one has changed since, the next call verifies again
        self._remember_verified(files)
        return folder

    def _remember_verified(self, files: dict[Path, Identity]) -> None:
        """Keep the files' identities: while they stay the same, the store is not verified again.

        Nothing is kept if any of the files has just been written. A second change within the
        clock's precision would leave its time of change as it is, and would not be noticed.
        """
        are_settled = all(identity.is_settled() for identity in files.values())
        self._verified_files = files if are_settled else None

    def _identify_files(self, folder: Path) -> dict[Path, Identity]:
        """Return the present files of the store and of its sources, with their identities."""
        paths = [source.place() for source in self._sources()]
        with suppress(FileNotFoundError, NotADirectoryError):
            paths += folder.iterdir()

        identities = {}
        for path in paths:
            with suppress(FileNotFoundError, NotADirectoryError):
                identities[path] = identity_of(path)
        return identities

    def _build(self, folder: Path) -> None:
        """Build the store into an empty folder; `ensure_built` calls this."""
        document_count = self._write_files(folder)
        if document_count == 0:
            raise ValueError(
                f"{self._name_sources()} has no records: delete it to download the release's file"
            )

    def _open_documents(self, path: Path, options: DocstoreOptions) -> DocumentStore:
        """Open the store of documents, which refuses the required fields that the files lack."""
        records = self._open_file(path, self._cls)
        store = DocumentStore(records, self._cls, options)

        missing_fields = [field for field in self._required if not store.fills(field)]
        for field in missing_fields:
            store.refuse_field(field, self._describe_missing(store, field))
        return store

    def _open_file(self, path: Path, cls: type) -> PackedRecords:
        """Open a file of records in the store, which is rebuilt if the file is damaged."""
        try:
            segment = Segment(path, keep=True)
        except (Damaged, NoPlainFile) as error:  # its index, or a folder in its place
            segment = self._rebuild(path, error)
        return PackedRecords(segment, cls, self._rebuild)

    def _rebuild(self, path: Path, error: Exception, segment: Segment | None = None) -> Segment:
        """Rebuild the store of the damaged file `path`; return the Segment of the new file.

        `PackedRecords` calls this when an entry of `segment`, which it has open, is damaged.
        """
        folder = path.parent
        warn_once(f"{error}: {folder} is built again")

        ensure_writable(folder.parent)
        try:
            # without a segment, nothing could be opened; with one, another process may have put a
            # new file in the place of the damaged one
            is_still_damaged = segment is None or segment.is_at(path)
        except FileNotFoundError:  # another process has removed it, and builds it again
            is_still_damaged = False
        if is_still_damaged:
            remove(folder)

        # `_read_store` builds the store if it is missing
        return self._read_store(lambda new_folder: Segment(new_folder / path.name, keep=True))

    def _describe_missing(self, store: DocumentStore, field: str) -> str:
        """Return the message of the error for a field that no document has a value in."""
        return (
            f"{self._name_sources()}, {field}: expected a value in some of {store.count()} "
            f"documents, got none. {DELETE}"
        )

    def _name_sources(self) -> str:
        """Return the files that the store is built from, for errors."""
        paths = [source.place() for source in self._sources()]
        if len(paths) == 1:
            return str(paths[0])
        return f"{paths[0]} (and {len(paths) - 1} files more)"


def _identify(path: Path) -> IdentifiedFile:
    """Return a file with its present identity; FileNotFoundError if it is missing."""
    return IdentifiedFile(path, identity_of(path))
