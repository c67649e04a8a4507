"""Values by key in a folder of files that are written once."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from operator import methodcaller
from pathlib import Path

import numpy as np

from ir_datasets_ext.store.disk import HOME, say_once
from ir_datasets_ext.store.files import alone, ensure_writable, new_file, remove, sweep
from ir_datasets_ext.store.segment import Damaged, Entry, names_of, opened, salvaged, write_entries

ENDING, ASIDE = ".entries", ".damaged"
SMALL, MANY = 2**20, 32  # bytes; when the last MANY files are SMALL, they become one
TRIES = 10  # while other processes merge the files that are read


class Entries:
    """Values by key, both bytes, in a folder that `put_many` makes; a key's first value stays.

    Each `put_many` writes a new file, as a whole or not at all, and many small files become one.
    Processes and threads may share a folder, even on a network or read-only disk, and be killed at
    any moment. Every value is checked with its key against a digest as it is read. All whole
    entries of a damaged file are kept, with one warning.

    private: whether only its owner may read it; by default the umask decides.
    aside: whether a damaged file is kept, under a name that ends in ".damaged".
    lost: what becomes of the other entries in a damaged file. remedy: if it is not writable.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        private: bool = False,
        aside: bool = False,
        lost: str = "",
        remedy: str = HOME,
    ) -> None:
        self.folder, self.private, self.aside = Path(folder), private, aside
        self.lost, self.remedy = lost, remedy

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of `keys`, without the missing ones."""
        keys = list(dict.fromkeys(keys))
        places = {key: place for place, key in enumerate(keys)}
        names, left = names_of(keys), np.ones(len(keys), bool)
        values: dict[bytes, bytes] = {}
        for _ in range(TRIES if keys else 0):
            moved = False
            for path in self.files():
                look = methodcaller("get_many", keys, names, np.flatnonzero(left))
                entries = self._read(path, look)
                moved, entries = moved or entries is None, entries or {}
                new = [key for key in entries if key in places and key not in values]
                values.update((key, entries[key]) for key in new)
                left[[places[key] for key in new]] = False
            if not moved:
                break
        return values

    def put_many(self, entries: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """Store a dict of entries, or raise OSError; return it with the earlier values of keys."""
        with alone(self.folder, self.remedy, self.private):
            known = self.get_many(entries)
            if new := {key: value for key, value in entries.items() if key not in known}:
                self._write(new)
        return {**entries, **known}

    def ensure_writable(self) -> None:
        """Raise OSError with the remedy if the folder is not writable."""
        ensure_writable(self.folder, self.remedy, self.private)

    def clear(self) -> None:
        """Remove all entries, and the folder if nothing else is in it."""
        for path in (*self.files(), *self.files(ENDING + ASIDE)):
            remove(path)
        sweep(self.folder)
        with suppress(OSError):
            self.folder.rmdir()

    def __iter__(self) -> Iterator[Entry]:
        """Yield keys and values in the order in which they were stored."""
        done: set[bytes] = set()
        for path in self.files():
            for key, value in (self._read(path, iter) or {}).items():
                if key not in done:
                    done.add(key)
                    yield key, value

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def files(self, ending: str = ENDING) -> list[Path]:
        """Return the files' paths, in the order of their entries."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return [
                self.folder / name
                for name in sorted(os.listdir(self.folder))
                if name.endswith(ending)
            ]
        return []

    def _read(self, path: Path, read: Callable[..., Iterable[Entry]]) -> dict[bytes, bytes] | None:
        """Return what `read` gets from a file's segment, all if damaged; None if it is missing."""
        with suppress(FileNotFoundError):  # another process merged it, or made room
            try:
                entries = dict(read(opened(path)))
            except Damaged as error:
                return self._mended(path, error)
            if entries:
                with suppress(OSError):  # a file of another user
                    os.utime(path)  # for a clean-up by age
            return entries
        return None

    def _mended(self, path: Path, error: Damaged) -> dict[bytes, bytes]:
        """Return the whole entries of a damaged file, and replace it by them if possible."""
        whole = dict(salvaged(path))
        say_once(f"{error}. {len(whole)} whole entries in it are used. {self.lost}", path)
        with suppress(OSError):
            if whole:
                self._new_file(_number(path), whole.items())
            if self.aside:
                os.replace(path, path.with_name(path.name + ASIDE))
            remove(path)
        return whole

    def _write(self, new: Mapping[bytes, bytes]) -> None:
        files = self.files()
        merged = _small(files)
        pairs = [pair for path in merged for pair in (self._read(path, iter) or {}).items()]
        number = _number(merged[0]) if merged else 1 + max(map(_number, files), default=0)
        self._new_file(number, [*pairs, *new.items()])
        for path in merged:
            remove(path)

    def _new_file(self, number: int, pairs: Iterable[Entry]) -> None:
        path = self.folder / f"{number:08d}-{secrets.token_hex(8)}{ENDING}"
        with new_file(path, "wb", private=self.private) as file:
            write_entries(file, pairs)


def _small(files: Sequence[Path]) -> Sequence[Path]:
    """Return the last small files if there are enough of them to merge, else none."""
    small: list[Path] = []
    with suppress(FileNotFoundError):  # another process removed one, to make room
        small += takewhile(lambda path: path.stat().st_size < SMALL, reversed(files))
    return small[::-1] if len(small) >= MANY else []


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])
