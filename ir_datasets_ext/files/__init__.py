"""The files of a release: found, or downloaded and verified before they get their names."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from ir_datasets_ext.files.download import DownloadError, PackagedFile, Source, packaged
from ir_datasets_ext.files.transfer import MOST_BYTES, check_stated, shown_address, transferred
from ir_datasets_ext.records import Json
from ir_datasets_ext.store import say_once
from ir_datasets_ext.store.disk import Origin, stamp

__all__ = ["DownloadError", "FigshareFile", "PackagedFile", "Release", "Source", "ZenodoFile"]

RECORD_SECONDS, RECORD_BYTES = 120, 2**24  # the most that a repository's record may take
_compared: set[tuple] = set()  # (path, stamp) of files compared with their repository's md5


@dataclass(repr=False)
class StatedFile(Source):
    """A `Source` whose repository states address and md5; they are requested when needed.

    url: the record's address in the repository's API. A subclass says what a record states:
    address, md5, and size or None.
    """

    HOST: ClassVar[str] = ""  #: the repository's name
    PAGE: ClassVar[tuple[str, str]] = ("", "")  #: for `re.sub`: makes the record's page of `url`

    def check(self) -> str:
        """Warn, once per process, if the existing file's md5 differs, or is not stated.

        The file is used anyway. Returns the warning that it differs, or "".
        """
        place = self.place()
        if (place, *stamp(place)) not in _compared:
            _compared.add((place, *stamp(place)))
            try:
                return self._release().check()
            except DownloadError as error:
                say_once(
                    f"{place} was not compared with the release's, and is used as it is: {error}"
                )
        return ""

    def _download(self, place: Path) -> None:
        try:
            self._release()._download(place)
        except DownloadError as error:
            page = re.sub(*self.PAGE, shown_address(self.url))
            raise DownloadError(
                f"{error} {self.HOST} rejects some programs. To do it by hand, open {page} in a "
                f"browser, download {self.name}, and move it to {place}"
            ) from error
        _compared.add((place, *stamp(place)))

    def _stated(self, record: Json) -> tuple[str, str, int | None]:
        raise NotImplementedError

    def _release(self) -> Source:
        """Return the `Source` that the record describes; raise DownloadError if it is unknown."""
        address = shown_address(self.url)
        try:
            record = json.loads(b"".join(transferred(self.url, RECORD_SECONDS, RECORD_BYTES, 1)))
        except (OSError, ValueError, RecursionError) as error:
            raise DownloadError(
                f"the md5 of {self.name} could not be requested from {address}: {error}."
            ) from error
        try:
            url, md5, size = self._stated(record)
            check_stated(url, md5, size)
        except (KeyError, TypeError, ValueError) as error:
            raise DownloadError(
                f"the record at {address} does not state address and md5 of {self.name} as "
                f"{self.HOST}'s records do ({type(error).__name__}: {error})."
            ) from error
        limits = (self.notice, False, size or MOST_BYTES, self.seconds)
        return Source(self.collection, self.name, url, "md5", md5.lower(), *limits)


@dataclass(repr=False)
class FigshareFile(StatedFile):
    """A file of the article at https://api.figshare.com/v2/articles/<number>."""

    HOST = "figshare"
    PAGE = (".*/", "https://figshare.com/articles/dataset/_/")

    def _stated(self, record: Json) -> tuple[str, str, int | None]:
        (entry,) = (file for file in record["files"] if file["name"] == self.name)
        md5 = entry.get("computed_md5") or entry.get("supplied_md5")
        return entry["download_url"], md5, entry.get("size")


@dataclass(repr=False)
class ZenodoFile(StatedFile):
    """A file of the record at https://zenodo.org/api/records/<number>."""

    HOST = "Zenodo"
    PAGE = ("/api/records/", "/records/")

    def _stated(self, record: Json) -> tuple[str, str, int | None]:
        (entry,) = (file for file in record["files"] if file["key"] == self.name)
        md5 = str(entry["checksum"]).removeprefix("md5:")
        return entry["links"]["self"], md5, entry.get("size")


#: repository that states a file's address and md5 -> class
REPOSITORIES = {"figshare": FigshareFile, "zenodo": ZenodoFile}


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
    def sources(self) -> dict[str, Origin]:
        """The files by key; users with a mirror may set another `url` on them."""
        entries = json.loads(packaged(self.package, "files.json").read_text("utf-8"))
        return {key: self._source(**entry) for key, entry in entries.items()}

    def _source(self, repository: str = "", **fields: Json) -> Origin:
        if repository == "package":
            return PackagedFile(self.package, **fields)
        fields = {"collection": self.name, "notice": self.notice, **fields}
        return REPOSITORIES.get(repository, Source)(**fields)

    def files(self, *keys: str) -> list[Origin]:
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
        complete = all(source.present() for source in self.files(*keys))
        return sum(1 for _ in read()) if complete else None
