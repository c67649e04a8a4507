"""Compare two stores of entries: files that are written once, and SQLite.

    PYTHONPATH=. python benchmarks/store.py [--flips N]

Prints a table; seconds are processor time. SQLite is the standard library's, with a rollback
journal (a write-ahead log needs write access for reading), a digest of each key and value, and
incremental vacuum. Documents are packed as in our collections, to compare with ir_datasets' store.
"""

import argparse
import os
import random
import shutil
import sqlite3
import tempfile
import time
import warnings
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np

from ir_datasets_ext.store import Entries, Segment
from ir_datasets_ext.store import segment as files_of
from ir_datasets_ext.store.warn_once import _warned_subjects as said_of

EMBEDDINGS, WIDTH, DOCUMENTS, ASKED, MILLION = 28_936, 384, 60_000, 20_000, 10**6


class Sqlite:
    """Entries in one file of SQLite."""

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        self.path = folder / "entries.sqlite"

    def open(self):
        """Open a connection, and create the table."""
        db = sqlite3.connect(self.path)
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute(
            "CREATE TABLE IF NOT EXISTS entries "
            "(number INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB, digest BLOB)"
        )
        return db

    def put_many(self, entries):
        """See `Entries`."""
        with closing(self.open()) as db, db:
            rows = ((key, value, digest(key, value)) for key, value in entries.items())
            db.executemany(
                "INSERT OR IGNORE INTO entries (key, value, digest) VALUES (?,?,?)", rows
            )

    def get_many(self, keys):
        """See `Entries`."""
        found = {}
        with closing(self.open()) as db:
            for start in range(0, len(keys), 500):
                some = keys[start : start + 500]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value, digest FROM entries WHERE key IN ({marks})"
                found.update(checked(row) for row in db.execute(query, some))
        return found

    def __iter__(self):
        with closing(self.open()) as db:
            for row in db.execute("SELECT key, value, digest FROM entries ORDER BY number"):
                yield checked(row)

    def halve(self):
        """Remove every second entry, and free the space."""
        with closing(self.open()) as db:
            with db:
                db.execute("DELETE FROM entries WHERE number % 2 = 0")
            db.execute("PRAGMA incremental_vacuum").fetchall()

    def file(self):
        """Return the file of the entries."""
        return self.path


class Files(Entries):
    """Entries of the package, one file each."""

    def halve(self):
        """Remove every second file."""
        for path in self.files()[::2]:
            path.unlink()

    def file(self):
        """Return the first file."""
        return self.files()[0]


def digest(key, value):
    """Of both."""
    return blake2b(b"%d" % len(key) + key + value, digest_size=8).digest()


def checked(row):
    """Return key and value; ValueError if they are damaged."""
    key, value, own = row
    if digest(key, value) != own:
        raise ValueError("damaged")
    return key, value


def timed(work):
    """Return the processor seconds and the result."""
    files_of._open_segment.cache_clear()
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def size(folder):
    """Count the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def embeddings(kind, folder, made):
    """Measure writing, reading by key, bytes on disk, and space freed by a limit."""
    store, parts = kind(folder), list(made.items())
    chunks = [dict(parts[at : at + 4_096]) for at in range(0, len(parts), 4_096)]
    wrote, _ = timed(lambda: [store.put_many(chunk) for chunk in chunks])
    read, found = timed(lambda: store.get_many(list(made)))
    assert found == made
    raw, before = sum(map(len, made.values())), size(folder)
    store.halve()
    return {
        "embeddings: write s": wrote,
        "embeddings: read by key s": read,
        "embeddings: bytes on disk / raw": before / raw,
        "embeddings: half removed, bytes / before": size(folder) / before,
    }


def documents(kind, folder, made, asked):
    """Measure building, iterating and look-ups."""
    store = kind(folder)
    wrote, _ = timed(lambda: store.put_many(made))
    over, count = timed(lambda: sum(1 for _ in store))
    found = timed(lambda: store.get_many(asked))
    assert (count, len(found[1])) == (len(made), len(set(asked)))
    return {
        "documents: build s": wrote,
        "documents: iterate s": over,
        "documents: 20,000 by id s": found[0],
        "documents: MB on disk": size(folder) / 1e6,
    }


def million(kind, folder):
    """Measure small values, written in chunks and read."""
    store, made = kind(folder), {b"%d" % n: b"value %d" % n for n in range(MILLION)}
    parts = list(made.items())
    wrote, _ = timed(
        lambda: [store.put_many(dict(parts[at : at + 50_000])) for at in range(0, MILLION, 50_000)]
    )
    read, found = timed(lambda: store.get_many(list(made)))
    assert len(found) == MILLION
    return {"million: write s": wrote, "million: read s": read, "million: MB": size(folder) / 1e6}


def flips(kind, folder, made, times):
    """Count the effects of one changed byte: all lost, silently wrong, or reported."""
    kind(folder).put_many(made)
    path = kind(folder).file()
    whole, chance = path.read_bytes(), random.Random(1)
    seen = {"no effect": 0, "seen, all else read": 0, "all unreadable": 0, "silent": 0}
    for _ in range(times):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        for other in folder.iterdir():
            other.unlink()
        path.write_bytes(changed)
        seen[_effect(kind(folder), made)] += 1
    return {f"{times} flips: {name}": count for name, count in seen.items()}


def _effect(store, made):
    files_of._open_segment.cache_clear()
    said_of.clear()  # as in a new process
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = store.get_many(list(made))
        except ValueError:  # one entry: the others can be read separately
            return "seen, all else read"
        except sqlite3.Error:
            return "all unreadable"
    if found == made:
        return "seen, all else read" if said else "no effect"
    if not said or not found.items() <= made.items():
        return "silent"
    return "seen, all else read" if len(found) >= len(made) - 1 else "all unreadable"


def pickled(folder, records):
    """Store the records with ir_datasets."""
    from ir_datasets.indices import PickleLz4FullStore

    cls = type(records[0])
    store = PickleLz4FullStore(str(folder), lambda: iter(records), cls, "doc_id", ["doc_id"])
    wrote, _ = timed(store.build)
    return store, wrote


def ours(folder, records):
    """Store the records like our collections."""
    from ir_datasets_ext.docstore import DocumentStore, write_documents
    from ir_datasets_ext.packed_records import PackedRecords

    path, cls = folder / "docs.entries", type(records[0])
    folder.mkdir()
    wrote, _ = timed(lambda: write_documents(path, records, cls))
    return DocumentStore(PackedRecords(Segment(path, keep=True), cls, None), cls), wrote


def documents_beside(folder, records):
    """Make the rows of both stores: the minimum of five rounds, in turns."""
    made = {"ours": ours(folder / "o", records), "ir_datasets": pickled(folder / "p", records)}
    asked = [record.doc_id for record in records][::3][:ASKED]
    scattered = random.Random(1).sample(asked, 5_000)
    work = {
        "iterate s": lambda store: sum(1 for _ in store),
        "20,000 by id s": lambda store: store.get_many(asked),
        "5,000 by id, 50 at a time s": lambda store: [
            store.get_many(scattered[at : at + 50]) for at in range(0, 5_000, 50)
        ],
        "5,000 by id, one at a time s": lambda store: [store.get(one) for one in scattered],
    }
    yield "build s", [wrote for _, wrote in made.values()]
    for name, of in work.items():
        rounds = [[timed(partial(of, one))[0] for one, _ in made.values()] for _ in range(5)]
        yield name, [min(column) for column in zip(*rounds)]
    yield "MB on disk", [size(folder / one) / 1e6 for one in "op"]


def records():
    """Make documents of random words with the length of abstracts."""
    from ir_datasets_ext.csfcube.records import CsfcubeDoc

    chance = random.Random(0)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 11))) for _ in range(9_000)]

    def sentence():
        return " ".join(chance.choices(words, k=22))

    for number in range(DOCUMENTS):
        parts = tuple(sentence() for _ in range(7))
        labels, text = ("method",) * 7, " ".join(parts)
        yield CsfcubeDoc(str(number), sentence(), text, parts, labels, 2000, ("A B",), "V", "")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--flips", type=int, default=200)
    options = parser.parse_args()
    print({name: os.environ.get(name) for name in ("OPENBLAS_CORETYPE", "PYTHONDONTWRITEBYTECODE")})
    draw, root = np.random.default_rng(0), Path(tempfile.mkdtemp())
    vectors = {os.urandom(16): draw.random(WIDTH, "f4").tobytes() for _ in range(EMBEDDINGS)}
    found = list(records())
    texts = {r.doc_id.encode(): r.text.encode() for r in found}
    small = {b"%d" % n: os.urandom(500) for n in range(500)}
    columns = {}
    for kind in (Files, Sqlite):
        column = columns[kind.__name__] = {}
        column |= embeddings(kind, root / f"e{kind.__name__}", vectors)
        column |= documents(kind, root / f"d{kind.__name__}", texts, list(texts)[::3][:ASKED])
        column |= million(kind, root / f"m{kind.__name__}")
        column |= flips(kind, root / f"f{kind.__name__}", small, options.flips)
    print(f"{'':45} {'files':>10} {'SQLite':>10}")
    for row in columns["Files"]:
        print(f"{row:45} {columns['Files'][row]:10.2f} {columns['Sqlite'][row]:10.2f}")
    print(f"\n{'records':45} {'ours':>10} {'ir_datasets':>11} {'ratio':>10}")
    for row, (own, other) in documents_beside(root, found):
        print(f"{row:45} {own:10.2f} {other:11.2f} {own / other:10.2f}")
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
