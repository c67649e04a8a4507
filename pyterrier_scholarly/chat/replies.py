"""Replies of language models, and a store of them on disk by the hash of the request."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.redaction import (
    environment_keys,
    environment_logins,
    hide_logins,
    replace_secrets,
)
from ir_datasets_ext.store import Entries, fingerprint, new_file
from ir_datasets_ext.typed_records import convert, decode_json, reading_error, shortened

from ..arguments import FilePath, check_arguments

CONTEXT, FILTER = "context_length_exceeded", "content_filter"
AGAIN = "Correct what the client returns, or ask again"
REMEDY = (
    "To record, replies need a writable folder on a disk with room; to replay only, pass "
    "mode='replay'."
)
LOST = (
    "The others are missing; in mode 'record' they are requested again. The damaged file stays "
    "beside it, as ….damaged."
)
EXPORT_AGAIN = "Copy the file again, or export the replies again with export_jsonl."
File = str | Path
SHORTEST_KEY = 16  # characters of a key in a reply: a shorter one, like "none", is a word


@dataclass(frozen=True)
class Reply:
    """A model's answer to one request.

    Args:
        content: the text; None if there is none, as in a refusal.
        finish_reason, model, fingerprint: as answered; "" if the client omits them.
        usage: the endpoint's token counts, by its names (`prompt_tokens`, `completion_tokens`, …).
        date: of the answer, ISO 8601, UTC.
        refusal: ``"context_length_exceeded"`` or ``"content_filter"`` if the same request will
            always be refused; else "".
        replayed: whether it comes from a store and cost nothing.
    """

    content: str | None
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    date: str = ""
    refusal: str = ""
    replayed: bool = field(default=False, compare=False)

    def to_dict(self) -> dict[str, object]:
        """Return what is stored, for JSON."""
        return {name: getattr(self, name) for name in _KEPT}

    @classmethod
    def from_dict(cls, stored: object, source: FilePath = "a reply", record: str = "") -> "Reply":
        """Read what `to_dict` returned; ValueError, with source and record, if it is malformed."""
        if not isinstance(stored, dict) or stored.keys() != set(_KEPT):
            what = f"expected an object of {', '.join(_KEPT)}, got {shortened.repr(stored)}"
            raise reading_error(source, record, "", what, AGAIN)
        return convert(stored, cls, source, record, AGAIN)

    def redacted(self, keys: Iterable[str] = (), logins: Iterable[str] = ()) -> "Reply":
        """Return the reply without secrets that an endpoint repeats: replies are stored and shared.

        keys, logins: secrets of the request and of the address, besides the environment's.
        """
        every_key = [*keys, *environment_keys()]
        secrets = [key for key in every_key if len(key) >= SHORTEST_KEY]
        secrets += [*logins, *environment_logins()]

        def clean(text: str) -> str:
            return replace_secrets(hide_logins(text), secrets)

        return replace(
            self,
            content=None if self.content is None else clean(self.content),
            finish_reason=clean(self.finish_reason),
            model=clean(self.model),
            fingerprint=clean(self.fingerprint),
            usage={clean(name): count for name, count in self.usage.items()},
        )


_KEPT = [f.name for f in fields(Reply) if f.name != "replayed"]


class Replies:
    """A store of replies, as JSON, in a folder that only its owner can read.

    Threads and processes may share a store and may be killed at any moment: a reply is complete or
    absent, see `ir_datasets_ext.store.Entries`. All intact replies of a damaged file are used,
    with a warning, and the file stays: replies cost money. Each method raises OSError, with the
    remedy, if the store is not readable or writable.

    path: the store's folder; the first `put` makes it.
    """

    @check_arguments
    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        self._entries = Entries(path, private=True, aside=True, lost=LOST, remedy=REMEDY)

    @check_arguments
    def get(self, key: str) -> Reply | None:
        """Return the `Reply` of the request with the hash `key`, or None."""
        self._ensure_there()
        stored = self._entries.get_many([key.encode()])
        return self._loaded(key, stored[key.encode()]) if stored else None

    @check_arguments
    def put(self, key: str, reply: Reply) -> Reply:
        """Store `reply`, and return what is stored: an earlier one stays, also another process's.

        Secrets of the environment are replaced by ``***``, see `Reply.redacted`.

        Raises ValueError, and stores nothing, if a field has not the type that `Reply` expects.
        """
        stored = self._entries.put_many({key.encode(): _dumped(reply)})
        return self._loaded(key, stored[key.encode()])

    def ensure_writable(self) -> None:
        """Raise OSError if the store is not writable: call it before a reply is paid for."""
        self._entries.ensure_writable()

    def __len__(self) -> int:
        self._ensure_there()
        return len(self._entries)

    @check_arguments
    def export_jsonl(self, target: FilePath) -> int:
        """Write all replies to the file `target` as JSON lines, by key; return their number.

        A line has `key`, `reply`, and the `sha256` of both, see `store.fingerprint`. The last line
        has the number of `replies`, and the `sha256` of the other lines' sha256.
        """
        self._ensure_there()
        replies = sorted(self._entries)
        digests = []
        with new_file(target, private=True) as file:
            for key, stored in replies:
                reply = self._loaded(key.decode(), stored)
                line = {"key": key.decode(), "reply": reply.to_dict()}
                digest = fingerprint(line)
                digests.append(digest)
                file.write(json.dumps({**line, "sha256": digest}) + "\n")
            file.write(json.dumps(_end_of(digests)) + "\n")
        return len(replies)

    @check_arguments
    def import_jsonl(self, source: FilePath) -> int:
        """Read what `export_jsonl` wrote, all or nothing; return the number of new replies.

        Raises ValueError if a line is no reply, if the file was shortened, or if a key has another
        reply here.
        """
        replies = _read_export(source)
        known = self._entries.get_many(replies)
        for key, stored in known.items():
            name = key.decode()
            if self._loaded(name, stored) != self._loaded(name, replies[key]):
                there = f"{source} has another reply for {name} than {self.path}"
                raise ValueError(f"{there}: nothing was imported. Import into a new store.")
        self._entries.put_many(replies)
        return len(replies) - len(known)

    def _loaded(self, key: str, stored: bytes) -> Reply:
        record = f"reply {key}"
        content = decode_json(stored, object, self.path, record, AGAIN)
        return Reply.from_dict(content, self.path, record)

    def _ensure_there(self) -> None:
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"There is no store of replies at {self.path}: record one (mode='record'), or "
                "import one (Replies(path).import_jsonl(file))."
            )


def _dumped(reply: Reply) -> bytes:
    """Return a reply's bytes; ValueError if they could not be read again."""
    try:
        checked_reply = Reply.from_dict(reply.to_dict())
        return json.dumps(checked_reply.redacted().to_dict()).encode()
    except (ValueError, TypeError) as error:
        remedy = "Expected the types of `Reply`: correct what the client returns."
        raise ValueError(f"A reply cannot be stored: {error}. {remedy}") from None


def _end_of(digests: list[str]) -> dict[str, object]:
    """Return the last line of an export, by which a shortened one is noticed."""
    return {"replies": len(digests), "sha256": fingerprint(digests)}


def _read_export(source: FilePath) -> dict[bytes, bytes]:
    """Return the stored replies of a file that `export_jsonl` wrote, by key."""
    with open(source, "rb") as file:
        lines = file.read().splitlines()

    replies: dict[bytes, bytes] = {}
    digests: list[str] = []
    has_end = False
    for number, line in enumerate(lines, 1):
        if number == len(lines) and _is_end(line):
            has_end = True
            break

        entry = _parse_reply(line)
        if entry is None:
            raise ValueError(
                f"Line {number} of {source} is no reply; nothing was imported. {EXPORT_AGAIN}"
            )
        replies[entry.key] = entry.reply
        digests.append(entry.digest)

    if not has_end or json.loads(lines[-1]) != _end_of(digests):
        raise ValueError(
            f"{source} does not end in the number and digest of its replies, which are "
            f"{len(digests)}: it was shortened or edited, or is no export; nothing was imported. "
            f"{EXPORT_AGAIN}"
        )
    return replies


class Exported(NamedTuple):
    """A line of an export: key and reply as they are stored, and the digest of both."""

    key: bytes
    reply: bytes
    digest: str


def _parse_reply(line: bytes) -> Exported | None:
    """Return a line of an export; None if it is no reply, or has another digest."""
    try:
        entry = json.loads(line)
        digest = entry.pop("sha256")
        key, reply = entry["key"], Reply.from_dict(entry["reply"])
        is_key = len(bytes.fromhex(key)) == 32  # of a sha256
    except (KeyError, TypeError, ValueError, RecursionError, AttributeError):
        return None
    if not is_key or digest != fingerprint(entry):
        return None
    return Exported(key.encode(), _dumped(reply), digest)


def _is_end(line: bytes) -> bool:
    """Return whether a line has the form of an export's last line."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.keys() == _end_of([]).keys()
