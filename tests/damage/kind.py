"""A kind of file that is kept on disk, as a declaration."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

EXACT, SAID, OWN = "exact", "said", "own"


@dataclass(frozen=True)
class Kind:
    """Files that belong together: how they are made, damaged and read.

    name: of the kind, for people.
    make: has the package write the files into a folder. Its second argument is whether they are to
        be those of before: an older release, a store with less in it, a model of other data. None
        where all of them come from others.
    read: what a user gets of that folder; its repr is compared.
    files: patterns of the files that are damaged, relative to the folder.
    beside: patterns of other files that `make` leaves, which are damaged as another kind, or are
        the test's own.
    promise: EXACT: the result is as before, or there is an error. SAID: a file may hold another
        content, and a warning that names it says so. OWN: its owner writes what he likes into it,
        so another content is another input; only errors are judged.
    given: what others write, and the making starts from: a release, a log. As `make`.
    writers: modules of the package that write files of this kind. Kinds with writers are killed,
        made twice at once, and made without room.
    slow: whether it is left out of the suite.
    """

    name: str
    make: Callable | None
    read: Callable
    files: tuple = ("*",)
    beside: tuple = ()
    promise: str = EXACT
    given: Callable | None = None
    writers: tuple = ()
    slow: bool = False

    def write(self, folder, before=False):
        """Write all of it."""
        for step in filter(None, (self.given, self.make)):
            step(folder, before)

    def paths(self, folder):
        """The files below `folder` that are damaged, sorted."""
        return [path for path in _files(folder) if _matches(path, folder, self.files)]

    def strangers(self, folder):
        """The files below `folder` that are in no pattern: somebody keeps what nobody declared."""
        known = (*self.files, *self.beside)
        return [path for path in _files(folder) if not _matches(path, folder, known)]


def _files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def _matches(path, folder, patterns):
    name = path.relative_to(folder).as_posix()
    return any(fnmatch(name, pattern) for pattern in patterns)
