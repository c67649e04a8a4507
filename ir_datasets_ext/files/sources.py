"""The files that a collection consists of: named in ``etc/downloads.json``, or shipped here."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ir_datasets_ext.files.download import Source
from ir_datasets_ext.files.stated import FigshareFile, ZenodoFile

PACKAGE = Path(__file__).parents[1]
#: who states address and md5 of a file -> its class
REPOSITORIES = {"figshare": FigshareFile, "zenodo": ZenodoFile}


@dataclass(frozen=True)
class PackagedFile:
    """A file shipped in this package, offered as a `Source`: always there, nothing to check."""

    folder: str
    name: str

    def present(self):
        """Return True."""
        return True

    def place(self):
        """Return the path of the file inside the package."""
        return PACKAGE / self.folder / self.name

    path = place

    def check(self):
        """Return "": the package vouches for its files."""
        return ""


class Release:
    """The files of a collection.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    find_sources: a function that gives a dict from key to `Source`; called when a file is first
        needed.
    """

    def __init__(self, name, find_sources):
        self.name = name
        self._find_sources = find_sources

    @cached_property
    def sources(self):
        """The files by key; mirrors may set another `url` on them."""
        return self._find_sources()

    def files(self, *keys):
        """Return the files of these keys: a list of `Source`."""
        return [self.sources[key] for key in keys]

    def path(self, key):
        """Return the path of a file, downloaded if need be; warn if it is not the release's."""
        path = self.sources[key].path()
        self.sources[key].check()
        return path

    def count(self, read, *keys):
        """Return how many `read()` yields, or None while one of these files is not downloaded."""
        if not all(source.present() for source in self.files(*keys)):
            return None
        return sum(1 for _ in read())


def release_sources(collection, notice=""):
    """Return the files of `collection` in ``etc/downloads.json``: a dict from key to `Source`."""
    entries = json.loads((PACKAGE / "etc" / "downloads.json").read_text())[collection]
    said = {"collection": collection, "notice": notice}
    return {key: _source(**{**said, **entry}) for key, entry in entries.items()}


def _source(repository=None, **fields):
    return REPOSITORIES.get(repository, Source)(**fields)
