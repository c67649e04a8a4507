"""One file of a release: downloaded and verified before it gets its name.

::

    file = Source("tiny", "papers.jsonl", "https://example.org/papers.jsonl", "md5", "7020deb4…")
    file.path()  # downloads it at the first call, if nobody has placed it by hand
"""

from dataclasses import dataclass
from pathlib import Path

import ir_datasets

from ir_datasets_ext.releases.transfer import (
    MOST_BYTES,
    MOST_SECONDS,
    request_sha256,
    show_address,
    stream_bytes,
)
from ir_datasets_ext.store import new_file, warn_once
from ir_datasets_ext.store.atomic_files import lock_folder, sweep
from ir_datasets_ext.store.hashes import content_hash, file_hash
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import NoPlainFile, check_plain
from ir_datasets_ext.store.write_errors import collection_folder, explain_write_errors

_logger = ir_datasets.log.easy()
_announced_collections: set[str] = set()


class DownloadError(OSError):
    """A file could not be downloaded, or differs from the release's; nothing was kept."""


@dataclass(repr=False)
class Source(Origin):
    """One file of a release, at ``<home>/<collection>/<name>``.

    An existing file is used whatever its content. Otherwise `path` downloads it.

    collection, name: folder and name of the file under ir_datasets' home.
    url: the address; users with a mirror may set another one. With "", users place the file.
    algorithm, digest: md5, sha256 or git-blob, and the hex digest of the release's file; None if
        unknown.
    notice: logged once per process and collection, before its first download.
    uncertain: whether the digest may be wrong. Then a download is also right if it has the sha256
        that its server states (the Hugging Face hub does). A log line says which one matched.
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

    def __repr__(self) -> str:
        # the address of a mirror may have a login
        address = show_address(self.url) if self.url else ""
        return f"{type(self).__name__}({self.collection!r}, {self.name!r}, {address!r})"

    def place(self) -> Path:
        """Return where the file belongs under ir_datasets' present home."""
        return collection_folder(self.collection) / self.name

    def path(self) -> Path:
        """Return the path of the file; download it first if it is missing.

        Raises DownloadError if the download fails, if its hash differs from the release's, or if a
        folder or the like is in the file's place. Raises OSError if the folder is not writable.
        """
        place = self.place()
        if not place.is_file():
            with lock_folder(place.parent):
                self._ensure_downloaded(place)
        sweep(place.parent)
        return place

    def check(self) -> str:
        """Warn, once per process, if the existing file's hash differs from the release's.

        Returns the warning without the file's path, or "", so that the store built from the file
        can repeat it wherever the file is then.
        """
        if not self.digest or not self.algorithm:
            return ""
        actual_digest = file_hash(self.place(), self.algorithm)
        return self._compare(actual_digest)

    def read(self) -> bytes:
        """Return the file's content, downloaded first if it is missing; for small files.

        Exactly these bytes are compared with the release's hash, with the warning of `check`.
        """
        content = self.path().read_bytes()
        if self.digest and self.algorithm:
            actual_digest = content_hash(content, self.algorithm)
            self._compare(actual_digest)
        return content

    def _compare(self, actual_digest: str) -> str:
        """Warn if a file's hash is not the release's; return the warning without path, or ""."""
        if actual_digest == self.digest:
            return ""
        remark = (
            "is not the release's file: figures may differ; delete it to download the release's "
            f"(expected {self._show_digest()})"
        )
        warn_once(f"{self.place()} {remark}")
        return remark

    def _ensure_downloaded(self, place: Path) -> None:
        """Download the file if it is missing; raise DownloadError if no file can be read there."""
        try:
            check_plain(place)  # another process may have downloaded it meanwhile
        except FileNotFoundError:
            self._download(place)
        except NoPlainFile as error:
            raise DownloadError(
                f"{place} cannot be read: {error.strerror}. Remove it to download the release's "
                "file, or put the file there."
            ) from None

    def _download(self, place: Path) -> None:
        """Download the file to `place`; raise DownloadError, and keep nothing, if that fails."""
        if not self.url:
            raise DownloadError(f"{self.name} cannot be downloaded: put the file at {place}.")
        self._announce()

        with new_file(place, "wb") as file:
            try:
                with explain_write_errors(place.parent):
                    pieces = stream_bytes(self.url, seconds=self.seconds, most=self.most)
                    file.writelines(pieces)
                    file.flush()
            except OSError as error:  # the errors of requests are among these
                address = show_address(self.url)
                raise DownloadError(
                    f"{self.name} could not be downloaded from {address}: {error}. "
                    f"{self._describe_remedy(place)}"
                ) from error

            # the file gets its final name behind this block, and none if this raises
            self._check_download(Path(file.name), place)

    def _announce(self) -> None:
        """Log the notice, once per process and collection."""
        if self.notice and self.collection not in _announced_collections:
            _announced_collections.add(self.collection)
            _logger.info(self.notice)

    def _check_download(self, downloaded: Path, place: Path) -> None:
        """Raise DownloadError unless a downloaded file is the release's, as far as it is known."""
        if not self.digest:
            return
        actual_digest = file_hash(downloaded, str(self.algorithm))
        if actual_digest == self.digest:
            return
        if self.uncertain and self._adopt_stated_digest(downloaded):
            return

        size = downloaded.stat().st_size
        raise DownloadError(
            f"{self.name} as downloaded from {show_address(self.url)} is not the release's file: "
            f"expected {self._show_digest()}, got {actual_digest} ({size} bytes). "
            f"{self._describe_remedy(place)}"
        )

    def _adopt_stated_digest(self, downloaded: Path) -> bool:
        """Replace our digest by the server's if that is the file's; return whether it is.

        Called for a file that our digest does not match, if we are not sure of it.
        """
        stated_digest = request_sha256(self.url)
        if stated_digest != file_hash(downloaded, "sha256"):
            return False

        _logger.info(
            f"{self.name}: its server states sha256 {stated_digest}, which matches; our uncertain "
            f"digest {self.digest} does not. The server's was used"
        )
        self.algorithm = "sha256"
        self.digest = stated_digest
        return True

    def _show_digest(self) -> str:
        doubt = " (likely, but uncertain)" if self.uncertain else ""
        return f"{self.algorithm} {self.digest}{doubt}"

    def _describe_remedy(self, place: Path) -> str:
        return (
            f"Nothing was kept. Try again, or put the file at {place} by hand: an existing file "
            "is used as it is. If this persists, please report it."
        )
