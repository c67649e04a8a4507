"""Replies on disk, by the hash of the request."""

import json
from pathlib import Path

from ir_datasets_ext.store import Entries, fingerprint, new_file

from .protocol import Reply

DIGEST = 32  # bytes of a sha256
REMEDY = (
    "To record, replies must be in a folder on a disk with room that you can write to; to replay "
    "only, use mode='replay'."
)
LOST = (
    "Others are missing, and are asked for again where they are recorded; the damaged file stays "
    "beside, as ….damaged."
)


class Replies:
    """A store of replies, as JSON, in a folder that its owner alone may read.

    Threads and processes may use one store at once, and be killed at any moment: a reply is there
    as a whole or not at all, see `ir_datasets_ext.store.Entries`. Of a damaged file all whole
    replies are used, with a warning, and the file is kept: replies cost money.

    Args:
        path: the store's folder, which is made when something is put in.

    Raises:
        OSError: (in any method) the store cannot be read or written; names it and the remedy.
    """

    def __init__(self, path):
        self.path = Path(path)
        self._entries = Entries(path, private=True, aside=True, lost=LOST, remedy=REMEDY)

    def get(self, key):
        """The `Reply` of the request whose hash is `key`, or None."""
        self._ensure_there()
        for held in self._entries.get_many([key.encode()]).values():
            return self._loaded(key, held)
        return None

    def put(self, key, reply) -> Reply:
        """Keep `reply`, and return what is kept: an earlier one stays, also another process's.

        Raises:
            ValueError: a field of the reply has another type than `Reply` says; nothing is kept.
        """
        kept = self._entries.put_many({key.encode(): _dumped(reply)})
        return self._loaded(key, kept[key.encode()])

    def ensure_writable(self):
        """Raise OSError if nothing can be put in: before a reply is paid for."""
        self._entries.ensure_writable()

    def __len__(self):
        self._ensure_there()
        return len(self._entries)

    def export_jsonl(self, target) -> int:
        """Write all replies to the file `target` as JSON lines, by key; returns how many.

        A line has `key`, `reply`, and the `sha256` of both, see `store.fingerprint`.
        """
        self._ensure_there()
        replies = sorted(self._entries)
        with new_file(target, private=True) as file:
            for key, held in replies:
                line = {"key": key.decode(), "reply": json.loads(held)}
                file.write(json.dumps({**line, "sha256": fingerprint(line)}) + "\n")
        return len(replies)

    def import_jsonl(self, source) -> int:
        """Take in what `export_jsonl` wrote, all or nothing; returns how many replies were new.

        Raises:
            ValueError: a line that is no reply, or a key that has another reply here.
        """
        with open(source, "rb") as file:
            replies = dict(_read(source, number, line) for number, line in enumerate(file, 1))
        known = self._entries.get_many(replies)
        for key, held in known.items():
            name = key.decode()
            if self._loaded(name, held) != self._loaded(name, replies[key]):
                raise ValueError(
                    f"{source} has another reply for {name} than {self.path}: nothing was "
                    "imported. Import into a new store."
                )
        self._entries.put_many(replies)
        return len(replies) - len(known)

    def _loaded(self, key, held):
        return Reply.from_dict(json.loads(held), self.path, f"reply {key}")

    def _ensure_there(self):
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"There is no store of replies at {self.path}: record one (mode='record'), or "
                "import one (Replies(path).import_jsonl(file))."
            )


def _dumped(reply):
    """The bytes of a reply, as they are read again; ValueError if it could not be read."""
    try:
        return json.dumps(Reply.from_dict(reply.to_dict()).to_dict()).encode()
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"A reply cannot be kept: {error}. Expected the types that `Reply` names: correct what "
            "the client returns."
        ) from None


def _read(source, number, line):
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
