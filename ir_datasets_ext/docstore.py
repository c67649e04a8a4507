"""Documents and queries by id, with ir_datasets' interface.

::

    write_documents(path, documents, TinyDoc)
    store = DocumentStore(PackedRecords(Segment(path, keep=True), TinyDoc, rebuild), TinyDoc)
    store.get("7").title
    store.get_many(["7", "8"])  # a dict; what is unknown is left out
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import ir_datasets
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, Docstore, DocstoreOptions

from ir_datasets_ext.missing_fields import make_refusing_class
from ir_datasets_ext.packed_records import PackedRecords, write_records
from ir_datasets_ext.store import digest_folder, fingerprint
from ir_datasets_ext.typed_records import Record


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
        self._stored_class: type[Record] = cls  # of the records in the file
        # of the records that are given out; `refuse_field` replaces it by a subclass
        self._served_class: type[Record] = cls
        # field -> whether any document has a value there, of the fields that `fills` looked up
        self._filled_fields: dict[str, bool] = {}

    @property
    def path(self) -> Path:
        """The folder of the store."""
        return self._records.folder

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all documents, from the manifest of the store's folder."""
        return fingerprint([self._stored_class._fields, digest_folder(self.path)])

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator:
        """Yield the documents of those ids, without unknown ones."""
        keys = [_encode_id(doc_id) for doc_id in doc_ids]
        return self._serve(self._records.get_many(keys))

    def rows(self, numbers: Sequence[int]) -> Iterator:
        """Yield the documents at these 0-based positions, in ascending order."""
        return self._serve(self._records.rows(numbers))

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

    def refuse_field(self, field: str, problem: str) -> None:
        """Serve documents of a class that raises MissingContent where this field is read.

        problem: the error's message.
        """
        self._served_class = make_refusing_class(self._served_class, field, problem)

    def _serve(self, documents: Iterator) -> Iterator:
        """Return the documents as they are served: stored ones, or with fields refused."""
        if self._served_class is self._stored_class:
            return documents
        return (self._served_class._make(document) for document in documents)


class Documents:
    """Iterates over a part of the documents; ``[i]`` and ``[i:j]`` select parts of the rest."""

    def __init__(self, store: DocumentStore, part: slice) -> None:
        self._store = store
        self._step = part.step or 1
        self._remaining_part = part  # positions in the store, without those already returned
        positions = range(part.start, part.stop, self._step)
        self._documents = store.rows(positions)  # reads nothing yet

    def __iter__(self) -> "Documents":
        return self

    def __next__(self) -> Record:
        """Return the next document, and drop its position from those that remain."""
        document = next(self._documents)

        # a later [i] or [i:j] counts from the first document that was not returned yet
        remaining = self._remaining_part
        next_start = remaining.start + self._step
        self._remaining_part = slice(next_start, remaining.stop, remaining.step)
        return document

    def __getitem__(self, key: int | slice) -> "Record | Documents":
        """Return the document at a position in what is left, or a slice of what is left."""
        if isinstance(key, slice):
            part = ir_datasets.util.apply_sub_slice(self._remaining_part, key)
            return Documents(self._store, part)
        if not isinstance(key, int):
            raise TypeError(
                f"{key!r} is no position of a document: expected a whole number or a slice"
            )

        # ir_datasets turns a position, also a negative one, into a slice of one document or none
        slice_of_one = ir_datasets.util.slice_idx(self._remaining_part, key)
        positions = range(slice_of_one.start, slice_of_one.stop)
        documents = list(self._store.rows(positions))
        if not documents:
            raise IndexError(f"no document at {key}: expected a position in what is left")
        return documents[0]


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
        for query_id in query_ids:
            if query_id in self._queries:
                yield self._queries[query_id]


def write_documents(path: Path, documents: Iterable, cls: type) -> int:
    """Write records with a `doc_id` to a file of documents; return their number."""
    # a bar on terminals only (disable=None): in logs and notebooks it would stand between others
    shown_documents = ir_datasets.log.easy().pbar(
        documents, "docs_iter", unit="doc", quiet=True, leave=False, delay=1, disable=None
    )
    keyed_documents = ((_encode_id(document.doc_id), document) for document in shown_documents)
    return write_records(path, keyed_documents, cls)


def _encode_id(doc_id: str) -> bytes:
    """Return the key of a document; an id may have half a surrogate pair, as JSON may have it."""
    return str(doc_id).encode("utf-8", "surrogatepass")
