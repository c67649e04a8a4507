"""Values by key in one SQLite file, for many processes, each of which may be killed.

::

    entries = Entries("folder")
    entries.put_many({b"key": b"value"})
    entries.get_many([b"key", b"another"])  # {b"key": b"value"}

The file has a rollback journal and not a write-ahead log. A log needs memory that all its readers
share, which network disks do not have, and two more files, which a folder that is only read cannot
get. Writers wait for each other instead. SQLite has no checksums, so each value is stored with one.
"""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4
from zlib import crc32

from ir_datasets_ext.atomic import FOLDER_REMEDY, ensure_writable, locked, remove, replacing
from ir_datasets_ext.warn_once import warn_once

FILE = "entries.sqlite"
DAMAGED_FILES = f"{FILE}.*.damaged"
LONGEST_WAIT = 60  # seconds, for processes that write
KEYS_TOGETHER = 500
ENTRIES_TOGETHER = 256
SMALLEST_ENTRY = 16  # bytes in the file, at least
PAGE_SIZE = 8192  # bytes, for values of a few KB
#: how an empty file begins
LAYOUT = f"""
pragma page_size = {PAGE_SIZE};
create table if not exists entries
    (number integer primary key, key blob unique, value blob, checksum integer);
"""
SELECT = "select number, key, value, checksum from entries"
INSERT = "insert or replace into entries (number, key, value, checksum) values (?, ?, ?, ?)"

Result = TypeVar("Result")
Row = tuple[int, bytes, bytes, int]  # number, key, value, checksum

#: Held while a file is open. A thread's locks of a file end when another one closes the file, and a
#: process that is forked meanwhile would take the locks of its parent's threads for its own.
_opened = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_opened.acquire, after_in_parent=_opened.release, after_in_child=_opened.release
    )
_checked_files: set[Path] = set()  # precious ones, which are checked once in a process


class Entries:
    """Values by key, both bytes, in a folder that `put_many` makes; a key's first value stays.

    Processes and threads may share a folder, even one that is only read, and be killed at any
    moment. Every value is checked with its key against a checksum as it is read. A damaged one
    counts as missing, with a warning. So does everything in a file that SQLite cannot read. (If
    the file's index is damaged, a value may be missing without a warning, unless it is precious.)

    Args:
        private: whether only its owner may read it; by default the umask decides.
        precious: whether values cannot be made again. Then the file is checked once in a process.
            Of a damaged file the whole values are kept, and a copy under a name with ".damaged".
        lost: what becomes of damaged values, for the warning.
        remedy: for the error if the folder is not writable.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        private: bool = False,
        precious: bool = False,
        lost: str = "",
        remedy: str = FOLDER_REMEDY,
    ) -> None:
        self.folder = Path(folder)
        self.path = self.folder / FILE
        self.private = private
        self.precious = precious
        self.lost = lost
        self.remedy = remedy

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of `keys`, without the missing ones."""
        distinct_keys = list(dict.fromkeys(keys))
        if not self._has_content():
            return {}
        return self._use(lambda connection: self._look_up(connection, distinct_keys))

    def put_many(self, entries: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """Store a dict of entries, or raise OSError; return it with the earlier values of keys."""
        self.ensure_writable()
        self._create()

        def put(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            connection.execute("begin immediate")
            earlier_values = self._look_up(connection, list(entries))
            new_rows = [
                (None, key, value, _checksum(key, value))
                for key, value in entries.items()
                if key not in earlier_values
            ]
            connection.executemany(INSERT, new_rows)  # also in the place of a damaged value
            connection.execute("commit")
            return earlier_values

        return {**entries, **self._use(put)}

    def ensure_writable(self) -> None:
        """Make the folder if it is missing; raise OSError with the remedy if it is not writable."""
        ensure_writable(self.folder, self.remedy, self.private)

    def clear(self) -> None:
        """Remove all entries, and the folder if nothing else is in it."""
        for name in (FILE, f"{FILE}-journal", f".{FILE}.lock"):
            remove(self.folder / name)
        for path in self.folder.glob(DAMAGED_FILES):
            remove(path)
        with suppress(OSError):  # files of others are in it
            self.folder.rmdir()

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys and values in the order in which they were stored."""
        last_number = 0
        while self._has_content():
            where = f"where number > {last_number} order by number limit {ENTRIES_TOGETHER}"
            rows = self._use(partial(_select, where=where))
            if not rows:
                return
            yield from self._leave_out_damaged(rows)
            last_number = rows[-1][0]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _has_content(self) -> bool:
        try:
            return self.path.stat().st_size > 0
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _create(self) -> None:
        """Make an empty file. SQLite's would be readable for all whom the umask lets in."""
        with _opened:
            if not self.path.exists():
                self.path.touch(0o600 if self.private else 0o666)

    def _use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Return what `work` does with a connection; a damaged file is mended first.

        Raises OSError with the remedy if the file cannot be read or written.
        """
        try:
            with self._connect() as connection:
                return work(connection)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._mend(error)

        with self._connect() as connection:
            return work(connection)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        # may be written, because a reader undoes what a killed process has begun
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        try:
            with (
                _opened,
                closing(
                    sqlite3.connect(address, LONGEST_WAIT, isolation_level=None, uri=True)
                ) as connection,
            ):
                connection.text_factory = bytes  # a damaged value may say that it is a text
                if self.precious and self.path not in _checked_files:
                    _check(connection)
                    _checked_files.add(self.path)
                (table_count,) = connection.execute("select count(*) from sqlite_master").fetchone()
                if table_count == 0:  # a new file, or one whose maker was killed
                    connection.executescript(LAYOUT)
                yield connection
        except sqlite3.OperationalError as error:
            if _is_damage(error):
                raise
            raise OSError(f"cannot read or write to {self.path}: {error}. {self.remedy}") from error

    def _look_up(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the whole values of distinct keys."""
        values: dict[bytes, bytes] = {}
        for start in range(0, len(keys), KEYS_TOGETHER):
            some_keys = keys[start : start + KEYS_TOGETHER]
            marks = ", ".join("?" * len(some_keys))
            rows = _select(connection, f"where key in ({marks})", some_keys)
            values.update(self._leave_out_damaged(rows))
        return values

    def _leave_out_damaged(self, rows: Iterable[Row]) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys and values, without the damaged ones; warn of these."""
        for row in rows:
            _, key, value, _ = row
            if _is_whole(row):
                yield key, value
            else:
                # of what can be made again, one warning for a file is enough
                about = (self.path, key) if self.precious else self.path
                warn_once(f"{self.path} is damaged: {key!r} has no value. {self.lost}", about)

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        """Replace a damaged file by an empty one, or if it is precious by its whole entries."""
        with locked(self.path, self.remedy):
            whole_rows: list[Row] = []
            if self.precious:
                with suppress(sqlite3.DatabaseError), self._connect() as connection:
                    _check(connection)
                    return  # another process has mended it
                whole_rows = self._salvage()
                name_of_copy = DAMAGED_FILES.replace("*", uuid4().hex[:12])
                with replacing(self.folder / name_of_copy, private=True) as new_path:
                    shutil.copyfile(self.path, new_path)

            with replacing(self.path, private=self.private, remedy=self.remedy) as new_path:
                with closing(sqlite3.connect(new_path)) as connection:
                    connection.executescript(LAYOUT)
                    connection.executemany(INSERT, whole_rows)
                    connection.commit()
                remove(f"{self.path}-journal")  # it would be applied to the new file
        count = len(whole_rows)
        warn_once(
            f"{self.path} is damaged: {error}. {count} whole entries in it are kept. {self.lost}",
            self.path,
        )

    def _salvage(self) -> list[Row]:
        """Return the whole entries of a damaged file, each of which is looked up by its number."""
        whole_rows: list[Row] = []
        highest_number = self.path.stat().st_size // SMALLEST_ENTRY
        with closing(sqlite3.connect(self.path)) as connection:
            connection.text_factory = bytes
            for number in range(1, highest_number + 1):
                with suppress(sqlite3.DatabaseError):
                    rows = _select(connection, f"where number = {number}")
                    whole_rows += [row for row in rows if _is_whole(row)]
        return whole_rows


def _select(
    connection: sqlite3.Connection, where: str, arguments: Sequence[bytes] = ()
) -> list[Row]:
    return connection.execute(f"{SELECT} {where}", arguments).fetchall()


def _checksum(key: bytes, value: bytes) -> int:
    """Return the CRC-32 of key and value, so that a value under another key is found out."""
    return crc32(value, crc32(key))


def _is_whole(row: Row) -> bool:
    """Return whether an entry is as it was written; what is damaged may be of any type."""
    _, key, value, checksum = row
    are_bytes = isinstance(key, bytes) and isinstance(value, bytes)
    return are_bytes and _checksum(key, value) == checksum


def _check(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError unless the file's pages agree with each other."""
    (problem,) = connection.execute("pragma integrity_check(1)").fetchone()
    if problem != b"ok":
        raise sqlite3.DatabaseError(problem.decode().replace("\n", " "))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error is about the content of a file, and not about its disk or the code.

    SQLite's general error, such as "no such table", comes of damage to the table's description.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return type(error) is sqlite3.DatabaseError or code == sqlite3.SQLITE_ERROR
