"""Values by key in a folder of files that are written once.

::

    entries = Entries("folder")
    entries.put_many({b"key": b"value"})
    entries.get_many([b"key", b"another"])  # {b"key": b"value"}
"""

import os
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.store.atomic_files import (
    ensure_writable,
    lock_folder,
    new_file,
    remove,
    sweep,
)
from ir_datasets_ext.store.entry_format import Entry, Numbers, name_keys
from ir_datasets_ext.store.plain_files import NoPlainFile
from ir_datasets_ext.store.segment import (
    Damaged,
    Segment,
    open_segment,
    salvage,
    write_entries,
)
from ir_datasets_ext.store.warn_once import warn_once
from ir_datasets_ext.store.write_errors import HOME_REMEDY

ENDING = ".entries"  # of a file's name
DAMAGED_ENDING = ENDING + ".damaged"
SMALL_FILE = 2**20  # bytes, exclusive
FEWEST_MERGED = 32  # small files; when the last so many are small, they become one
MOST_TRIES = 10  # to read, while other processes merge the files


class Entries:
    """Values by key, both bytes, in a folder that `put_many` makes; a key's first value stays.

    Each `put_many` writes a new file, as a whole or not at all, and many small files become one.
    Processes and threads may share a folder, even on a network or read-only disk, and be killed at
    any moment. Every value is checked with its key against a digest as it is read. All whole
    entries of a damaged file are kept, with one warning.

    Args:
        private: whether only its owner may read it; by default the umask decides.
        aside: whether a damaged file is kept, under a name that ends in ".damaged".
        lost: what becomes of the other entries in a damaged file, for the warning.
        remedy: for the error if the folder is not writable.
        binding: what the values belong to, at most 64 bytes. Entries from a folder with another
            binding are damaged here, even if somebody moves or copies their file.
        are_values: function that returns whether all stored bytes that it gets are valid values; a
            file with others is damaged, too. It gets all values that are read from a file at once,
            because one check of many is quick. In a damaged file it gets them one by one.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        private: bool = False,
        aside: bool = False,
        lost: str = "",
        remedy: str = HOME_REMEDY,
        binding: bytes = b"",
        are_values: Callable[[Collection[bytes]], bool] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.private = private
        self.aside = aside
        self.lost = lost
        self.remedy = remedy
        self.binding = binding
        self.are_values = are_values

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of `keys`, without the missing ones."""
        distinct_keys = list(dict.fromkeys(keys))
        missing = _NamedKeys(distinct_keys, name_keys(distinct_keys))
        values: dict[bytes, bytes] = {}

        for _ in range(MOST_TRIES):
            is_any_file_gone = False
            for path in self.files():
                if not missing.keys:
                    return values

                look_up = partial(Segment.get_many, keys=missing.keys, names=missing.names)
                entries = self._read(path, look_up)
                if entries is None:
                    is_any_file_gone = True
                    continue

                # not all `entries`: a damaged file returns those of other keys too
                for key in missing.keys:
                    if key in entries:
                        values[key] = entries[key]
                missing = missing.leave_out(values)

            # another process has merged a file that is gone into a new one: look there, too
            if not is_any_file_gone:
                break
        return values

    def put_many(self, entries: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """Store a dict of entries, or raise OSError; return it with the earlier values of keys."""
        with lock_folder(self.folder, self.remedy, self.private):
            earlier_values = self.get_many(entries)
            new_entries = {
                key: value for key, value in entries.items() if key not in earlier_values
            }
            if new_entries:
                self._write(new_entries)
        return {**entries, **earlier_values}

    def ensure_writable(self) -> None:
        """Raise OSError with the remedy if the folder is not writable."""
        ensure_writable(self.folder, self.remedy, self.private)

    def clear(self) -> None:
        """Remove all entries, and the folder if nothing else is in it."""
        for path in self.files():
            remove(path)
        for path in self.files(DAMAGED_ENDING):  # those that were set aside
            remove(path)
        sweep(self.folder)  # temporary files of interrupted calls

        with suppress(OSError):  # files of others are in it
            self.folder.rmdir()

    def __iter__(self) -> Iterator[Entry]:
        """Yield keys and values in the order in which they were stored."""
        yielded: set[bytes] = set()
        for path in self.files():
            entries = self._read(path, iter) or {}
            for key, value in entries.items():
                if key not in yielded:
                    yielded.add(key)
                    yield key, value

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def files(self, ending: str = ENDING) -> list[Path]:
        """Return the files' paths, in the order of their entries."""
        try:
            names = os.listdir(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [self.folder / name for name in sorted(names) if name.endswith(ending)]

    def _read(
        self, path: Path, read: Callable[[Segment], Iterable[Entry]]
    ) -> dict[bytes, bytes] | None:
        """Return entries of one of the store's files, as a dict; None if the file is gone.

        A damaged file is mended: what is whole of it is returned. What is no file, such as a
        folder, is skipped with a warning.

        Args:
            path: of the file.
            read: function from the open file to the entries that the caller wants.
        """
        try:
            segment = open_segment(path, self.binding)
            entries = dict(read(segment))
            self._check_values(path, entries)
        except NoPlainFile as error:
            warn_once(f"{path} is skipped, because {error.strerror}. Remove it. {self.lost}", path)
            return {}
        except FileNotFoundError:  # another process merged it, or made room
            return None
        except Damaged as error:
            return self._mend(path, error)

        if entries:
            with suppress(OSError):  # a file of another user
                os.utime(path)  # for a clean-up by age
        return entries

    def _check_values(self, path: Path, entries: Mapping[bytes, bytes]) -> None:
        if self.are_values is None or not entries:
            return
        if not self.are_values(entries.values()):
            raise Damaged(f"{path} is damaged: a value in it is not of the expected form")

    def _mend(self, path: Path, error: Damaged) -> dict[bytes, bytes] | None:
        """Return the whole entries of a damaged file, and replace it by them if possible."""
        try:
            whole_entries = dict(salvage(path, self.binding))
        except FileNotFoundError:  # another process was faster
            return None
        if self.are_values is not None:
            whole_entries = {
                key: value for key, value in whole_entries.items() if self.are_values([value])
            }
        count = len(whole_entries)
        warn_once(f"{error}. {count} whole entries in it are used. {self.lost}", path)

        with suppress(OSError):  # a folder that is only read
            if whole_entries:
                self._write_file(_parse_number(path), whole_entries.items())
            if self.aside:
                os.replace(path, path.with_name(path.stem + DAMAGED_ENDING))
            remove(path)
        return whole_entries

    def _write(self, new_entries: Mapping[bytes, bytes]) -> None:
        """Write new entries to a file; if there are many small files, merge the last ones into it.

        The caller holds the folder's lock.
        """
        files = self.files()
        merged_files = _find_small_files(files)
        merged_entries: list[Entry] = []
        for path in merged_files:
            entries = self._read(path, iter)
            if entries is not None:
                merged_entries += entries.items()

        # numbers keep the order of the entries, so a merged file is in the place of the first one
        if merged_files:
            number = _parse_number(merged_files[0])
        else:
            last_number = max(map(_parse_number, files), default=0)
            number = last_number + 1

        self._write_file(number, [*merged_entries, *new_entries.items()])
        for path in merged_files:
            remove(path)

    def _write_file(self, number: int, entries: Iterable[Entry]) -> None:
        # the random part says that a name never stands for another content
        path = self.folder / f"{number:08d}-{secrets.token_hex(8)}{ENDING}"
        with new_file(path, "wb", private=self.private) as file:
            write_entries(file, entries, self.binding)


class _NamedKeys(NamedTuple):
    """Keys, and their names (n,) in files of entries, which are hashed once for all files."""

    keys: Sequence[bytes]
    names: Numbers

    def leave_out(self, found_keys: Collection[bytes]) -> "_NamedKeys":
        """Return these without the found keys."""
        is_left = [key not in found_keys for key in self.keys]
        return _NamedKeys(list(compress(self.keys, is_left)), self.names[is_left])


def _find_small_files(files: Sequence[Path]) -> Sequence[Path]:
    """Return the last small files if there are enough of them to merge, else none."""
    small_files: list[Path] = []
    with suppress(FileNotFoundError):  # another process removed one, to make room
        for path in reversed(files):
            if path.stat().st_size >= SMALL_FILE:
                break
            small_files.append(path)

    if len(small_files) < FEWEST_MERGED:
        return []
    small_files.reverse()  # in the order of their entries again
    return small_files


def _parse_number(path: Path) -> int:
    """Return the number with which the name of a file of entries begins; 0 without one."""
    digits = path.name.partition("-")[0]
    is_number = digits.isascii() and digits.isdigit()
    return int(digits) if is_number else 0
