"""Requests to a server, with ir_datasets' settings, and what it states of its files."""

import os
import re
from collections.abc import Iterator
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

import ir_datasets
from ir_datasets.util import RequestsDownload

if TYPE_CHECKING:
    from requests import Response

MOST_SECONDS = 6 * 3600  # 2.7 GB at 1 Mbit/s
MOST_BYTES = 16 * 2**30  # the largest file of a release has less than 2 GiB
Pieces = Queue[bytes | BaseException]


def transferred(
    url: str, seconds: float = MOST_SECONDS, most: int = MOST_BYTES, tries: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes at `url`, piece by piece.

    A thread makes the request: a server that sends single bytes slowly never reaches a socket's
    own timeout.

    seconds: time in which the last byte must arrive. most: bytes that are accepted.
    tries: number of requests; None for ir_datasets' own setting.

    Raises OSError if the download fails (the errors of requests are OSErrors), with more than
    `most` bytes or unreadable headers; TimeoutError after `seconds`.
    """
    deadline, size = monotonic() + seconds, 0
    pieces, given_up = Pieces(maxsize=64), Event()
    Thread(target=_fetch, args=(url, tries, pieces, given_up), daemon=True).start()
    try:
        while piece := _next(pieces, deadline, seconds):
            size += len(piece)
            if size > most:
                raise OSError(f"the server sends more than the {most} bytes that were expected")
            yield piece
    finally:
        given_up.set()
        while not pieces.empty():  # the thread may be waiting for room
            pieces.get_nowait()


def _next(pieces: Pieces, deadline: float, seconds: float) -> bytes:
    """Return the next piece, b"" after the last one."""
    try:
        piece = pieces.get(timeout=max(0, deadline - monotonic()))
    except Empty:
        raise TimeoutError(f"it was not complete after {seconds} seconds") from None
    if isinstance(piece, OSError):
        raise piece
    if isinstance(piece, BaseException):
        raise OSError(f"the server's answer cannot be read ({piece})") from piece
    return piece


def _fetch(url: str, tries: int | None, pieces: Pieces, given_up: Event) -> None:
    try:
        # uncompressed: a download that resumes at byte n must count the bytes of the file
        for piece in _Download(url, tries, headers={"Accept-Encoding": "identity"}):
            if given_up.is_set():
                return
            pieces.put(piece)
        pieces.put(b"")
    except BaseException as error:  # `_next` raises it
        pieces.put(error)


class _Download(RequestsDownload):
    def _iter_response_data(
        self, response: "Response", http_args: object, skip: int
    ) -> Iterator[bytes]:
        response.raise_for_status()  # else the page "not found" would be stored as the file
        yield from super()._iter_response_data(response, http_args, skip)


def stated_sha256(url: str) -> str | None:
    """Return the sha256, as hex digits, that the server of `url` states, or None.

    The hub states it for its large files, as ``X-Linked-Etag`` of the answer that redirects to the
    file; a mirror may state it as ``ETag``. Without an answer it is None too.
    """
    requests = ir_datasets.lazy_libs.requests()
    try:
        answer = requests.head(
            url,
            allow_redirects=True,
            headers={"Accept-Encoding": "identity"},
            timeout=float(os.environ.get("IR_DATASETS_DL_TIMEOUT", "15")),
            verify=os.environ.get("IR_DATASETS_DL_SKIP_SSL", "").lower() != "true",
        )
    except requests.RequestException:
        return None
    digests = [
        response.headers.get(name, "").removeprefix("W/").strip('"')
        for response in (*answer.history, answer)
        for name in ("X-Linked-Etag", "ETag")
    ]
    return next((one for one in digests if re.fullmatch("[0-9a-f]{64}", one)), None)


def check_stated(url: object, md5: object, size: object) -> None:
    """Raise ValueError unless a file can be downloaded and verified with these."""
    if not isinstance(url, str):
        raise ValueError(f"the address is {url!r:.100}: expected a text")
    if not (isinstance(md5, str) and re.fullmatch("[0-9a-fA-F]{32}", md5)):
        raise ValueError(f"the md5 is {md5!r:.100}: expected 32 hex digits")
    if size is not None and (not isinstance(size, int) or size is True or size < 1):
        raise ValueError(f"the size is {size!r:.100}: expected a number of bytes")
