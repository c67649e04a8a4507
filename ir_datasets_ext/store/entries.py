"""Values by key in a folder of files that are written once."""

import os
import secrets
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from ir_datasets_ext.store.files import (
    HOME,
    ensure_writable,
    locked,
    new_file,
    remove,
    say_once,
    sweep,
)
from ir_datasets_ext.store.files import writing as room
from ir_datasets_ext.store.segment import (
    Damaged,
    Segment,
    names_of,
    opened,
    salvaged,
    write_entries,
)

ENDING, ASIDE = ".entries", ".damaged"
SMALL, MANY = 2**20, 32  # files below so many bytes become one when the last so many are
TRIES = 10  # while other processes merge what we want to read


class Entries:
    """Values by key, both bytes, in a folder: what was put first stays, and comes first.

    Each `put_many` is a new file, and many small files become one. Processes and threads may share
    a folder, also on a network or read-only disk, and be killed at any moment: what was put is
    there as a whole or not at all. Every value is checked with its key against a digest as it is
    read. Of a damaged file all whole entries are kept, and a warning says so once.

    Args:
        folder: made when something is put in.
        private: whether its owner alone may read it; else as the umask says.
        aside: whether a damaged file is kept, under a name that ends in ".damaged".
        lost: what becomes of the other entries in a damaged file, a sentence.
        remedy: what to do where it cannot be written to, a sentence.
    """

    def __init__(self, folder, *, private=False, aside=False, lost="", remedy=HOME):
        self.folder, self.private, self.aside = Path(folder), private, aside
        self.lost, self.remedy = lost, remedy

    def get_many(self, keys) -> dict:
        """Return a dict of those of `keys` that are here, with their values."""
        keys = list(dict.fromkeys(keys))
        places = {key: place for place, key in enumerate(keys)}
        names, left, found = names_of(keys), np.ones(len(keys), bool), {}
        for _ in range(TRIES if keys else 0):
            moved = False
            for path in self.files():
                look = partial(
                    Segment.get_many, keys=keys, names=names, places=np.flatnonzero(left)
                )
                here = self._read(path, look)
                moved = moved or here is None
                hits = [key for key in here or () if key in places and key not in found]
                found.update((key, here[key]) for key in hits)
                left[[places[key] for key in hits]] = False
            if not moved:
                break
        return found

    def put_many(self, entries) -> dict:
        """Put a dict of entries in, and return it with the earlier values of keys that had one.

        Raises:
            OSError: the folder cannot be written to, or the disk is full; nothing was put in.
        """
        self.ensure_writable()
        with locked(self.folder), room(self.folder, self.remedy):
            sweep(self.folder)
            known = self.get_many(entries)
            new = {key: value for key, value in entries.items() if key not in known}
            if new:
                self._write(new)
        return {**entries, **known}

    def ensure_writable(self):
        """Raise OSError with the remedy if nothing can be put in."""
        if self.private:
            with suppress(OSError):  # which the next line reports
                self.folder.parent.mkdir(parents=True, exist_ok=True)
                self.folder.mkdir(mode=0o700, exist_ok=True)
        ensure_writable(self.folder, self.remedy)

    def clear(self):
        """Remove all entries, and the folder if nothing else is in it."""
        names = os.listdir(self.folder) if self.folder.is_dir() else ()
        for name in names:
            if name.endswith((ENDING, ENDING + ASIDE)):
                remove(self.folder / name)
        if names:
            sweep(self.folder)
            with suppress(OSError):
                self.folder.rmdir()

    def __iter__(self):
        """Yield keys and values in the order they were put in."""
        done = set()
        for path in self.files():
            for key, value in (self._read(path, iter) or {}).items():
                if key not in done:
                    done.add(key)
                    yield key, value

    def __len__(self):
        return sum(1 for _ in self)

    def files(self):
        """Return the files' paths, in the order of their entries."""
        with suppress(FileNotFoundError, NotADirectoryError):
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(ENDING))
            return [self.folder / name for name in names]
        return []

    def _read(self, path, read):
        """What `read` finds in the Segment at `path`, or all that is whole in it; None if gone."""
        try:
            found = dict(read(opened(path)))
        except Damaged as error:
            return self._mended(path, error)
        except FileNotFoundError:  # another process merged it, or made room
            return None
        if found:
            with suppress(OSError):  # not ours
                os.utime(path)  # for those who make room
        return found

    def _mended(self, path, error):
        """What is whole in a damaged file; it is put in the file's place, where that can be."""
        try:
            whole = dict(salvaged(path))
        except FileNotFoundError:
            return None
        say_once(f"{error}. {len(whole)} whole entries in it are used. {self.lost}", path)
        with suppress(OSError):
            if whole:
                self._new_file(_number(path), whole.items())
            if self.aside:
                os.replace(path, path.with_name(path.name + ASIDE))
            else:
                remove(path)
        return whole

    def _write(self, new):
        files = self.files()
        merged = _small(files)
        pairs = [pair for path in merged for pair in (self._read(path, iter) or {}).items()]
        number = _number(merged[0]) if merged else 1 + max(map(_number, files), default=0)
        self._new_file(number, [*pairs, *new.items()])
        for path in merged:
            remove(path)

    def _new_file(self, number, pairs):
        path = self.folder / f"{number:08d}-{secrets.token_hex(8)}{ENDING}"
        with new_file(path, "wb", private=self.private) as file:
            write_entries(file, pairs)


def _small(files):
    """The last of the files, if so many of them are small that they should become one."""
    count = 0
    with suppress(FileNotFoundError):  # removed meanwhile, to make room
        while count < len(files) and files[-1 - count].stat().st_size < SMALL:
            count += 1
    return files[-count:] if count >= MANY else []


def _number(path):
    return int(path.name.partition("-")[0])
