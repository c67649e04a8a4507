"""The database of replies: opened anew for each use, with errors that say what to do."""

import sqlite3
import time
from contextlib import closing, contextmanager

VERSION = 1
PATIENCE = 60.0  # seconds to wait for another process that writes
SETUP = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
COMMIT;
"""
EMPTY = (True, 0)  # no table yet, no version
DAMAGED = "Move it away; replies that were exported can be imported into a new store."


@contextmanager
def reading(path):
    """A connection that writes nothing."""
    if not path.exists():
        raise FileNotFoundError(
            f"There is no store of replies at {path}: record one (mode='record'), or "
            "import one (Replies(path).import_jsonl(file))."
        )
    with _explained(path), closing(_read_only(path)) as db:
        yield db


@contextmanager
def writing(path):
    """A connection to a store that is made if there is none."""
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as db:
            _set_up(db)
            yield db


def _read_only(path):
    uri = path.absolute().as_uri() + "?mode=ro"
    log = path.with_name(path.name + "-wal")
    try:
        return _checked(sqlite3.connect(uri, uri=True, timeout=PATIENCE))
    except sqlite3.OperationalError:
        # SQLite wants to write beside the file; it does without if told that nobody changes it
        if log.exists() and log.stat().st_size:  # what is in there would be missing
            raise
        return _checked(sqlite3.connect(uri + "&immutable=1", uri=True))


@contextmanager
def _explained(path):
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OSError(
            f"Cannot use the store {path}: {error}. To record it must be on a disk with "
            "room that you can write to; to replay only, use mode='replay'."
        ) from error
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is no store of replies: {error}. {DAMAGED}") from error


def _checked(db):
    """`db` if it is a store; an empty one for it where another process is about to make it."""
    try:
        state = _state(db)
        if state == EMPTY:
            db.close()
            db = sqlite3.connect(":memory:")
            db.executescript(SETUP)
        elif state[1] != VERSION:
            raise sqlite3.DatabaseError(f"version {state[1]}, where {VERSION} is expected")
    except BaseException:
        db.close()
        raise
    return db


def _state(db):
    """Is it empty, and its version: in this order, as another process may set it up in between."""
    empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return empty, db.execute("PRAGMA user_version").fetchone()[0]


def _set_up(db):
    """Make an empty file a store; several processes may do so at once."""
    end = time.monotonic() + PATIENCE
    while (state := _state(db))[1] == 0:
        if state != EMPTY:
            raise sqlite3.DatabaseError("it is a database of something else")
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(SETUP)
        except sqlite3.OperationalError as error:  # this step does not wait for others by itself
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
    _checked(db)
