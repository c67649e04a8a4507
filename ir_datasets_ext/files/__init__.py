"""The files of a release: found, or downloaded and verified before they get their names."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from ir_datasets_ext.files.download import DownloadError, FigshareFile, Source, ZenodoFile

__all__ = ["DownloadError", "FigshareFile", "PackagedFile", "Release", "Source", "ZenodoFile"]

#: repository that states a file's address and md5 -> class
REPOSITORIES = {"figshare": FigshareFile, "zenodo": ZenodoFile}


def packaged(package: str, name: str) -> Path:
    """Return the path of a file in the folder of a Python package."""
    return Path(str(resources.files(package)), name)


@dataclass(frozen=True)
class PackagedFile:
    """A file shipped in a Python package, offered as a `Source`; it is always present."""

    package: str
    name: str

    def present(self) -> bool:
        """Return True."""
        return True

    def place(self) -> Path:
        """Return the path of the file inside the package."""
        return packaged(self.package, self.name)

    path = place

    def check(self) -> str:
        """Return "": the package vouches for its files."""
        return ""


class Release:
    """The files of a collection, as ``files.json`` in its folder lists them.

    That is an object from key to the fields of a `Source` (url, name, algorithm, digest, …). With
    ``"repository": "figshare"`` or ``"zenodo"``, url is the record's, which states the md5. With
    ``"repository": "package"`` the file is in the collection's folder.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    package: the Python package in the collection's folder (``__name__`` there).
    notice: licence and citation, logged before the first download.
    """

    def __init__(self, name: str, package: str, notice: str = "") -> None:
        self.name, self.package, self.notice = name, package, notice

    @cached_property
    def sources(self) -> dict[str, Source | PackagedFile]:
        """The files by key; users with a mirror may set another `url` on them."""
        entries = json.loads(packaged(self.package, "files.json").read_text("utf-8"))
        return {key: self._source(**entry) for key, entry in entries.items()}

    def _source(self, repository: str = "", **fields: Any) -> Source | PackagedFile:
        if repository == "package":
            return PackagedFile(self.package, **fields)
        defaults = {"collection": self.name, "notice": self.notice}
        return REPOSITORIES.get(repository, Source)(**{**defaults, **fields})

    def files(self, *keys: str) -> list[Source | PackagedFile]:
        """Return the files of these keys."""
        return [self.sources[key] for key in keys]

    def place(self, key: str) -> Path:
        """Return where a file is, or belongs."""
        return self.sources[key].place()

    def path(self, key: str) -> Path:
        """Return the path of a file, downloaded if need be; warn if it is not the release's."""
        path = self.sources[key].path()
        self.sources[key].check()
        return path

    def count(self, read: Callable[[], Iterable], *keys: str) -> int | None:
        """Return how many records `read()` yields; None if one of these files is missing."""
        if not all(source.present() for source in self.files(*keys)):
            return None
        return sum(1 for _ in read())
