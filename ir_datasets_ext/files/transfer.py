"""What a server sends and states, with ir_datasets' settings for downloads."""

import os
import re
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic

import ir_datasets
from ir_datasets.util import RequestsDownload

MOST_SECONDS = 6 * 3600  # 2.7 GB at 1 Mbit/s
MOST_BYTES = 16 * 2**30  # the largest file of a release has less than 2


def transferred(url, seconds=MOST_SECONDS, most=MOST_BYTES, tries=None):
    """Yield the bytes at `url`, piece by piece.

    A thread asks, as a server that sends a byte now and then never meets a socket's own timeout.

    Args:
        url: the address.
        seconds: in which the last byte must have arrived.
        most: bytes that are accepted.
        tries: how often it is asked for; None for ir_datasets' own setting.

    Raises:
        OSError: it cannot be had (the errors of requests are OSErrors); TimeoutError after
            `seconds`; more than `most` bytes; an answer whose headers cannot be read.
    """
    deadline, got = monotonic() + seconds, 0
    pieces, given_up = Queue(maxsize=64), Event()
    Thread(target=_fetch, args=(url, tries, pieces, given_up), daemon=True).start()
    try:
        while piece := _next(pieces, deadline, seconds):
            got += len(piece)
            if got > most:
                raise OSError(f"the server sends more than the {most} bytes that were expected")
            yield piece
    finally:
        given_up.set()
        while not pieces.empty():  # the thread may wait for room, to see that it is over
            pieces.get_nowait()


def _next(pieces, deadline, seconds):
    """The next piece, b"" after the last one."""
    try:
        piece = pieces.get(timeout=max(0, deadline - monotonic()))
    except Empty:
        raise TimeoutError(f"it was not complete after {seconds} seconds") from None
    if isinstance(piece, OSError):
        raise piece
    if isinstance(piece, BaseException):
        raise OSError(f"the server's answer cannot be read ({piece})") from piece
    return piece


def _fetch(url, tries, pieces, given_up):
    try:
        for piece in _Download(url, tries):
            if given_up.is_set():
                return
            pieces.put(piece)
        pieces.put(b"")
    except BaseException as error:  # raised where the pieces are awaited
        pieces.put(error)


class _Download(RequestsDownload):
    def __init__(self, url, tries):
        # uncompressed: a download resumed at byte n must count the same bytes as the file has
        super().__init__(url, tries, headers={"Accept-Encoding": "identity"})

    def _iter_response_data(self, response, http_args, skip):
        response.raise_for_status()  # else the page that says "not found" passes for the file
        yield from super()._iter_response_data(response, http_args, skip)


def stated_sha256(url):
    """Return the sha256, as hex digits, that the server of `url` states, or None.

    The hub states it, for its large files, as ``X-Linked-Etag`` of the answer that leads on to the
    place where the file lies; a mirror may have it as ``ETag``. None too when there is no answer.
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
    for response in (*answer.history, answer):
        for header in ("X-Linked-Etag", "ETag"):
            digest = response.headers.get(header, "").removeprefix("W/").strip('"')
            if re.fullmatch("[0-9a-f]{64}", digest):
                return digest
    return None
