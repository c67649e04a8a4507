"""The declaration of a kind of stored file."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

EXACT, SAID, OWN = "exact", "said", "own"


@dataclass(frozen=True)
class Kind:
    """Files that belong together: how to write, damage and read them.

    name: for people.
    make: writes the files into a folder with the package. The second argument asks for an older
        version: an older release, a store with fewer entries, a model of other data. None if
        others write all files.
    read: returns what a user reads from the folder; its repr is compared.
    files: patterns of the files to damage, relative to the folder.
    beside: patterns of other files that `make` writes; another kind or only the test uses them.
    promise: EXACT: the result is unchanged, or an error. SAID: a file may have another content,
        and a warning names it. OWN: a user may change the file, so another content is another
        input; only errors are judged.
    given: writes the input of `make` that others provide: a release, a log. Arguments as `make`.
    writers: modules of the package that write these files. Kinds with writers are also tested with
        interrupted writes, concurrent writes and full disks.
    slow: whether the test suite skips it.
    foreign: writes the same files for something else, such as another encoder's embeddings.
        Arguments as `make`.
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
    foreign: Callable | None = None

    def write(self, folder, before=False):
        """Write all files."""
        for step in filter(None, (self.given, self.make)):
            step(folder, before)

    def paths(self, folder):
        """List the files below `folder` to damage, sorted."""
        return [path for path in _files(folder) if _matches(path, folder, self.files)]

    def strangers(self, folder):
        """List the files below `folder` in no pattern: stored, but not declared."""
        known = (*self.files, *self.beside)
        return [path for path in _files(folder) if not _matches(path, folder, known)]


def _files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def _matches(path, folder, patterns):
    name = path.relative_to(folder).as_posix()
    return any(fnmatch(name, pattern) for pattern in patterns)
