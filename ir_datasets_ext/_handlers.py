"""What the collections' handlers share: documents in a built store, queries looked up by id."""

from contextlib import suppress

from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS

from ir_datasets_ext._documents import DOCS, DocumentStore, write_documents
from ir_datasets_ext.store import Damaged, Segment, built, say_once
from ir_datasets_ext.store.files import collection_folder, ensure_writable, remove

#: raise when the same source gives other records than before: stores are then built anew
READERS = 1
STORES = ".stores"  # folder under ir_datasets' home, apart from those that people hand on


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call sees the files as they are then: replace one, and the next `docs_iter`, `docs_count`
    or `docs_store` follows it, while stores and iterators in use keep what they opened. A damaged
    store is built again, with a warning.

    collection: namespace of the ids, and folder under `STORES`.
    sources: a function that gives the files it is built from, as a list of `Source`.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    folder: name of the store's folder.
    """

    _opened = (None, None)  # what the store was opened for, and the store

    def __init__(self, collection, sources, read, cls, lang="en", folder="docs"):
        self._collection = collection
        self._sources = sources
        self._read = read
        self._cls = cls
        self._lang = lang
        self._folder = folder

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

    def docs_cls(self):
        """Return the class of the records."""
        return self._cls

    def docs_namespace(self):
        """Return the collection's name: ids are unique in it."""
        return self._collection

    def docs_lang(self):
        """Return the language code of the documents."""
        return self._lang

    def _whole(self, read):
        """What `read` gives of the store's folder, while others may put a new one in its place."""
        for _ in range(10):
            folder = self._built()
            with suppress(FileNotFoundError):
                return read(folder)
        raise RuntimeError(f"{folder} changes all the time: expected one process to write there")

    def _built(self):
        path = collection_folder(STORES) / self._collection / self._folder
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


class QueryStore:
    """Queries by id, as ``ir_datasets lookup ID -q`` asks for them."""

    def __init__(self, queries):
        self._queries = {query.query_id: query for query in queries}

    def get(self, query_id):
        """Return the query; KeyError if there is none of that id."""
        if query_id not in self._queries:
            raise KeyError(f"query_id={query_id} not found")
        return self._queries[query_id]

    def get_many(self, query_ids):
        """Return a dict from id to query of those ids that there are."""
        return {query.query_id: query for query in self.get_many_iter(query_ids)}

    def get_many_iter(self, query_ids):
        """Yield the queries of those ids that there are."""
        for query_id in query_ids:
            if query_id in self._queries:
                yield self._queries[query_id]
