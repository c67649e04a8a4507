"""The files of a release: found under ir_datasets' home, or downloaded and verified.

::

    files = release_files("csfcube")
    files["docs"].path()                # downloaded now, if nobody has placed it by hand
    files["splits"].load(read_splits)   # what a function makes of it, until the file changes

``data/files.json`` has the facts, by collection: the files by key with their names, addresses and
hashes, and beside them what all files of the collection have in common.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import ir_datasets
import msgspec
from ir_datasets.util import RequestsDownload, home_path

from .atomic import HOME_REMEDY, locked, replacing
from .warn_once import warn_once

if TYPE_CHECKING:
    from requests import Response

DATA = Path(__file__).parent / "data"
DELETE = "Correct the file, or delete it to download the release's"
COARSE_CLOCK_NS = 50_000_000  # systems note times of change in steps of some milliseconds
PARQUET_BATCH = 256  # rows in memory; one with a paper's full text has 50 kB
Value = TypeVar("Value")

log_once = cache(ir_datasets.log.easy().info)  # per process


class DownloadError(OSError):
    """A file could not be downloaded, or differs from the release's; nothing was kept."""


class ReadingError(ValueError):
    """A file has another content than was expected; names the file and the remedy."""


class Version(NamedTuple):
    """What tells a file from others that had its path before; size: in bytes, times: in ns."""

    path: Path
    inode: int
    size: int
    mtime_ns: int
    changed_ns: int

    def is_settled(self) -> bool:
        """Return whether a change from now on would give another version: clocks are coarse."""
        return not 0 <= time.time_ns() - self.changed_ns < COARSE_CLOCK_NS


@dataclass
class ReleaseFile:
    """One file of a release, at ``<home>/<folder>/<name>``.

    An existing file is used whatever its content; a warning says if it is not the release's.

    folder: below ir_datasets' home, or an absolute one.
    url: where it is downloaded. A mirror may be set here.
    record: the address of its record in the API of Zenodo or figshare, which states url and md5.
    algorithm: md5, sha256, or git-blob, which is Git's name of a file's content.
    digest: the hash of the release's file, as hex digits; "" if it is unknown.
    uncertain: whether `digest` may be wrong. Then the sha256 that the server states is used.
    page: from which people download it. notice: licence and citation, logged once.
    remedy: what to do about another content.
    is_shipped: whether `folder` is one of this package, below ``data``.
    """

    folder: str
    name: str
    url: str = ""
    record: str = ""
    algorithm: str = "md5"
    digest: str = ""
    uncertain: bool = False
    page: str = ""
    notice: str = ""
    remedy: str = "delete it to download the release's"
    is_shipped: bool = False

    def place(self) -> Path:
        """Return where the file is, or belongs."""
        root = DATA if self.is_shipped else find_home()
        return root / self.folder / self.name

    def present(self) -> bool:
        """Return whether the file exists."""
        return self.place().exists()

    def path(self) -> Path:
        """Return the path of the file, downloaded first if it is missing; DownloadError if not."""
        place = self.place()
        if not place.exists():
            with locked(place, HOME_REMEDY):
                if not place.exists():  # another process may have downloaded it meanwhile
                    self._download(place)
        return place

    def version(self) -> Version:
        """Return what changes with the existing file, without reading it."""
        return read_version(self.place())

    def hash(self) -> str:
        """Return the existing file's hash, computed once until the file changes."""
        return self._read_once(hash_file, self.algorithm)

    def check(self) -> None:
        """Warn if the existing file is not the release's."""
        if self.digest:
            self.warn_unless_released(self.hash())

    def load(self, read: Callable[[Path], Value]) -> Value:
        """Return ``read(path)`` of a small file; the same object until the file changes."""
        self.path()
        self.check()
        return self._read_once(read)

    def warn_unless_released(self, actual_digest: str) -> None:
        """Warn, once per process, if a hash is not that of the release's file."""
        if self.digest and actual_digest != self.digest:
            warn_once(
                f"{self.place()} is not the release's file: figures may differ; {self.remedy} "
                f"(expected {self._show_digest(self.digest)}, got {actual_digest})"
            )

    def _read_once(self, read: Callable[..., Value], *options: str) -> Value:
        """Return ``read(path, *options)``; the same object until the file changes."""
        version = self.version()  # before reading: a file that changes meanwhile is read again
        if version.is_settled():
            return _read_settled(version, read, *options)
        return read(version.path, *options)

    def _download(self, place: Path) -> None:
        """Download the file to `place`; raise DownloadError, and keep nothing, if that fails."""
        if not (self.url or self.record):
            raise FileNotFoundError(f"{place} is missing: {self.remedy}")
        log_once(self.notice)

        requests = ir_datasets.lazy_libs.requests()
        with replacing(place, remedy=HOME_REMEDY) as new_place:
            try:
                if self.uncertain:
                    self.digest = _request_sha256(self.url) or self.digest
                url, digest = self._find_source()
                with new_place.open("wb") as file:
                    file.writelines(_Download(url))
            except (requests.RequestException, LookupError, json.JSONDecodeError) as error:
                raise self._download_error(f"could not be downloaded: {error}") from error

            actual_digest = hash_file(new_place, self.algorithm)
            if actual_digest != digest:
                size = new_place.stat().st_size
                raise self._download_error(
                    f"as downloaded from {url} is not the release's file: expected "
                    f"{self._show_digest(digest)}, got {actual_digest} ({size} bytes)"
                )

    def _find_source(self) -> tuple[str, str]:
        """Return the address of the file, and the hash that it must have."""
        if not self.record:
            return self.url, self.digest
        record = json.loads(b"".join(_Download(self.record)))
        return find_in_record(record, self.name)

    def _show_digest(self, digest: str) -> str:
        doubt = " (likely, but uncertain)" if self.uncertain else ""
        return f"{self.algorithm} {digest}{doubt}"

    def _download_error(self, problem: str) -> DownloadError:
        return DownloadError(
            f"{self.name} {problem}. Nothing was kept. Try again, or do it by hand: open "
            f"{self.page} in a browser, download {self.name}, and put it at {self.place()}. An "
            "existing file is used as it is."
        )


@lru_cache(maxsize=256)
def _read_settled(version: Version, read: Callable[..., Value], *options: str) -> Value:
    return read(version.path, *options)


def release_files(collection: str) -> dict[str, ReleaseFile]:
    """Return the files of a collection by key, as ``data/files.json`` lists them."""
    release = json.loads((DATA / "files.json").read_bytes())[collection]
    facts_by_key = release.pop("files")
    return {
        key: ReleaseFile(**{"folder": collection, **release, **facts})
        for key, facts in facts_by_key.items()
    }


def find_home() -> Path:
    """Return ir_datasets' present home; its own function searches the disk at each call."""
    variable = os.environ.get("IR_DATASETS_HOME")
    return Path(variable) if variable else home_path()


def find_in_record(record: Any, name: str) -> tuple[str, str]:
    """Return the address and the md5 of a file in a record of Zenodo or figshare.

    Raises LookupError for a record that does not state them.
    """
    for entry in record["files"]:
        if entry.get("key") == name:  # Zenodo
            return entry["links"]["self"], entry["checksum"].removeprefix("md5:")
        if entry.get("name") == name:  # figshare
            return entry["download_url"], entry["computed_md5"]
    raise LookupError(f"its record does not list {name}")


def read_version(path: Path) -> Version:
    """Return the version of an existing file."""
    status = path.stat()
    return Version(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def hash_file(path: Path, algorithm: str) -> str:
    """Return the hash of a file as hex digits; `algorithm` as in `ReleaseFile`."""
    if algorithm == "git-blob":
        hasher = hashlib.sha1(b"blob %d\0" % path.stat().st_size)
    else:
        hasher = hashlib.new(algorithm)
    with path.open("rb") as file:
        hashlib.file_digest(file, lambda: hasher)
    return hasher.hexdigest()


def name_files(files: Sequence[ReleaseFile]) -> str:
    """Return the place of the first file, and how many there are beside it, for errors."""
    first, *others = files
    return f"{first.place()} (and {len(others)} more files)" if others else str(first.place())


@contextmanager
def explaining(place: Path | str, remedy: str = DELETE) -> Iterator[None]:
    """Raise ReadingError, which names the file and the remedy, for whatever a reader raises."""
    try:
        yield
    except ReadingError:  # of a line, which is named better
        raise
    except Exception as error:
        raise ReadingError(f"{place}: {type(error).__name__}: {error}. {remedy}") from error


def read_lines(
    path: Path,
    lines: Iterable[bytes],
    layout: type[Value],
    remedy: str = DELETE,
    what: str = "line",
) -> Iterator[Value]:
    """Yield the records of JSON lines; ReadingError names the line of a wrong one.

    layout: a type of msgspec's, which checks the fields that it has, and skips all others.
    what: a line is called in errors, before its number, which begins with 1.
    """
    decode = msgspec.json.Decoder(layout).decode
    for number, line in enumerate(lines, 1):
        try:
            record = decode(line)
        except Exception:  # entering `explaining` for each line would take as long as the decoding
            with explaining(f"{path}, {what} {number}", remedy):
                raise
        yield record


def read_parquet(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file by column, some of which are in memory at once."""
    from pyarrow.parquet import ParquetFile  # imported late, because it takes 0.2 s

    with ParquetFile(path) as file:
        # without threads, which a process that is forked later would wait for
        for batch in file.iter_batches(PARQUET_BATCH, columns=list(columns), use_threads=False):
            yield from batch.to_pylist()


class _Download(RequestsDownload):
    """The bytes at an address, requested again from where a connection broke."""

    def __init__(self, url: str) -> None:
        # uncompressed, so that a resumed download counts the file's own bytes
        super().__init__(url, headers={"Accept-Encoding": "identity"})

    def _iter_response_data(
        self, response: "Response", http_args: object, skip: int
    ) -> Iterator[bytes]:
        """Yield the pieces of an answer; ir_datasets calls this for each request."""
        response.raise_for_status()  # else the page "not found" would be taken for the file
        yield from super()._iter_response_data(response, http_args, skip)


def _request_sha256(url: str) -> str:
    """Return the sha256 that a server states, "" without one.

    The Hugging Face hub states it where it redirects to a large file.
    """
    requests = ir_datasets.lazy_libs.requests()
    try:
        response = requests.head(url, timeout=15)
    except requests.RequestException:
        return ""
    return response.headers.get("X-Linked-Etag", "").strip('"')
