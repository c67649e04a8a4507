"""One file of a release: shipped, or downloaded and verified before it gets its name."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import ir_datasets

from ir_datasets_ext.releases.transfer import (
    MOST_BYTES,
    MOST_SECONDS,
    shown_address,
    stated_sha256,
    transferred,
)
from ir_datasets_ext.store import new_file, warn_once
from ir_datasets_ext.store.atomic_files import lock_folder, sweep
from ir_datasets_ext.store.hashes import content_hash, file_hash
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import NoPlainFile, check_plain
from ir_datasets_ext.store.write_errors import collection_folder, explain_write_errors

_logger = ir_datasets.log.easy()
_announced: set[str] = set()


class DownloadError(OSError):
    """A file could not be downloaded, or differs from the release's; nothing was kept."""


@dataclass(repr=False)
class Source(Origin):
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

    def __repr__(self) -> str:
        # the address of a mirror may have a login
        address = shown_address(self.url) if self.url else ""
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
        return self._compare(file_hash(self.place(), self.algorithm))

    def read(self) -> bytes:
        """Return the file's content, downloaded first if it is missing; for small files.

        Exactly these bytes are compared with the release's hash, with the warning of `check`.
        """
        content = self.path().read_bytes()
        if self.digest and self.algorithm:
            self._compare(content_hash(content, self.algorithm))
        return content

    def _compare(self, digest: str) -> str:
        """Warn if a file's hash is not the release's; return the warning without path, or ""."""
        if digest == self.digest:
            return ""
        remark = (
            "is not the release's file: figures may differ; delete it to download the release's "
            f"(expected {self._expected()})"
        )
        warn_once(f"{self.place()} {remark}")
        return remark

    def _ensure_downloaded(self, place: Path) -> None:
        """Download the file unless another process has done so meanwhile."""
        try:
            check_plain(place)
        except FileNotFoundError:
            self._download(place)
        except NoPlainFile as error:
            raise DownloadError(
                f"{place} cannot be read: {error.strerror}. Remove it to download the release's "
                "file, or put the file there."
            ) from None

    def _expected(self) -> str:
        doubt = " (likely, but uncertain)" if self.uncertain else ""
        return f"{self.algorithm} {self.digest}{doubt}"

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
        address = shown_address(self.url)
        with new_file(place, "wb") as file:
            try:
                with explain_write_errors(place.parent):
                    file.writelines(transferred(self.url, self.seconds, self.most))
                    file.flush()
            except OSError as error:  # the errors of requests are among these
                raise DownloadError(
                    f"{self.name} could not be downloaded from {address}: {error}. {remedy}"
                ) from error
            part = Path(file.name)
            actual = file_hash(part, str(self.algorithm)) if self.digest else None
            if actual != self.digest and not (self.uncertain and self._stated_by_server(part)):
                raise DownloadError(
                    f"{self.name} as downloaded from {address} is not the release's file: "
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


def packaged(package: str, name: str) -> Path:
    """Return the path of a file in the folder of a Python package."""
    return Path(str(resources.files(package)), name)


@dataclass(frozen=True)
class PackagedFile(Origin):
    """A file shipped in a Python package, which vouches for it."""

    package: str
    name: str

    def place(self) -> Path:
        """Return the path of the file inside the package."""
        return packaged(self.package, self.name)
