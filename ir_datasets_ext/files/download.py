"""One file of a release: found, or downloaded and verified before it gets its name."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import ir_datasets

from ir_datasets_ext.files.transfer import MOST_BYTES, MOST_SECONDS, stated_sha256, transferred
from ir_datasets_ext.store import new_file, say_once
from ir_datasets_ext.store.files import alone, collection_folder, file_hash, stamp, sweep, writing

RECORD_SECONDS, RECORD_BYTES = 120, 2**24  # the most that a repository's record may take

_logger = ir_datasets.log.easy()
_announced: set[str] = set()
_compared: set[tuple] = set()  # (path, stamp) of files compared with their repository's md5


class DownloadError(OSError):
    """A file could not be downloaded, or differs from the release's; nothing was kept."""


@dataclass
class Source:
    """One file of a release, at ``<home>/<collection>/<name>``.

    An existing file is used whatever its content. Otherwise `path` downloads it.

    url: the address; users with a mirror may set another one. With "", users place the file.
    algorithm, digest: md5, sha256 or git-blob, and the hex digest of the release's file; None if
        unknown.
    uncertain: whether the digest may be wrong. Then a download is also right if it has the sha256
        that its server states (the Hugging Face hub does). A log line says which one matched.
    notice: logged once per process and collection, before its first download.
    most, seconds: the most bytes and the longest time of a download.
    """

    collection: str
    name: str
    url: str
    algorithm: str | None = None
    digest: str | None = None
    notice: str = ""
    uncertain: bool = False
    most: int = MOST_BYTES
    seconds: float = MOST_SECONDS

    def place(self) -> Path:
        """Return where the file belongs under ir_datasets' present home."""
        return collection_folder(self.collection) / self.name

    def present(self) -> bool:
        """Return whether the file exists, so no download is needed."""
        return self.place().is_file()

    def path(self) -> Path:
        """Return the path of the file; download it first if it is missing.

        Raises DownloadError if the download fails or its hash differs from the release's. Raises
        OSError if the folder is not writable.
        """
        place = self.place()
        if not place.is_file():
            with alone(place.parent):
                if not place.is_file():  # another process may have fetched it meanwhile
                    self._download(place)
        sweep(place.parent)
        return place

    def check(self) -> str:
        """Warn, once per process, if the existing file's hash differs from the release's.

        Returns the warning, or "", so that the store built from the file can repeat it.
        """
        place = self.place()
        if not (self.digest and self.algorithm) or file_hash(place, self.algorithm) == self.digest:
            return ""
        remark = (
            f"{place} is not the release's file: figures may differ; delete it to download "
            f"the release's (expected {self._expected()})"
        )
        say_once(remark)
        return remark

    def _expected(self) -> str:
        known = " (likely, but uncertain)" if self.uncertain else ""
        return f"{self.algorithm} {self.digest}{known}"

    def _download(self, place: Path) -> None:
        if not self.url:
            raise DownloadError(f"{self.name} cannot be downloaded: put the file at {place}.")
        if self.notice and self.collection not in _announced:
            _announced.add(self.collection)
            _logger.info(self.notice)
        remedy = (
            f"Nothing was kept. Try again, or put the file at {place} by hand: an existing file "
            "is used as it is. If this persists, please report it."
        )
        with new_file(place, "wb") as file:
            try:
                with writing(place.parent):
                    file.writelines(transferred(self.url, self.seconds, self.most))
                    file.flush()
            except OSError as error:  # the errors of requests are among these
                message = f"{self.name} could not be downloaded from {self.url}: {error}. {remedy}"
                raise DownloadError(message) from error
            part = Path(file.name)
            actual = file_hash(part, str(self.algorithm)) if self.digest else None
            if actual != self.digest and not (self.uncertain and self._stated_by_server(part)):
                raise DownloadError(
                    f"{self.name} as downloaded from {self.url} is not the release's file: "
                    f"expected {self._expected()}, got {actual} "
                    f"({part.stat().st_size} bytes). {remedy}"
                )

    def _stated_by_server(self, part: Path) -> bool:
        """Return whether the server states the sha256 of `part`; then it replaces our digest."""
        stated = stated_sha256(self.url)
        if stated != file_hash(part, "sha256"):
            return False
        _logger.info(
            f"{self.name}: its server states sha256 {stated}, which matches; our uncertain digest "
            f"{self.digest} does not. The server's was used"
        )
        self.algorithm, self.digest = "sha256", stated
        return True


@dataclass
class StatedFile(Source):
    """A `Source` whose repository states address and md5; they are requested when needed.

    url: the record's address in the repository's API; `algorithm` and `digest` are not used.
    A subclass has the repository's name (`HOST`), the address of the record's page (`_page`), and
    what a record states of the file (`_stated`): address, md5, and size or None. A file without an
    md5 is not downloaded.
    """

    HOST: ClassVar[str] = ""

    def check(self) -> str:
        """Warn, once per process, if the existing file's md5 differs from the stated one.

        Warn as well if the repository does not answer; the file is used anyway. Returns the
        warning that the file differs, or "".
        """
        place = self.place()
        if (place, *stamp(place)) in _compared:
            return ""
        _compared.add((place, *stamp(place)))
        try:
            return self._release().check()
        except DownloadError as error:
            say_once(f"{place} was not compared with the release's, and is used as it is: {error}")
            return ""

    def _download(self, place: Path) -> None:
        try:
            self._release()._download(place)
        except DownloadError as error:
            raise DownloadError(
                f"{error} {self.HOST} rejects some programs. To do it by hand, open "
                f"{self._page()} in a browser, download {self.name}, and move it to {place}"
            ) from error
        _compared.add((place, *stamp(place)))

    def _page(self) -> str:
        raise NotImplementedError

    def _stated(self, record: Any) -> tuple[str, str, int | None]:
        raise NotImplementedError

    def _release(self) -> Source:
        """Return the `Source` that the record describes; raise DownloadError if it is unknown."""
        try:
            record = json.loads(b"".join(transferred(self.url, RECORD_SECONDS, RECORD_BYTES, 1)))
        except (OSError, ValueError, RecursionError) as error:
            raise DownloadError(
                f"the md5 of {self.name} could not be requested from {self.url}: {error}."
            ) from error
        try:
            url, md5, size = self._stated(record)
            _check(url, md5, size)
        except (KeyError, TypeError, ValueError) as error:
            raise DownloadError(
                f"the record at {self.url} does not state address and md5 of {self.name} as "
                f"{self.HOST}'s records do ({type(error).__name__}: {error})."
            ) from error
        limits = (self.notice, False, size or MOST_BYTES, self.seconds)
        return Source(self.collection, self.name, url, "md5", md5.lower(), *limits)


def _check(url: object, md5: object, size: object) -> None:
    """Raise ValueError unless a file can be downloaded and verified with these."""
    if not isinstance(url, str):
        raise ValueError(f"the address is {url!r:.100}: expected a text")
    if not (isinstance(md5, str) and re.fullmatch("[0-9a-fA-F]{32}", md5)):
        raise ValueError(f"the md5 is {md5!r:.100}: expected 32 hex digits")
    if size is not None and (not isinstance(size, int) or size is True or size < 1):
        raise ValueError(f"the size is {size!r:.100}: expected a number of bytes")


@dataclass
class FigshareFile(StatedFile):
    """A file of the article at https://api.figshare.com/v2/articles/<number>."""

    HOST = "figshare"

    def _page(self) -> str:
        return f"https://figshare.com/articles/dataset/_/{self.url.rsplit('/', 1)[1]}"

    def _stated(self, record: Any) -> tuple[str, str, int | None]:
        (entry,) = (file for file in record["files"] if file["name"] == self.name)
        md5 = entry.get("computed_md5") or entry.get("supplied_md5")
        return entry["download_url"], md5, entry.get("size")


@dataclass
class ZenodoFile(StatedFile):
    """A file of the record at https://zenodo.org/api/records/<number>."""

    HOST = "Zenodo"

    def _page(self) -> str:
        return self.url.replace("/api/records/", "/records/")

    def _stated(self, record: Any) -> tuple[str, str, int | None]:
        (entry,) = (file for file in record["files"] if file["key"] == self.name)
        md5 = str(entry["checksum"]).removeprefix("md5:")
        return entry["links"]["self"], md5, entry.get("size")
