"""One file of a release: found, or downloaded and verified before it is put in its place."""

from dataclasses import dataclass
from pathlib import Path

import ir_datasets

from ir_datasets_ext.files.transfer import (
    MOST_BYTES,
    MOST_SECONDS,
    stated_sha256,
    transferred,
)
from ir_datasets_ext.store import new_file, say_once
from ir_datasets_ext.store.files import (
    alone,
    collection_folder,
    file_hash,
    sweep,
    writing,
)

_logger = ir_datasets.log.easy()
_announced = set()


class DownloadError(OSError):
    """A file could not be downloaded, or is not the release's; nothing of it was kept."""


@dataclass
class Source:
    """One file of a release, at ``<home>/<collection>/<name>``.

    A file that is there already is used whatever it holds. Otherwise `path` downloads `url`, which
    users with a mirror may set to another address; with ``url=""`` users place the file themselves.
    `algorithm` is md5, sha256 or git-blob, and `digest` the hex digest the release's file has; both
    None where it is not known. Where it is `uncertain`, a download is also right if it has the
    sha256 that its server states (the Hugging Face hub does); which of the two it was is logged.
    `notice` is logged once per process and collection before its first download. A download has at
    most `most` bytes, and takes at most `seconds`.
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

    def place(self):
        """Return where the file belongs under ir_datasets' present home."""
        return collection_folder(self.collection) / self.name

    def present(self):
        """Return whether the file is there without a download."""
        return self.place().is_file()

    def path(self):
        """Return the path of the file, which is downloaded first if it is not there.

        Raises DownloadError when it cannot be had or has another hash than the release's, and
        OSError when its folder cannot be written to.
        """
        place = self.place()
        if not place.is_file():
            with alone(place.parent):
                if not place.is_file():  # else another process fetched it while we waited
                    self._download(place)
        sweep(place.parent)
        return place

    def check(self):
        """Warn, once per process, if the file that is there has not the release's hash.

        Returns the warning, or "": who keeps what is made of the file says it again.
        """
        place = self.place()
        if self.digest is None or file_hash(place, self.algorithm) == self.digest:
            return ""
        remark = (
            f"{place} is not the release's file: figures may differ; delete it to download "
            f"the release's (expected {self._expected()})"
        )
        say_once(remark)
        return remark

    def _expected(self):
        known = " (likely, but uncertain)" if self.uncertain else ""
        return f"{self.algorithm} {self.digest}{known}"

    def _download(self, place):
        if not self.url:
            raise DownloadError(f"{self.name} cannot be downloaded: put the file at {place}.")
        if self.notice and self.collection not in _announced:
            _announced.add(self.collection)
            _logger.info(self.notice)
        remedy = (
            f"Nothing was kept. Try again, or put the file at {place} by hand: a file found there "
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
            got = file_hash(part, self.algorithm) if self.digest else None
            if got != self.digest and not (self.uncertain and self._stated(part)):
                raise DownloadError(
                    f"{self.name} as downloaded from {self.url} is not the release's file: "
                    f"expected {self._expected()}, got {got} "
                    f"({part.stat().st_size} bytes). {remedy}"
                )

    def _stated(self, part):
        """Whether the server states the sha256 of `part`, which then takes our digest's place."""
        stated = stated_sha256(self.url)
        if stated != file_hash(part, "sha256"):
            return False
        _logger.info(
            f"{self.name}: its sha256 is {stated}, as its server states, and not {self.digest}, "
            "which was uncertain: the server's was used"
        )
        self.algorithm, self.digest = "sha256", stated
        return True
