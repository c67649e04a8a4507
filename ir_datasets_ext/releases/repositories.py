"""Files in repositories whose records state a file's address and md5.

::

    file = ZenodoFile("tiny", "papers.jsonl", "https://zenodo.org/api/records/123")
    file.path()  # requests the record, downloads papers.jsonl, and compares the md5

A repository is a subclass of `StatedFile`, which says how its records look.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.releases.download import DownloadError, Source
from ir_datasets_ext.releases.transfer import MOST_BYTES, show_address, stream_bytes
from ir_datasets_ext.store import warn_once
from ir_datasets_ext.store.plain_files import Identity, identity_of
from ir_datasets_ext.typed_records import Json

RECORD_SECONDS = 120  # the longest time that a request of a record may take
LARGEST_RECORD = 2**24  # bytes
#: path and identity of each file that was compared with its repository's md5 in this process;
#: a file that was changed since has another identity
_compared_files: set[tuple[Path, Identity]] = set()


class Statement(NamedTuple):
    """What a repository's record states of a file; size: in bytes, None if it is not stated."""

    url: str
    md5: str
    size: int | None


@dataclass(repr=False)
class StatedFile(Source):
    """A `Source` whose repository states address and md5; they are requested when needed.

    url: the record's address in the repository's API. A subclass fills three hooks, which are
    called once a record is needed: `repository`, `page_address` and `_find_statement`.
    """

    @property
    def repository(self) -> str:
        """The repository's name, for errors."""
        raise NotImplementedError

    def page_address(self) -> str:
        """Return the address of the record's page, from which people download, for errors."""
        raise NotImplementedError

    def _find_statement(self, record: Json) -> Statement:
        """Return what a record states of this file; other records may raise anything."""
        raise NotImplementedError

    def check(self) -> str:
        """Compare the existing file's md5 with the record's; warn if they differ, and return why.

        - They differ: a warning is issued, and its text without the file's path is returned.
        - They are equal: nothing is issued, and "" is returned.
        - The record is not to be had: a warning says so, and "" is returned.
        - The same file was compared in this process before: "" is returned at once.
        """
        place = self.place()
        compared_file = (place, identity_of(place))
        if compared_file in _compared_files:
            return ""
        # noted before the request, so that a failed one is not repeated
        _compared_files.add(compared_file)

        try:
            source_in_record = self._request_source()
            return source_in_record.check()
        except DownloadError as error:
            warn_once(f"{place} was not compared with the release's, and is used as it is: {error}")
            return ""

    def read(self) -> bytes:
        """Return the file's content, downloaded first if it is missing; warn as `check` does."""
        content = super().read()
        self.check()
        return content

    def _download(self, place: Path) -> None:
        """Download the file to `place` from the address in the repository's record.

        `Source.path` calls this if the file is missing.
        """
        try:
            source_in_record = self._request_source()
            source_in_record._download(place)
        except DownloadError as error:
            raise DownloadError(
                f"{error} {self.repository} rejects some programs. To do it by hand, open "
                f"{self.page_address()} in a browser, download {self.name}, and move it to {place}"
            ) from error

        # the download compared it with the record's hash, so `check` need not do it again
        downloaded_file = (place, identity_of(place))
        _compared_files.add(downloaded_file)

    def _request_source(self) -> Source:
        """Return the `Source` that the record describes; raise DownloadError if it is unknown."""
        record = self._request_record()
        try:
            statement = self._find_statement(record)
            check_statement(statement)
        except (KeyError, TypeError, ValueError) as error:
            raise DownloadError(
                f"the record at {show_address(self.url)} does not state address and md5 of "
                f"{self.name} as {self.repository}'s records do ({type(error).__name__}: {error})."
            ) from error

        return Source(
            collection=self.collection,
            name=self.name,
            url=statement.url,
            algorithm="md5",
            digest=statement.md5.lower(),
            notice=self.notice,
            most=statement.size or MOST_BYTES,
            seconds=self.seconds,
        )

    def _request_record(self) -> Json:
        """Return the repository's record; raise DownloadError if it is not to be had."""
        try:
            pieces = stream_bytes(self.url, RECORD_SECONDS, LARGEST_RECORD, tries=1)
            return json.loads(b"".join(pieces))
        except (OSError, ValueError, RecursionError) as error:
            address = show_address(self.url)
            raise DownloadError(
                f"the md5 of {self.name} could not be requested from {address}: {error}."
            ) from error


@dataclass(repr=False)
class FigshareFile(StatedFile):
    """A file of the article at https://api.figshare.com/v2/articles/<number>."""

    repository = "figshare"

    def page_address(self) -> str:
        """Return the address of the article's page."""
        number = show_address(self.url).rpartition("/")[2]
        return f"https://figshare.com/articles/dataset/_/{number}"

    def _find_statement(self, record: Json) -> Statement:
        entries = [entry for entry in record["files"] if entry["name"] == self.name]
        (entry,) = entries  # raises unless it is one
        md5 = entry.get("computed_md5") or entry.get("supplied_md5")
        return Statement(entry["download_url"], md5, entry.get("size"))


@dataclass(repr=False)
class ZenodoFile(StatedFile):
    """A file of the record at https://zenodo.org/api/records/<number>."""

    repository = "Zenodo"

    def page_address(self) -> str:
        """Return the address of the record's page."""
        return show_address(self.url).replace("/api/records/", "/records/")

    def _find_statement(self, record: Json) -> Statement:
        entries = [entry for entry in record["files"] if entry["key"] == self.name]
        (entry,) = entries  # raises unless it is one
        md5 = str(entry["checksum"]).removeprefix("md5:")
        return Statement(entry["links"]["self"], md5, entry.get("size"))


def check_statement(statement: Statement) -> None:
    """Raise ValueError unless a file can be downloaded and verified with it."""
    url: object = statement.url
    md5: object = statement.md5
    size: object = statement.size
    if not isinstance(url, str):
        raise ValueError(f"the address is {url!r:.100}: expected a text")
    if not isinstance(md5, str) or not re.fullmatch("[0-9a-fA-F]{32}", md5):
        raise ValueError(f"the md5 is {md5!r:.100}: expected 32 hex digits")

    is_number = isinstance(size, int) and not isinstance(size, bool)
    if size is not None and (not is_number or size < 1):  # type: ignore[operator]
        raise ValueError(f"the size is {size!r:.100}: expected a number of bytes")
