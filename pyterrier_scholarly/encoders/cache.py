"""Vectors on disk, for later runs and other processes."""

import hashlib
import json
import os
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..settings import BySettings
from ._cache_files import described, make_room, remove, small
from ._segment import ENDING, TEMPORARY, Damaged, digest_of, entries_of, names_of, opened, write

ABOUT, LIMIT = "about.json", 2**34  # bytes

_said = set()


@dataclass(eq=False, repr=False)
class VectorCache(BySettings):
    """A folder of vectors, kept under what was encoded and the settings it was encoded with.

    Many processes may share one. A file bears its final name only when it is whole, and is never
    changed then: so there are no locks, and a process that is killed leaves all that it had written
    before. Every vector has a checksum; a file with a damaged one is dropped and its vectors are
    made anew. On a full disk, or where the folder cannot be written to, the run goes on without.
    Of both one warning tells. Nothing is pickled.

    Args:
        folder: None for $SCHOLARLY_CACHE, else ``pyterrier-scholarly`` in $XDG_CACHE_HOME, else in
            ``~/.cache``.
        limit: bytes; beyond it the files that were used longest ago go. A file has what was written
            together, up to some thousand vectors.
    """

    folder: str | os.PathLike | None = None
    limit: int = LIMIT

    @property
    def path(self) -> Path:
        """The folder."""
        return _default() if self.folder is None else Path(self.folder).expanduser()

    @property
    def bytes(self) -> int:
        """What the vectors take on disk."""
        return sum(status.st_size for _, status in described(self.path, ENDING))

    def get_many(self, settings, keys) -> dict:
        """Those of `keys` whose vectors are here.

        Args:
            settings: dict of JSON's types that names all that changes vectors but the key.
            keys: what was encoded: texts, or tuples of texts.

        Returns:
            Dict from key to the (k, d) float32 array that `put_many` was given, read-only.
        """
        left = {digest_of(key): key for key in keys}
        found = {}
        for path in self._folder(settings).glob(f"*{ENDING}"):
            if not left:
                break
            for digest, array in self._read(path, list(left)).items():
                found[left.pop(digest)] = array
        return found

    def put_many(self, settings, made):
        """Keep `made`, a dict from keys to (k, d) arrays of one d above 0; see `get_many`."""
        if not made:
            return
        folder = self._folder(settings)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / ABOUT).exists():  # for people who look
                (folder / ABOUT).write_text(json.dumps(settings, indent=1))
            new = entries_of([digest_of(key) for key in made], made.values())
            merged = small(folder, new.rows.shape[1])
            write(folder, [new, *merged.values()])
            for path in merged:
                remove(path)
            make_room(self.path, self.limit)
        except OSError as error:
            self._say(f"cannot be written to ({error}): the run goes on without")

    def clear(self):
        """Remove all vectors; what else is in the folder stays."""
        for ending in (ENDING, TEMPORARY, ABOUT):
            for path in self.path.glob(f"*/*{ending}"):
                remove(path)
        for folder in self.path.glob("*/"):
            with suppress(OSError):  # not empty, so not ours alone
                folder.rmdir()

    def _read(self, path, digests):
        """What the file at `path` holds of `digests`: a dict to arrays."""
        try:
            segment = opened(path)
            places = segment.places(names_of(digests))
            hits = np.flatnonzero(places >= 0)
            own = [digests[hit] for hit in hits]
            found = dict(zip(own, segment.read(places[hits], own)))
        except Damaged:
            self._say("has a damaged file: its vectors are made anew")
            remove(path)
            return {}
        except OSError:  # another process made room
            return {}
        if found:
            with suppress(OSError):  # not ours: then it cannot be removed either
                os.utime(path)
        return found

    def _folder(self, settings):
        canonical = json.dumps(settings, sort_keys=True).encode()
        return self.path / hashlib.sha256(canonical).hexdigest()[:32]

    def _say(self, what):
        kind = (self.path, what.split()[0])
        if kind not in _said:
            _said.add(kind)
            warnings.warn(f"The cache of vectors in {self.path} {what}.", stacklevel=4)


def as_cache(choice):
    """The VectorCache for what a user passes.

    Args:
        choice: None or False for none, True for the default folder, a folder, a VectorCache or
            another object with its methods `get_many` and `put_many`.
    """
    if choice is None or choice is False:
        return None
    if hasattr(choice, "get_many"):
        return choice
    return VectorCache(None if choice is True else choice)


def _default():
    home = os.environ.get("SCHOLARLY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) if home else Path(base, "pyterrier-scholarly")
