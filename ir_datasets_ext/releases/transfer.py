"""Requests to a server, with ir_datasets' settings; no message repeats an address's secrets.

::

    with open("papers.jsonl", "wb") as file:
        file.writelines(stream_bytes("https://example.org/papers.jsonl"))
"""

import os
import re
from collections.abc import Iterator, Sequence
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import unquote

import ir_datasets
from ir_datasets.util import RequestsDownload

from ir_datasets_ext.redaction import (
    SHORTEST_SECRET,
    redact_error,
    redacted_logs,
    split_address,
)

if TYPE_CHECKING:
    from requests import Response

MOST_SECONDS = 6 * 3600  # 2.7 GB at 1 Mbit/s
MOST_BYTES = 16 * 2**30  # the largest file of a release has less than 2 GiB
LOGGERS = ("ir_datasets", "urllib3.connectionpool")  # of requests and their errors
MOST_WAITING_PIECES = 64
#: from the thread that makes the request: pieces of the content, then b"" or an error
Pieces = Queue[bytes | BaseException]


def stream_bytes(
    url: str, seconds: float = MOST_SECONDS, most: int = MOST_BYTES, tries: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes at `url`, piece by piece.

    A thread makes the request: a server that sends single bytes slowly never reaches a socket's
    own timeout. User, password and parameters of the address are in no log and no error.

    seconds: time in which the last byte must arrive. most: bytes that are accepted.
    tries: number of requests; None for ir_datasets' own setting.

    Raises OSError if the download fails (the errors of requests are OSErrors), with more than
    `most` bytes or unreadable headers; TimeoutError after `seconds`.
    """
    deadline = monotonic() + seconds
    pieces = Pieces(maxsize=MOST_WAITING_PIECES)
    is_given_up = Event()
    secrets = find_secrets(url)  # before the thread, so that an address that is no text raises here
    thread_arguments = (url, secrets, tries, pieces, is_given_up)
    Thread(target=_put_pieces, args=thread_arguments, daemon=True).start()

    size = 0
    try:
        piece = _take_piece(pieces, deadline, seconds)
        while piece:
            size += len(piece)
            if size > most:
                raise OSError(f"the server sends more than the {most} bytes that were expected")
            yield piece
            piece = _take_piece(pieces, deadline, seconds)
    finally:
        is_given_up.set()
        while not pieces.empty():  # the thread may be waiting for room
            pieces.get_nowait()


def request_sha256(url: str) -> str | None:
    """Return the sha256, as hex digits, that the server of `url` states, or None.

    The hub states it for its large files, as ``X-Linked-Etag`` of the answer that redirects to the
    file; a mirror may state it as ``ETag``. Without an answer it is None too.
    """
    requests = ir_datasets.lazy_libs.requests()
    try:
        with redacted_logs(LOGGERS, *find_secrets(url)):
            answer = requests.head(
                url,
                allow_redirects=True,
                headers={"Accept-Encoding": "identity"},
                timeout=float(os.environ.get("IR_DATASETS_DL_TIMEOUT", "15")),
                verify=os.environ.get("IR_DATASETS_DL_SKIP_SSL", "").lower() != "true",
            )
    except requests.RequestException:
        return None

    for response in (*answer.history, answer):  # redirections first
        for header in ("X-Linked-Etag", "ETag"):
            digest = response.headers.get(header, "").removeprefix("W/").strip('"')
            if re.fullmatch("[0-9a-f]{64}", digest):
                return digest
    return None


def find_secrets(url: str) -> list[str]:
    """Return what no message may repeat of an address; a short name is a word, and may occur."""
    address = split_address(url)
    login = [part for part in (address.user, address.password) if len(part) >= SHORTEST_SECRET]
    return [*login, address.query, *address.secrets]


def show_address(url: str) -> str:
    """Return an address for a message: without user, password and parameters."""
    return split_address(url).bare or "an address that cannot be read"


def _take_piece(pieces: Pieces, deadline: float, seconds: float) -> bytes:
    """Return the next piece, b"" after the last one; raise the thread's error."""
    seconds_left = max(0, deadline - monotonic())
    try:
        piece = pieces.get(timeout=seconds_left)
    except Empty:
        raise TimeoutError(f"it was not complete after {seconds} seconds") from None

    if isinstance(piece, OSError):
        raise piece
    if isinstance(piece, BaseException):
        raise OSError(f"the server's answer cannot be read ({piece})") from piece
    return piece


def _put_pieces(
    url: str, secrets: Sequence[str], tries: int | None, pieces: Pieces, is_given_up: Event
) -> None:
    """Request an address, and put into the queue what comes: pieces, then b"", or an error.

    It runs in a thread of its own, until all came or `is_given_up` is set.
    """
    try:
        with redacted_logs(LOGGERS, *secrets):
            for piece in _Download(url, tries):
                if is_given_up.is_set():
                    return
                pieces.put(piece)
        pieces.put(b"")
    except BaseException as error:  # `_take_piece` raises it
        redact_error(error, *secrets)
        pieces.put(error)


class _Download(RequestsDownload):
    """A download whose user, password and parameters are not in `url`, which ir_datasets logs."""

    def __init__(self, url: str, tries: int | None) -> None:
        self._address = split_address(url)
        # uncompressed: a download that resumes at byte n must count the bytes of the file
        headers = {"Accept-Encoding": "identity"}
        has_secrets = self._address.bare != url
        super().__init__(self._address.bare, tries, headers=headers, auth=has_secrets)

    def _handle_auth(self, http_args: dict[str, object]) -> None:
        """Add what is not in `url`; ir_datasets calls this before the request."""
        address = self._address
        http_args["params"] = address.query
        if address.user or address.password:
            http_args["auth"] = (unquote(address.user), unquote(address.password))

    def _iter_response_data(
        self, response: "Response", http_args: object, skip: int
    ) -> Iterator[bytes]:
        """Yield the pieces of an answer; ir_datasets calls this for each request."""
        response.raise_for_status()  # else the page "not found" would be stored as the file
        yield from super()._iter_response_data(response, http_args, skip)
