"""A store of language models' replies on disk, by the hash of the request.

    replies = Replies("replies")
    replies.put(key, reply)
    replies.export_jsonl("replies.jsonl")  # to share them

A key is the sha256 of a request, 64 hexadecimal digits, see `Recorded`.
"""

import json
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.atomic import new_file

from ..arguments import FilePath, check_arguments
from ..entries import Entries
from ..fingerprint import fingerprint
from ..typed_records import decode_json
from .reply import CORRECT_CLIENT, Reply

WRITABLE_REMEDY = (
    "To record, replies need a writable folder on a disk with room; to replay only, pass "
    "mode='replay'."
)
DAMAGE_CONSEQUENCE = (
    "Damaged replies are missing; in mode 'record' they are requested again. A copy of "
    "an unreadable file is kept beside it; its name ends in `.damaged`."
)
EXPORT_AGAIN = "Copy the file again, or export the replies again with export_jsonl."
KEY_BYTES = 32  # of a sha256


class Replies:
    """A store of replies, as JSON, in a folder that only its owner can read.

    Threads and processes may share a store and may be killed at any moment: a reply is complete or
    absent, see `pyterrier_scholarly.entries.Entries`. All undamaged replies of a file are
    used, with a warning about the others: replies cost money. Each method raises OSError, with the
    remedy, if the store is not readable or writable.

    Args:
        path: the store's folder; the first `put` makes it.
    """

    @check_arguments
    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        self._entries = Entries(
            path, private=True, precious=True, lost=DAMAGE_CONSEQUENCE, remedy=WRITABLE_REMEDY
        )

    @check_arguments
    def get(self, key: str) -> Reply | None:
        """Return the `Reply` of the request with the hash `key`, or None."""
        self._check_exists()
        stored_replies = self._entries.get_many([key.encode()])
        if not stored_replies:
            return None
        return self._decode(key, stored_replies[key.encode()])

    @check_arguments
    def put(self, key: str, reply: Reply) -> Reply:
        """Store `reply`, and return what is stored: an earlier one stays, also another process's.

        Secrets of the environment are replaced by ``***``, see `Reply.redacted`.

        Raises ValueError, and stores nothing, if a field has not the type that `Reply` expects.
        """
        stored_replies = self._entries.put_many({key.encode(): _encode(reply)})
        return self._decode(key, stored_replies[key.encode()])

    def ensure_writable(self) -> None:
        """Raise OSError if the store is not writable: call it before a reply is paid for."""
        self._entries.ensure_writable()

    def __len__(self) -> int:
        self._check_exists()
        return len(self._entries)

    @check_arguments
    def export_jsonl(self, target: FilePath) -> int:
        """Write all replies to the file `target` as JSON lines, by key; return their number.

        A line has `key`, `reply`, and the `sha256` of both, see `fingerprint`. The last line
        has the number of `replies`, and the `sha256` of the other lines' sha256.
        """
        self._check_exists()
        entries = sorted(self._entries)

        digests = []
        with new_file(target, private=True) as file:
            for key_bytes, stored_reply in entries:
                key = key_bytes.decode()
                reply = self._decode(key, stored_reply)
                content = {"key": key, "reply": reply.to_dict()}
                digest = fingerprint(content)
                file.write(json.dumps({**content, "sha256": digest}) + "\n")
                digests.append(digest)
            file.write(json.dumps(_build_end(digests)) + "\n")
        return len(entries)

    @check_arguments
    def import_jsonl(self, source: FilePath) -> int:
        """Read what `export_jsonl` wrote, all or nothing; return the number of new replies.

        Raises ValueError if a line is no reply, if the file was shortened, or if a key has another
        reply here.
        """
        imported = _read_export(source)
        already_stored = self._entries.get_many(imported)
        for key_bytes, stored_reply in already_stored.items():
            key = key_bytes.decode()
            if self._decode(key, stored_reply) != self._decode(key, imported[key_bytes]):
                raise ValueError(
                    f"{source} has another reply for {key} than {self.path}: nothing was "
                    "imported. Import into a new store."
                )

        self._entries.put_many(imported)
        return len(imported) - len(already_stored)

    def _check_exists(self) -> None:
        """Raise FileNotFoundError if there is no store yet."""
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"There is no store of replies at {self.path}: record one (mode='record'), or "
                "import one (Replies(path).import_jsonl(file))."
            )

    def _decode(self, key: str, stored_reply: bytes) -> Reply:
        """Return the reply in an entry; ValueError, with the store and the key, if it is none."""
        record = f"reply {key}"
        content = decode_json(stored_reply, object, self.path, record, CORRECT_CLIENT)
        return Reply.from_dict(content, self.path, record)


def _encode(reply: Reply) -> bytes:
    """Return a reply's bytes; ValueError if they could not be read again."""
    try:
        checked_reply = Reply.from_dict(reply.to_dict())
        return json.dumps(checked_reply.redacted().to_dict()).encode()
    except (ValueError, TypeError) as error:
        remedy = "Expected the types of `Reply`: correct what the client returns."
        raise ValueError(f"A reply cannot be stored: {error}. {remedy}") from None


def _build_end(digests: list[str]) -> dict[str, object]:
    """Return the last line of an export, by which a shortened one is noticed."""
    return {"replies": len(digests), "sha256": fingerprint(digests)}


def _read_export(source: FilePath) -> dict[bytes, bytes]:
    """Return the replies of a file that `export_jsonl` wrote: encoded reply by encoded key.

    Raises:
        ValueError: a line is no reply, or the file was shortened or edited.
    """
    with open(source, "rb") as file:
        lines = file.read().splitlines()

    replies: dict[bytes, bytes] = {}
    digests: list[str] = []
    has_end = False
    for number, line in enumerate(lines, 1):
        if number == len(lines) and _is_end(line):
            has_end = True
            break

        exported = _parse_line(line)
        if exported is None:
            raise ValueError(
                f"Line {number} of {source} is no reply; nothing was imported. {EXPORT_AGAIN}"
            )
        replies[exported.key] = exported.reply
        digests.append(exported.digest)

    is_whole = has_end and json.loads(lines[-1]) == _build_end(digests)
    if not is_whole:
        raise ValueError(
            f"{source} does not end in the number and digest of its replies, which are "
            f"{len(digests)}: it was shortened or edited, or is no export; nothing was imported. "
            f"{EXPORT_AGAIN}"
        )
    return replies


class ExportedReply(NamedTuple):
    """A line of an export: key and reply as they are stored, and the digest of both."""

    key: bytes
    reply: bytes
    digest: str


def _parse_line(line: bytes) -> ExportedReply | None:
    """Return a line of an export; None if it is no reply, or has another digest."""
    try:
        content = json.loads(line)
        digest = content.pop("sha256")
        key = content["key"]
        reply = Reply.from_dict(content["reply"])
        is_key = len(bytes.fromhex(key)) == KEY_BYTES
    except (KeyError, TypeError, ValueError, RecursionError, AttributeError):
        return None

    if not is_key or digest != fingerprint(content):
        return None
    return ExportedReply(key.encode(), _encode(reply), digest)


def _is_end(line: bytes) -> bool:
    """Return whether a line of an export has the keys of its last line: no reply, but a summary."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(content, dict):
        return False

    example_of_last_line = _build_end([])
    return content.keys() == example_of_last_line.keys()
