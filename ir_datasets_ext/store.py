"""Documents and other records in a file of SQLite, built from a release's files at first use.

::

    store = Store("tiny", TinyDoc, files, lambda: [("docs", read_docs())])
    docs = StoredDocs(store, "tiny")
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
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
from .files import ReadingError, ReleaseFile, Version, find_home, name_files, read_version
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


class SourceState(NamedTuple):
    """What a file was when a store was built from it; size: in bytes."""

    size: int
    mtime_ns: int
    digest: str


class About(msgspec.Struct):
    """What a store was built from, and what was written into it.

    recipe: what decides the records besides the content of the files; sources: these files.
    counts: of records, by table. ids_hash: of all documents' ids, see `hash_ids`.
    """

    recipe: str
    sources: list[SourceState]
    counts: dict[str, int]
    ids_hash: str

    def fingerprint(self) -> str:
        """Return a hash of what decides the content of all tables."""
        return _hash_values(self.recipe, [source.digest for source in self.sources])


class Store:
    """Tables of records in a file that follows the files that it is built from.

    name: of the file, below FOLDER.
    cls: of the documents, which have a `doc_id`, by which they are found.
    files: that it is built from. They may be deleted afterwards if they were the release's.
    read_tables: returns the records of each table, which are read one table after the other. The
        documents are those of the table `docs`; there are some.
    """

    def __init__(
        self,
        name: str,
        cls: type,
        files: Sequence[ReleaseFile],
        read_tables: Callable[[], Iterable[tuple[str, Iterable]]],
    ) -> None:
        self.name = name
        self.cls = cls
        self.files = files
        self._read_tables = read_tables
        self._recipe = repr([FORMAT, [file.name for file in files], cls.__annotations__])
        self._opened: Tables | None = None
        self._damaged: Version | None = None

    @property
    def path(self) -> Path:
        """The place of the file under ir_datasets' present home."""
        return find_home() / FOLDER / f"{self.name}.sqlite"

    def is_available(self) -> bool:
        """Return whether records can be read without a download."""
        return all(file.present() for file in self.files) or self._open_existing() is not None

    def open(self) -> "Tables":
        """Return the tables, built first if the file is missing or damaged, or its sources changed.

        It is the same object until the file is replaced.
        """
        tables = self._open_existing() or self._build()
        if tables is not self._opened:
            self._opened = tables
            for file, state in zip(self.files, tables.about.sources):
                file.warn_unless_released(state.digest)
        return tables

    def note_damage(self, version: Version, error: Exception) -> None:
        """Warn that a file is damaged; the next call of `open` builds it again."""
        warn_once(f"{version.path} is damaged, and built again: {error}")
        self._damaged = version

    def _open_existing(self) -> "Tables | None":
        """Return the tables of the present file; None if it is missing, damaged, or outdated."""
        try:
            version = read_version(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if version == self._damaged:
            return None

        tables = self._opened
        if tables is None or tables.version != version:
            try:
                tables = Tables(self, version)
            except DAMAGE as error:
                self.note_damage(version, error)
                return None

        has_same_sources = all(map(_is_unchanged, self.files, tables.about.sources))
        if has_same_sources and tables.about.recipe == self._recipe:
            return tables
        if self.files[0].page:  # a collection of one's own is overwritten on purpose
            warn_once(f"{self.path} is built again: its files have changed")
        return None

    def _build(self) -> "Tables":
        """Build the file, and return its tables; files that are missing are downloaded first."""
        for file in self.files:
            file.path()

        with locked(self.path, HOME_REMEDY):
            tables = self._open_existing()
            if tables is not None:  # another process has built it meanwhile
                return tables
            sources = [_read_state(file) for file in self.files]
            with replacing(self.path, remedy=HOME_REMEDY) as new_path:
                self._write_file(new_path, sources)
            return Tables(self, read_version(self.path))

    def _write_file(self, path: Path, sources: list[SourceState]) -> None:
        """Write a new file; OSError if the disk is full, ValueError if there are no documents."""
        try:
            # nobody else sees it, so it needs neither locks nor a journal
            with closing(_connect(path, "nolock=1")) as connection:
                query(connection, "pragma page_size = 16384")  # less is left empty than in 4096
                query(connection, "pragma journal_mode = off")

                counts = {
                    table: self._write_table(connection, table, records)
                    for table, records in self._read_tables()
                }
                if not counts["docs"]:
                    raise ReadingError(
                        f"{name_files(self.files)}: expected documents, got none; "
                        f"{self.files[0].remedy}"
                    )

                about = About(self._recipe, sources, counts, hash_ids(connection))
                self._write_table(connection, "about", [about])
                with SQLITE_LOCK:
                    connection.commit()
        except sqlite3.OperationalError as error:
            # a used-up quota is SQLITE_IOERR; the last byte is the kind of error
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
            raise OSError(errno.ENOSPC, str(error), str(path)) from error

    def _write_table(self, connection: sqlite3.Connection, table: str, records: Iterable) -> int:
        """Write records, documents by their id, and return their number.

        Raises ValueError for an id that is there twice.
        """
        query(
            connection,
            f"create table {table} (number integer primary key, key text unique, value blob)",
        )
        insert = f"insert into {table} values (?, ?, ?)"
        if sys.stderr.isatty():  # else no bar: its lock may be one that a killed fork has kept
            records = ir_datasets.log.easy().pbar(
                records, f"writing {table}", quiet=True, leave=False, delay=1
            )

        count = 0
        for record in records:
            key = record.doc_id if table == "docs" else None
            # the number is in the value, too, so that its checksum covers it
            content = msgspec.msgpack.encode((count, record))
            value = lz4.frame.compress(content, content_checksum=True)
            try:
                query(connection, insert, (count, key, value))
            except sqlite3.IntegrityError:
                raise ReadingError(
                    f"{name_files(self.files)}: the id {key!r} is there twice in {table}, expected "
                    f"it once; {self.files[0].remedy}"
                ) from None
            count += 1
        return count


class Tables(Docstore):
    """The tables of a store's file, which stays what it was when it was opened.

    As ir_datasets has it, this is the store of documents by id. If a part that is read is damaged,
    the file is built again, with a warning.

    version: of the file. process: in which it was opened. fingerprint: of what decides the content.
    """

    about: About
    _is_index_checked: bool

    def __init__(self, store: Store, version: Version) -> None:
        super().__init__(store.cls)
        self._store = store
        self._open(version)

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            with SQLITE_LOCK:
                self._connection.close()

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Any]:
        """Yield the documents of those ids, in the files' order, without unknown ones."""
        distinct_ids = set(map(str, doc_ids))
        yield from self._select("docs", self._store.cls, "key", distinct_ids)

    def __iter__(self) -> "Documents":
        return Documents(self, range(self.count()))

    def count(self) -> int:
        """Return the number of documents."""
        return self.about.counts["docs"]

    def rows(self, positions: range) -> Iterator[Any]:
        """Yield the documents at 0-based positions; `Documents` calls it."""
        return self.read("docs", self._store.cls, positions)

    def read(
        self, table: str, cls: type[Record], positions: range | None = None
    ) -> Iterator[Record]:
        """Yield the records at 0-based positions, or all records; one batch is in memory."""
        if positions is None:
            positions = range(self.about.counts[table])
        for start in range(0, len(positions), ITERATION_BATCH):
            batch = positions[start : start + ITERATION_BATCH]
            yield from self._select(table, cls, "number", batch)

    def _select(self, *selection: Any) -> list[Any]:
        """Return what `_read_rows` returns; a file that is damaged is built again first."""
        if self.process != os.getpid():  # a fork: connections are not for two processes
            self._reopen()
        try:
            return self._read_rows(*selection)
        except DAMAGE as error:
            self._store.note_damage(self.version, error)
            self._reopen()
            return self._read_rows(*selection)

    def _read_rows(
        self, table: str, cls: type[Record], column: str, wanted: Collection
    ) -> list[Record]:
        """Return the records whose column `number` or `key` is one of the wanted values.

        Raises one of DAMAGE if a row is missing, or has another content than was written.
        """
        # a list as one value of JSON, because the number of values in a statement is limited
        sql = (
            f"select value from {table} where {column} in (select value from json_each(?)) "
            "order by number"
        )
        values = query(self._connection, sql, [json.dumps(list(wanted))])
        row_type: Any = tuple[int, cls]  # type: ignore[valid-type]  # by the caller
        decode = msgspec.msgpack.Decoder(row_type).decode
        rows = [decode(lz4.frame.decompress(value)) for (value,) in values]

        numbers = [number for number, _ in rows]
        records = [record for _, record in rows]
        found = numbers if column == "number" else [record.doc_id for record in records]
        if numbers != sorted(set(numbers)) or not set(found).issubset(wanted):
            raise RuntimeError(f"{table} has rows in the place of others")
        # all numbers are there, but an id that is not found may be unknown
        if len(found) < len(wanted) and (column == "number" or not self._has_all_ids()):
            raise RuntimeError(f"rows of {table} are missing, or their ids changed")
        return records

    def _has_all_ids(self) -> bool:
        """Return whether the index has the ids that were written; it is read once."""
        if not self._is_index_checked:
            self._is_index_checked = hash_ids(self._connection) == self.about.ids_hash
        return self._is_index_checked

    def _reopen(self) -> None:
        """Go on with the store's present file, built first if need be, of the same content."""
        tables = self._store.open()
        if tables.fingerprint != self.fingerprint:
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
        self._is_index_checked = False
        (self.about,) = self._read_rows("about", About, "number", range(1))
        self.fingerprint = self.about.fingerprint()


def _connect(path: Path, option: str) -> sqlite3.Connection:
    """Return a connection that any thread may use; option: of SQLite's addresses of files."""
    address = f"{path.absolute().as_uri()}?{option}"
    with SQLITE_LOCK:
        return sqlite3.connect(address, uri=True, check_same_thread=False)


def query(connection: sqlite3.Connection, sql: str, values: Sequence = ()) -> list[tuple]:
    """Run a statement with these values, and return its rows."""
    with SQLITE_LOCK:
        return connection.execute(sql, values).fetchall()


def hash_ids(connection: sqlite3.Connection) -> str:
    """Return a hash of the documents' ids, as the index has them."""
    return _hash_values(query(connection, "select key from docs order by key"))


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
        version = read_version(file.place())
    except FileNotFoundError:
        return state.digest == file.digest  # only the release's is not missed
    if version.size != state.size:
        return False
    return version.mtime_ns == state.mtime_ns or file.hash() == state.digest


class StoredDocs(DocstoreBackedDocs):
    """The documents of a store; namespace: the collection's name, in which ids are unique."""

    def __init__(self, store: Store, namespace: str, lang: str = "en") -> None:
        super().__init__(store.open, store.cls, namespace, lang)
        self.store = store

    def docs_count(self) -> int | None:
        """Return the number of documents, or None while their files are not downloaded."""
        return self.docs_store().count() if self.store.is_available() else None

    def docs_fingerprint(self) -> str:
        """Return a hash of what the documents are made from, and of their fields."""
        return self.store.open().fingerprint


class Documents:
    """Iterates over documents at some positions; ``[i]`` and ``[i:j]`` select parts of the rest.

    store: has `rows`, which yields the documents at a range of positions.
    """

    def __init__(self, store: Any, positions: range) -> None:
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
        return next(self._store.rows(range(position, position + 1)))
