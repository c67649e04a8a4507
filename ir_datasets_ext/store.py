"""Documents and other records in a file of SQLite, built from a release's files at first use.

::

    store = Store("tiny", files, lambda: [("docs", read_docs())])
    docs = StoredDocs(store, TinyDoc, "tiny")
    docs.docs_store().get("7")  # the first call ever builds $IR_DATASETS_HOME/.stores/tiny.sqlite
    docs.docs_iter()[:10]

A value is MessagePack in a frame of LZ4, whose checksum finds a changed byte. A file is never
changed, only replaced. So it is read without locks, also on a disk that cannot be written to.

Why not ir_datasets' own PickleLz4FullStore? Two processes that build it at once write every
document twice: 60,000 for 30,000. Its pickles run code from a folder that people share and copy. It
sees neither a changed source nor a flipped bit. For the 363,133 documents of DORIS-MAE both take
10 s of CPU time to build (439 MB and 496 MB). Iteration takes it 18 to 21 s, and SQLite 5 to 7 s.
One look-up takes it 0.15 ms, and 0.15 to 0.2 ms here, with an open connection.
"""

import errno
import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar

import ir_datasets
import lz4.frame
import msgspec
from ir_datasets.formats import DocstoreBackedDocs
from ir_datasets.indices import Docstore
from ir_datasets.util import apply_sub_slice

from .atomic import HOME_REMEDY, locked, replacing
from .files import ReleaseFile, Version, find_home, name_files, read_version
from .warn_once import warn_once

FORMAT = 1  # increase when the same files give other records than before: stores are built again
FOLDER = ".stores"  # under ir_datasets' home
ITERATION_BATCH = 200  # records; larger lists of them occupy the garbage collector
#: what reading a damaged file raises; LZ4's errors and ours are RuntimeErrors
DAMAGE = (sqlite3.DatabaseError, RuntimeError, msgspec.MsgspecError, UnicodeDecodeError, TypeError)
#: Held by every call of SQLite, and by who forks. SQLite has locks of its own for the whole
#: process; a fork during another thread's call would inherit them locked for ever.
SQLITE_LOCK = RLock()
Record = TypeVar("Record")

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=SQLITE_LOCK.acquire,
        after_in_parent=SQLITE_LOCK.release,
        after_in_child=SQLITE_LOCK.release,
    )


class DamageError(RuntimeError):
    """A file of records lacks something that was written into it, or has another in its place."""


class SourceState(NamedTuple):
    """What a file was when a store was built from it; size: in bytes."""

    size: int
    mtime_ns: int
    digest: str


class TableState(msgspec.Struct):
    """What was written into a table: the number of records, and the hash of all keys."""

    count: int
    keys: str


class About(msgspec.Struct):
    """What a store was built from, and its tables, by name.

    recipe: what decides the records besides the content of the files; sources: these files.
    """

    recipe: str
    sources: list[SourceState]
    tables: dict[str, TableState]

    def fingerprint(self) -> str:
        """Return a hash of what decides the content of all tables."""
        return _hash_values(self.recipe, [source.digest for source in self.sources])


class Store:
    """Tables of records in a file that follows the files that it is built from.

    name: of the file, below FOLDER.
    files: that it is built from. They may be deleted afterwards if they were the release's.
    read_tables: returns the records of each table, which are read one table after the other. There
        are some in the table `docs`, and they have a `doc_id`, by which they are found.
    fields: of the documents, name -> type, if another thing than the code decides them.
    """

    def __init__(
        self,
        name: str,
        files: Sequence[ReleaseFile],
        read_tables: Callable[[], Iterable[tuple[str, Iterable]]],
        fields: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.files = files
        self._read_tables = read_tables
        names = [file.name for file in files]
        self._recipe = json.dumps([FORMAT, names, fields])
        self._opened: Tables | None = None
        self._damaged: Version | None = None

    @property
    def path(self) -> Path:
        """The place of the file under ir_datasets' present home."""
        return find_home() / FOLDER / f"{self.name}.sqlite"

    def is_available(self) -> bool:
        """Return whether records can be read without a download."""
        if all(file.present() for file in self.files):
            return True
        tables = self._open_existing()
        return tables is not None and self._is_current(tables.about)

    def open(self) -> "Tables":
        """Return the tables, built first if the file is missing or damaged, or its sources changed.

        It is the same object until the file is replaced.
        """
        tables = self._open_existing()
        if tables is None:
            tables = self._build()
        elif not self._is_current(tables.about):
            if self.files[0].page:  # a collection of one's own is overwritten on purpose
                warn_once(f"{self.path} is built again: its files have changed")
            tables = self._build()

        self._opened = tables
        for file, state in zip(self.files, tables.about.sources):
            file.warn_unless_released(state.digest)
        return tables

    def note_damage(self, version: Version, error: Exception) -> None:
        """Warn that a file is damaged; the next call of `open` builds it again."""
        warn_once(f"{version.path} is damaged, and built again: {error}")
        self._damaged = version

    def _open_existing(self) -> "Tables | None":
        """Return the tables of the present file; None if it is missing or damaged."""
        try:
            version = read_version(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if version == self._damaged:
            return None

        opened = self._opened
        if opened is not None and (opened.version, opened.process) == (version, os.getpid()):
            return opened
        try:
            return Tables(self, version)
        except DAMAGE as error:
            self.note_damage(version, error)
            return None

    def _is_current(self, about: About) -> bool:
        """Return whether the store has what the present files have."""
        if about.recipe != self._recipe:
            return False
        return all(map(_is_unchanged, self.files, about.sources))

    def _build(self) -> "Tables":
        """Build the file, and return its tables; files that are missing are downloaded first."""
        for file in self.files:
            file.path()

        with locked(self.path, HOME_REMEDY):
            tables = self._open_existing()
            if tables is not None and self._is_current(tables.about):
                return tables  # another process has built it meanwhile
            sources = [_read_state(file) for file in self.files]
            with replacing(self.path, remedy=HOME_REMEDY) as new_path:
                self._write_file(new_path, sources)
            return Tables(self, read_version(self.path))

    def _write_file(self, path: Path, sources: list[SourceState]) -> None:
        """Write a new file; OSError if the disk is full, ValueError if there are no documents."""
        try:
            # nobody else sees it, so it needs neither locks nor a journal, nor to be synced
            with closing(_connect(path, "nolock=1")) as connection:
                query(connection, "pragma page_size = 16384")  # less is left empty than in 4096
                query(connection, "pragma journal_mode = off")
                query(connection, "pragma synchronous = off")

                tables = {
                    table: self._write_table(connection, table, records)
                    for table, records in self._read_tables()
                }
                if not tables["docs"].count:
                    raise self._make_error("expected documents, got none")

                about = About(self._recipe, sources, tables)
                self._write_table(connection, "about", [about])
                with SQLITE_LOCK:
                    connection.commit()
        except sqlite3.OperationalError as error:
            # a used-up quota is SQLITE_IOERR; the last byte is the kind of error
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
            raise OSError(errno.ENOSPC, str(error), str(path)) from error

    def _write_table(
        self, connection: sqlite3.Connection, table: str, records: Iterable
    ) -> TableState:
        """Write records, documents by their id; ValueError for an id that is there twice."""
        columns = "number integer primary key, key text unique, value blob"
        query(connection, f"create table {table} ({columns})")
        insert = f"insert into {table} values (?, ?, ?)"
        if sys.stderr.isatty():  # else no bar: its lock may be one that a killed fork has kept
            records = ir_datasets.log.easy().pbar(
                records, f"writing {table}", quiet=True, leave=False, delay=1
            )

        encode = msgspec.msgpack.Encoder().encode
        count = 0
        for record in records:
            key = record.doc_id if table == "docs" else None
            # number and key are in the value, too, so that its checksum covers them
            content = encode((count, key, record))
            value = lz4.frame.compress(content, content_checksum=True)
            try:
                query(connection, insert, (count, key, value))
            except sqlite3.IntegrityError:
                raise self._make_error(
                    f"the id {key!r} is there twice in {table}, expected it once"
                ) from None
            count += 1
        return TableState(count, hash_keys(connection, table))

    def _make_error(self, problem: str) -> ValueError:
        """Return an error that names the files and what to do."""
        return ValueError(f"{name_files(self.files)}: {problem}; {self.files[0].remedy}")


class Tables:
    """The tables of a store's file, which stays what it was when it was opened.

    If a part that is read is damaged, the file is built again, with a warning.

    version: of the file. process: in which it was opened.
    """

    def __init__(self, store: Store, version: Version) -> None:
        self._store = store
        self._open(version)

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            with SQLITE_LOCK:
                self._connection.close()

    def count(self, table: str) -> int:
        """Return the number of records in a table."""
        return self.about.tables[table].count

    def read(
        self, table: str, cls: type[Record], positions: range | None = None
    ) -> Iterator[Record]:
        """Yield the records at 0-based positions, or all records; one batch is in memory."""
        if positions is None:
            positions = range(self.count(table))
        for start in range(0, len(positions), ITERATION_BATCH):
            batch = positions[start : start + ITERATION_BATCH]
            yield from self._select(table, cls, "number", batch)

    def find(self, table: str, cls: type[Record], keys: Iterable[str]) -> list[Record]:
        """Return the records of those keys, in the order of the table, without unknown ones."""
        distinct_keys = {str(key) for key in keys}
        return self._select(table, cls, "key", distinct_keys)

    def _select(
        self, table: str, cls: type[Record], column: str, wanted: Collection
    ) -> list[Record]:
        """Return the records whose column `number` or `key` is one of the wanted values.

        If the file turns out to be damaged, it is built again first.
        """
        if self.process != os.getpid():  # a fork: connections are not for two processes
            self._reopen()
        try:
            return self._read_rows(table, cls, column, wanted)
        except DAMAGE as error:
            self._store.note_damage(self.version, error)
            self._reopen()
            return self._read_rows(table, cls, column, wanted)

    def _read_rows(
        self, table: str, cls: type[Record], column: str, wanted: Collection
    ) -> list[Record]:
        """Return the records whose column `number` or `key` is one of the wanted values.

        Raises one of DAMAGE if a row is missing, or has another content than was written.
        """
        sql = (
            f"select value from {table} where {column} in (select value from json_each(?)) "
            "order by number"
        )
        values = query(self._connection, sql, [json.dumps(list(wanted))])
        row_type: Any = tuple[int, str | None, cls]  # type: ignore[valid-type]  # by the caller
        decode = msgspec.msgpack.Decoder(row_type).decode
        rows = [decode(lz4.frame.decompress(value)) for (value,) in values]

        numbers = [number for number, _, _ in rows]
        keys = [key for _, key, _ in rows]
        found = numbers if column == "number" else keys
        if numbers != sorted(set(numbers)) or not set(found).issubset(wanted):
            raise DamageError(f"{table} has rows in the place of others")
        # all numbers are there, but a key that is not found may be unknown
        if len(found) < len(wanted) and (column == "number" or not self._has_all_keys(table)):
            raise DamageError(f"rows of {table} are missing, or their keys changed")
        return [record for _, _, record in rows]

    def _has_all_keys(self, table: str) -> bool:
        """Return whether the index has the keys that were written; it is read once."""
        if table not in self._tables_with_all_keys:
            if hash_keys(self._connection, table) != self.about.tables[table].keys:
                return False
            self._tables_with_all_keys.add(table)
        return True

    def _reopen(self) -> None:
        """Go on with the store's present file, built first if need be, of the same content."""
        tables = self._store.open()
        if tables.about.fingerprint() != self.about.fingerprint():
            raise ValueError(
                f"{tables.version.path} was built again from other files while it was read: start "
                "again with the new documents"
            )
        self._open(tables.version)

    def _open(self, version: Version) -> None:
        # immutable: neither locks nor a journal, which a disk that is read only would refuse
        self._connection = _connect(version.path, "immutable=1")
        self.version = version
        self.process = os.getpid()
        self._tables_with_all_keys: set[str] = set()
        (self.about,) = self._read_rows("about", About, "number", range(1))


def _connect(path: Path, option: str) -> sqlite3.Connection:
    """Return a connection that any thread may use; option: of SQLite's addresses of files."""
    address = f"{path.absolute().as_uri()}?{option}"
    with SQLITE_LOCK:
        return sqlite3.connect(address, uri=True, check_same_thread=False)


def query(connection: sqlite3.Connection, sql: str, values: Sequence = ()) -> list[tuple]:
    """Run a statement with these values, and return its rows."""
    with SQLITE_LOCK:
        return connection.execute(sql, values).fetchall()


def hash_keys(connection: sqlite3.Connection, table: str) -> str:
    """Return a hash of the keys in a table's index."""
    hasher = hashlib.sha256()
    sql = f"select key from {table} where key is not null order by key"
    for (key,) in query(connection, sql):
        hasher.update(msgspec.msgpack.encode(key))  # a damaged one may have any type
    return hasher.hexdigest()


def _hash_values(*values: object) -> str:
    """Return a hash of values of JSON's types."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _read_state(file: ReleaseFile) -> SourceState:
    while not file.version().is_settled():  # else a change from now on might get the same time
        time.sleep(0.01)
    version = file.version()  # before the hash: a file that changes meanwhile counts as changed
    return SourceState(version.size, version.mtime_ns, file.hash())


def _is_unchanged(file: ReleaseFile, state: SourceState) -> bool:
    """Return whether the present file is what it was; copies with another time are hashed."""
    try:
        version = file.version()
    except FileNotFoundError:
        return state.digest == file.digest  # only the release's is not missed
    if version.size != state.size:
        return False
    return version.mtime_ns == state.mtime_ns or file.hash() == state.digest


class StoredDocs(DocstoreBackedDocs):
    """The documents in the table `docs` of a store.

    cls: of the documents. namespace: the collection's name; ids are unique in it.
    """

    def __init__(self, store: Store, cls: type, namespace: str, lang: str = "en") -> None:
        super().__init__(lambda: DocumentStore(store.open(), cls), cls, namespace, lang)
        self.store = store

    def docs_count(self) -> int | None:
        """Return the number of documents, or None while their files are not downloaded."""
        return self.docs_store().count() if self.store.is_available() else None

    def docs_fingerprint(self) -> str:
        """Return a hash of what the documents are made from, and of their fields."""
        fields = list(self.docs_cls().__annotations__)
        return _hash_values(self.store.open().about.fingerprint(), fields)


class DocumentStore(Docstore):
    """Documents by id; cls: their class."""

    def __init__(self, tables: Tables, cls: type) -> None:
        super().__init__(cls)
        self._tables = tables
        self._cls = cls

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Any]:
        """Yield the documents of those ids, in the files' order, without unknown ones."""
        yield from self._tables.find("docs", self._cls, doc_ids)

    def rows(self, positions: range) -> Iterator:
        """Yield the documents at 0-based positions."""
        return self._tables.read("docs", self._cls, positions)

    def count(self) -> int:
        """Return the number of documents."""
        return self._tables.count("docs")

    def __iter__(self) -> "Documents":
        return Documents(self, range(self.count()))


class Documents:
    """Iterates over documents at some positions; ``[i]`` and ``[i:j]`` select parts of the rest."""

    def __init__(self, store: DocumentStore, positions: range) -> None:
        self._store = store
        self._rest = positions
        self._documents = store.rows(positions)

    def __iter__(self) -> "Documents":
        return self

    def __next__(self) -> Any:
        """Return the next document."""
        document = next(self._documents)
        self._rest = self._rest[1:]
        return document

    def __getitem__(self, key: int | slice) -> Any:
        """Return the document at a position in what is left, or a slice of what is left."""
        rest = self._rest
        if isinstance(key, slice):
            part = apply_sub_slice(slice(rest.start, rest.stop, rest.step), key)
            first = max(part.start, rest.start)  # it may be counted from the end
            return Documents(self._store, range(first, part.stop, part.step))
        position = rest[key]  # IndexError outside of them
        (document,) = self._store.rows(range(position, position + 1))
        return document
