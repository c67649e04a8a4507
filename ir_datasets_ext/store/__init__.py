"""Everything that is kept on disk: entries, folders and single files; no other module writes.

A file or folder exists as a whole or not at all, even if a process is killed or the disk is full.
It is checked when it is read. Damage is an error that names the file, or leads to a warning and a
rebuild, never to a wrong result. Nothing is pickled. `ensure_built` puts all of it together.

::

    from ir_datasets_ext.store import Entries, new_file, new_folder, read_folder

    entries = Entries("folder")  # many small values, by key
    entries.put_many({b"key": b"value"})
    with new_folder("another", {"made by": "me"}) as folder, new_file(folder / "a.txt") as file:
        file.write("content")
    read_folder("another")  # {"made by": "me"}, after checking a.txt

Why this is not SQLite: entries are read from read-only and network disks, where SQLite needs locks
and a journal; SQLite has no checksums of its own, so a changed bit may go unseen; and what was
removed frees no space until all of a database is rewritten. ``benchmarks/store.py`` compares both,
SQLite with a digest of each value (seconds of one processor; files against SQLite):

- 28,936 embeddings: written in 0.12 against 0.19, read by key in 0.10 against 0.13; on disk 1.03
  against 1.36 of their own size; after half was removed, 0.43 against all of it
- 60,000 abstracts: written in 0.16 against 0.30, iterated in 0.16 against 0.14, 20,000 of them read
  by id in 0.09 against 0.09
- a million tiny values in twenty files: written in 3.2 against 2.7, read by key in 6.0 against 1.9,
  because each key is looked up in one file after the other; nothing here keeps such values
- one changed bit: all other entries were read in 50 of 50 trials against 35; with SQLite two
  databases were unreadable as a whole, and in 13 the bit was in unused space
"""

from ir_datasets_ext.store.atomic_files import new_file
from ir_datasets_ext.store.building import ensure_built
from ir_datasets_ext.store.entries import Entries
from ir_datasets_ext.store.fingerprint import Unidentified, fingerprint
from ir_datasets_ext.store.folders import (
    About,
    check_free,
    claim,
    digest_folder,
    new_folder,
    read_folder,
)
from ir_datasets_ext.store.segment import Damaged, Segment, write_entries
from ir_datasets_ext.store.warn_once import warn_once
from ir_datasets_ext.typed_records import read_json

__all__ = [
    "About",
    "Damaged",
    "Entries",
    "Segment",
    "Unidentified",
    "check_free",
    "claim",
    "digest_folder",
    "ensure_built",
    "fingerprint",
    "new_file",
    "new_folder",
    "read_folder",
    "read_json",
    "warn_once",
    "write_entries",
]
