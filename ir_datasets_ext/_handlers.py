"""What the collections' handlers share: documents in a built store, queries looked up by id."""

import logging
from contextlib import contextmanager, suppress

from ir_datasets.formats import BaseDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, PickleLz4FullStore

from ir_datasets_ext._files import collection_folder
from ir_datasets_ext._store import built

#: raise when the same source gives other records than before: stores are then built anew
READERS = 1


class StoredDocs(BaseDocs):
    """The documents of a collection, in a store built from its files on first use.

    Each call sees the files as they are then: replace one, and the next `docs_iter`, `docs_count`
    or `docs_store` follows it, while stores and iterators in use keep what they opened.

    collection: folder under ir_datasets' home, and the namespace of the ids.
    sources: a function that gives the files it is built from, as a list of `Source`.
    read: a function that yields the records, of class `cls` with a `doc_id`.
    folder: name of the store's folder, beside the files.
    """

    def __init__(self, collection, sources, read, cls, lang="en", folder="docs.pklz4"):
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
        """Return the store for look-ups by doc_id, built first if need be."""
        for _ in range(10):
            path = self._built()
            with suppress(FileNotFoundError):
                folder = path.stat().st_ino
                store = self._store(path, options)
                # All parts are opened now: left to be opened later, they could be of two folders,
                # or of none, in which case the store would build itself in the final place.
                with _quietly():
                    opened = store.lookup.bin()
                parts = opened and len(store.lookup.pos()) and len(store.lookup.idx())
                if parts and path.stat().st_ino == folder:
                    return store
            # else another process put a new folder there at this moment
        raise RuntimeError(f"{path} is incomplete: delete this folder, and it will be built anew")

    def docs_cls(self):
        """Return the class of the records."""
        return self._cls

    def docs_namespace(self):
        """Return the collection's name: ids are unique in it."""
        return self._collection

    def docs_lang(self):
        """Return the language code of the documents."""
        return self._lang

    def _built(self):
        path = collection_folder(self._collection) / self._folder
        recipe = f"{READERS} {' '.join(self._cls._fields)}"
        return built(path, self._sources(), self._make, recipe)

    def _make(self, folder):
        store = self._store(folder)
        store.build()
        if not store.built():
            names = ", ".join(str(source.place()) for source in self._sources())
            raise ValueError(f"{names} has no records: delete it to download the release's file")

    def _store(self, path, options=DEFAULT_DOCSTORE_OPTIONS):
        return PickleLz4FullStore(
            str(path), self._read, self._cls, "doc_id", ["doc_id"], options=options
        )


@contextmanager
def _quietly():
    """Keep ir_datasets from telling that it opens a file, which each look-up would repeat."""
    logger = logging.getLogger("ir_datasets")
    logger.addFilter(_nothing)
    try:
        yield
    finally:
        logger.removeFilter(_nothing)


def _nothing(record):
    return False


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
