"""The files of a release: found, or downloaded and verified before they get their names."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from ir_datasets_ext.releases.download import DownloadError, PackagedFile, Source, packaged
from ir_datasets_ext.releases.transfer import MOST_BYTES, check_stated, shown_address, transferred
from ir_datasets_ext.store import warn_once
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import Identity, identity_of
from ir_datasets_ext.typed_records import DELETE, Json, MissingContent

__all__ = [
    "DownloadError",
    "FigshareFile",
    "MadeFrom",
    "MissingContent",
    "PackagedFile",
    "Release",
    "Source",
    "ZenodoFile",
]

RECORD_SECONDS, RECORD_BYTES = 120, 2**24  # the most that a repository's record may take
#: path and identity of each file that was compared with its repository's md5
_compared: set[tuple[Path, Identity]] = set()


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

        The file is used anyway. Returns the warning that it differs, without path, or "".
        """
        place = self.place()
        compared = place, identity_of(place)
        if compared in _compared:
            return ""

        _compared.add(compared)
        try:
            return self._release().check()
        except DownloadError as error:
            warn_once(f"{place} was not compared with the release's, and is used as it is: {error}")
            return ""

    def read(self) -> bytes:
        """Return the file's content, downloaded first if it is missing; `check` it beside."""
        content = super().read()
        self.check()
        return content

    def _download(self, place: Path) -> None:
        try:
            self._release()._download(place)
        except DownloadError as error:
            page = re.sub(*self.PAGE, shown_address(self.url))
            raise DownloadError(
                f"{error} {self.HOST} rejects some programs. To do it by hand, open {page} in a "
                f"browser, download {self.name}, and move it to {place}"
            ) from error
        _compared.add((place, identity_of(place)))

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

    def read(self, key: str) -> bytes:
        """Return a small file's content, downloaded if need be; warn if it is not the release's.

        What is returned is what was compared with the release's hash. A large file is read while a
        store is built from it, which compares it too.
        """
        return self.sources[key].read()


@dataclass(frozen=True)
class MadeFrom:
    """What the records of a dataset's part are made from.

    dataset_id: for errors. keys: of the release's files.
    content: what these files must have for it, for errors, such as "candidate pools".
    """

    release: Release
    dataset_id: str
    keys: tuple[str, ...]
    content: str

    def require_some(self, kind: str, read: Callable[[], Iterable]) -> Iterator:
        """Yield the records that `read` returns; raise MissingContent if there are none.

        No part of a release is empty. So the files present lack what this part is made from.
        """
        is_empty = True
        for record in read():
            is_empty = False
            yield record

        if is_empty:
            files = ", ".join(str(self.release.place(key)) for key in self.keys)
            raise MissingContent(
                f"{files}: expected {self.content}, from which {kind} of {self.dataset_id} are "
                f"made, got none. {DELETE}"
            )

    def count(self, read: Callable[[], Iterable]) -> int | None:
        """Return how many records `read` returns; None if one of the files is missing."""
        files = self.release.files(*self.keys)
        if not all(file.present() for file in files):
            return None
        return sum(1 for _ in read())
