"""Replies on disk, by the hash of the request, and a client that records and replays them."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from ir_datasets_ext.store import Entries, fingerprint, new_file

from ..settings import BySettings
from .protocol import Messages, Reply, Request, as_chat

DIGEST = 32  # bytes of a sha256
MODES = ("live", "record", "replay")
REMEDY = (
    "To record, replies need a writable folder on a disk with room; to replay only, pass "
    "mode='replay'."
)
LOST = (
    "The others are missing; in mode 'record' they are requested again. The damaged file stays "
    "beside it, as ….damaged."
)
File = str | Path


class Replies:
    """A store of replies, as JSON, in a folder that only its owner can read.

    Threads and processes may share a store and may be killed at any moment: a reply is complete or
    absent, see `ir_datasets_ext.store.Entries`. All intact replies of a damaged file are used,
    with a warning, and the file stays: replies cost money.

    Args:
        path: the store's folder; the first `put` makes it.

    Raises:
        OSError: (in any method) the store is not readable or writable; names it and the remedy.
    """

    def __init__(self, path: File) -> None:
        self.path = Path(path)
        self._entries = Entries(path, private=True, aside=True, lost=LOST, remedy=REMEDY)

    def get(self, key: str) -> Reply | None:
        """Return the `Reply` of the request with the hash `key`, or None."""
        self._ensure_there()
        stored = self._entries.get_many([key.encode()]).get(key.encode())
        return None if stored is None else self._loaded(key, stored)

    def put(self, key: str, reply: Reply) -> Reply:
        """Store `reply`, and return what is stored: an earlier one stays, also another process's.

        Raises:
            ValueError: a field of the reply has not the type that `Reply` expects; nothing is
                stored.
        """
        stored = self._entries.put_many({key.encode(): _dumped(reply)})
        return self._loaded(key, stored[key.encode()])

    def ensure_writable(self) -> None:
        """Raise OSError if the store is not writable: call it before a reply is paid for."""
        self._entries.ensure_writable()

    def __len__(self) -> int:
        self._ensure_there()
        return len(self._entries)

    def export_jsonl(self, target: File) -> int:
        """Write all replies to the file `target` as JSON lines, by key; return their number.

        A line has `key`, `reply`, and the `sha256` of both, see `store.fingerprint`.
        """
        self._ensure_there()
        replies = sorted(self._entries)
        with new_file(Path(target), private=True) as file:
            for key, stored in replies:
                line = {"key": key.decode(), "reply": json.loads(stored)}
                file.write(json.dumps({**line, "sha256": fingerprint(line)}) + "\n")
        return len(replies)

    def import_jsonl(self, source: File) -> int:
        """Read what `export_jsonl` wrote, all or nothing; return the number of new replies.

        Raises:
            ValueError: a line is no reply, or a key has another reply here.
        """
        with open(source, "rb") as file:
            replies = dict(_read(source, number, line) for number, line in enumerate(file, 1))
        known = self._entries.get_many(replies)
        for key, stored in known.items():
            name = key.decode()
            if self._loaded(name, stored) != self._loaded(name, replies[key]):
                raise ValueError(
                    f"{source} has another reply for {name} than {self.path}: nothing was "
                    "imported. Import into a new store."
                )
        self._entries.put_many(replies)
        return len(replies) - len(known)

    def _loaded(self, key: str, stored: bytes) -> Reply:
        return Reply.from_dict(json.loads(stored), self.path, f"reply {key}")

    def _ensure_there(self) -> None:
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"There is no store of replies at {self.path}: record one (mode='record'), or "
                "import one (Replies(path).import_jsonl(file))."
            )


def _dumped(reply: Reply) -> bytes:
    """Return a reply's bytes; ValueError if they could not be read again."""
    try:
        return json.dumps(Reply.from_dict(reply.to_dict()).to_dict()).encode()
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"A reply cannot be stored: {error}. Expected the types of `Reply`: correct what the "
            "client returns."
        ) from None


def _read(source: File, number: int, line: bytes) -> tuple[bytes, bytes]:
    try:
        entry = json.loads(line)
        digest, key, reply = entry.pop("sha256"), entry["key"], Reply.from_dict(entry["reply"])
        if len(bytes.fromhex(key)) != DIGEST or digest != fingerprint(entry):
            raise ValueError
    except (KeyError, TypeError, ValueError, RecursionError, AttributeError):
        raise ValueError(
            f"Line {number} of {source} is no reply; nothing was imported. Copy the file again, or "
            "export the replies again with export_jsonl."
        ) from None
    return key.encode(), _dumped(reply)


class NotRecorded(LookupError):
    """A request to replay that was not recorded."""


@dataclass(eq=False, repr=False)
class Recorded(BySettings):
    """A client in front of another one that repeats no request.

    A reply's key is the sha256 of the whole request: model, messages, options; not the endpoint's
    address. Replies are stored, empty ones too, and refusals of a request's length or content, so
    that a run with reduced windows can be replayed. Temporary failures (429, 5xx, time-outs), keys
    and requests are never stored.

    Args:
        client: the client to ask; in mode ``"replay"`` it only builds the request, and needs
            neither a key nor its package.
        path: the store, see `Replies`; share its replies with ``Replies(path).export_jsonl``.
        mode: ``"record"`` asks for missing replies and stores them, so that a killed run resumes;
            ``"replay"`` never asks; ``"live"`` always asks, and neither reads nor writes.

    Raises:
        NotRecorded: (when asking, mode ``"replay"``) the reply is missing; names the request's
            hash.
        OSError, ValueError: (when asking) the store cannot be used, see `Replies`; the client has
            no model name, so that its replies could be another model's.
    """

    client: object
    path: File
    mode: str = "record"

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the client's whole request."""
        return as_chat(self.client).request(messages, **options)

    def reply(self, request: Request) -> Reply:
        """Return the reply from the store, or from the client."""
        if self.mode not in MODES:
            raise ValueError(f"mode={self.mode!r}: choose one of {', '.join(MODES)}.")
        client = as_chat(self.client)
        if self.mode == "live":
            return client.reply(request)
        if not request.get("model"):
            raise ValueError(
                f"{self.client!r} has no model name to record under: use "
                "FunctionChat(client, 'name')."
            )
        store, key = Replies(self.path), fingerprint(request)
        new = self.mode == "record" and not store.path.exists()
        known = None if new else store.get(key)
        if known is not None:
            return replace(known, replayed=True)
        if self.mode == "replay":
            raise NotRecorded(
                f"{self.path} has no reply to request {key}. Was it recorded with these candidates "
                "in this order, this prompt and this model? To ask, pass mode='record'."
            )
        store.ensure_writable()  # before anything is paid for
        return store.put(key, client.reply(request))
