"""Replies on disk, by the hash of the request."""

import hashlib
import json
from pathlib import Path

from ir_datasets_ext.store.files import temporary

from ._database import DAMAGED, reading, writing
from .protocol import Reply


def request_hash(request) -> str:
    """The sha256 of a request's canonical JSON: keys sorted, no blanks, ASCII.

    Raises:
        ValueError, TypeError: the request is not JSON, or holds NaN.

    >>> request_hash({"b": 1, "a": "é"}) == request_hash({"a": "é", "b": 1})
    True
    """
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Replies:
    """A store of replies: SQLite, in WAL mode, values as JSON.

    Threads and processes may use one store at once, and be killed at any moment: a reply is there
    as a whole or not at all. Each use opens the file anew, so that nothing is shared and nothing
    is left open.

    Args:
        path: the store's file, which is made when something is put in.

    Raises:
        OSError: (in any method) the store cannot be read or written; names it and the remedy.
        ValueError: (in any method) the file is no store, or is damaged.
    """

    def __init__(self, path):
        self.path = Path(path)

    def get(self, key):
        """The `Reply` of the request whose hash is `key`, or None."""
        with reading(self.path) as db:
            found = db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if found is None else self._reply(key, found[0])

    def put(self, key, reply) -> Reply:
        """Keep `reply`, and return what is kept: an earlier one stays, also another process's."""
        with writing(self.path) as db, db:
            row = (key, json.dumps(reply.to_dict()))
            db.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", row)
            kept = db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return self._reply(key, kept[0])

    def ensure_writable(self):
        """Raise OSError if nothing can be put in: before a reply is paid for."""
        with writing(self.path) as db:
            db.execute("BEGIN IMMEDIATE")
            db.rollback()

    def __len__(self):
        with reading(self.path) as db:
            return db.execute("SELECT count(*) FROM replies").fetchone()[0]

    def export_jsonl(self, target) -> int:
        """Write all replies to the file `target` as JSON lines, by key; returns how many."""
        with reading(self.path) as db:
            rows = db.execute("SELECT key, reply FROM replies ORDER BY key").fetchall()
        target = Path(target)
        with temporary(target) as part:
            with open(part, "w", encoding="ascii") as file:
                for key, text in rows:
                    line = {"key": key, "reply": self._reply(key, text).to_dict()}
                    file.write(json.dumps(line) + "\n")
            part.replace(target)
        return len(rows)

    def import_jsonl(self, source) -> int:
        """Take in what `export_jsonl` wrote, all or nothing; returns how many replies were new.

        Raises:
            ValueError: a line that is no reply, or a key that has another reply here.
        """
        with open(source, encoding="utf-8") as file:
            replies = dict(_read(source, number, line) for number, line in enumerate(file, 1))
        with writing(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            known = dict(db.execute("SELECT key, reply FROM replies"))
            for key in replies.keys() & known.keys():
                if self._reply(key, known[key]) != replies[key]:
                    raise ValueError(
                        f"{source} has another reply for {key} than {self.path}: nothing was "
                        "imported. Import into a new store."
                    )
            new = [key for key in replies if key not in known]
            rows = [(key, json.dumps(replies[key].to_dict())) for key in new]
            db.executemany("INSERT INTO replies VALUES (?, ?)", rows)
        return len(new)

    def _reply(self, key, text):
        try:
            return Reply.from_dict(json.loads(text))
        except ValueError:
            raise ValueError(f"The reply for {key} in {self.path} is damaged. {DAMAGED}") from None


def _read(source, number, line):
    try:
        entry = json.loads(line)
        key, reply = entry["key"], Reply.from_dict(entry["reply"])
        if len(bytes.fromhex(key)) != hashlib.sha256().digest_size:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"Line {number} of {source} is no reply; nothing was imported. Is the file whole, and "
            "what export_jsonl wrote?"
        ) from None
    return key, reply
