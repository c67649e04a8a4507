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
