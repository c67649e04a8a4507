"""Files of records in repositories of data, checked against the md5 that the record states."""

import json
import re
from dataclasses import dataclass
from typing import ClassVar

from ir_datasets_ext.files.download import DownloadError, Source
from ir_datasets_ext.files.transfer import MOST_BYTES, transferred
from ir_datasets_ext.store import say_once
from ir_datasets_ext.store.files import stamp

RECORD_SECONDS, RECORD_BYTES = 120, 2**24  # in which a record must have arrived, and its most bytes

_asked = set()


@dataclass
class StatedFile(Source):
    """A `Source` whose address and md5 are asked of a repository when they are needed.

    url: the record's address in the repository's API; `algorithm` and `digest` are not used.
    A subclass says who is asked (`HOST`), where the record's page is (`_page`), and where a record
    states address, md5 and size, None where it does not (`_stated`). A file whose record states no
    md5 is not downloaded.
    """

    HOST: ClassVar[str] = ""
    _downloaded = None  # the stamp of the file that was verified before it got its name

    def check(self):
        """Warn, once per process, if the file that is there has not the md5 that is stated.

        Warn as well if the repository cannot be asked; the file is used all the same. Returns the
        warning that it is another file, or "".
        """
        place = self.place()
        if place in _asked or stamp(place) == self._downloaded:
            return ""
        _asked.add(place)
        try:
            return self._release().check()
        except DownloadError as error:
            say_once(f"{place} was not compared with the release's, and is used as it is: {error}")
            return ""

    def _download(self, place):
        try:
            self._release()._download(place)
        except DownloadError as error:
            raise DownloadError(
                f"{error} {self.HOST} turns some programs away. To do it by hand, open "
                f"{self._page()} in a browser, download {self.name}, and move it to {place}"
            ) from error
        self._downloaded = stamp(place)

    def _release(self):
        """Return the `Source` that the record describes; DownloadError when it cannot be had."""
        try:
            record = json.loads(b"".join(transferred(self.url, RECORD_SECONDS, RECORD_BYTES, 1)))
        except (OSError, ValueError, RecursionError) as error:
            raise DownloadError(
                f"the md5 of {self.name} could not be asked of {self.url}: {error}."
            ) from error
        try:
            url, md5, size = self._stated(record)
            _check(url, md5, size)
        except (KeyError, TypeError, ValueError) as error:
            raise DownloadError(
                f"the record at {self.url} does not state address and md5 of {self.name} where "
                f"{self.HOST}'s records do ({type(error).__name__}: {error})."
            ) from error
        limits = {"most": size or MOST_BYTES, "seconds": self.seconds}
        return Source(self.collection, self.name, url, "md5", md5.lower(), self.notice, **limits)


def _check(url, md5, size):
    """Raise ValueError unless these are what a file can be downloaded and verified by."""
    if not isinstance(url, str):
        raise ValueError(f"the address is {url!r:.100}: expected a text")
    if not (isinstance(md5, str) and re.fullmatch("[0-9a-fA-F]{32}", md5)):
        raise ValueError(f"the md5 is {md5!r:.100}: expected 32 hex digits")
    if size is not None and (type(size) is not int or size < 1):
        raise ValueError(f"the size is {size!r:.100}: expected a number of bytes")


@dataclass
class FigshareFile(StatedFile):
    """A file of the article at https://api.figshare.com/v2/articles/<number>."""

    HOST = "figshare"

    def _page(self):
        return f"https://figshare.com/articles/dataset/_/{self.url.rsplit('/', 1)[1]}"

    def _stated(self, record):
        (entry,) = (file for file in record["files"] if file["name"] == self.name)
        md5 = entry.get("computed_md5") or entry.get("supplied_md5")
        return entry["download_url"], md5, entry.get("size")


@dataclass
class ZenodoFile(StatedFile):
    """A file of the record at https://zenodo.org/api/records/<number>."""

    HOST = "Zenodo"

    def _page(self):
        return self.url.replace("/api/records/", "/records/")

    def _stated(self, record):
        (entry,) = (file for file in record["files"] if file["key"] == self.name)
        md5 = str(entry["checksum"]).removeprefix("md5:")
        return entry["links"]["self"], md5, entry.get("size")
