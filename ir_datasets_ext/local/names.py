"""Names of collections on this machine, and the folders that they stand for.

::

    folder_of("made", "mine")   # $IR_DATASETS_HOME/made/mine
    check_name("my collection") # ValueError: no name of a collection
"""

import re
from pathlib import Path

from ir_datasets_ext.store.write_errors import collection_folder
from ir_datasets_ext.typed_records import shortened

#: kinds of collections, the first part of their ids
KINDS = ("made", "download-log")
#: names of collections and parts; none leads out of a folder or is hidden in one
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
LONGEST_NAME = 200  # characters: file systems allow 255, and temporary names are longer
#: ids of datasets: kind, name, and perhaps a part
DATASET_ID = rf"({'|'.join(KINDS)})/({NAME})(?:/({NAME}))?\Z"


def check_name(name: str, what: str = "collection") -> str:
    """Return `name`; raise ValueError if it is no valid name of a collection or part."""
    is_valid = (
        isinstance(name, str) and re.fullmatch(NAME, name) is not None and len(name) <= LONGEST_NAME
    )
    if not is_valid:
        raise ValueError(
            f"{shortened.repr(name)} is no name of a {what}: expected letters, digits, '.', '_' "
            f"and '-', {LONGEST_NAME} at most, with a letter or digit first"
        )
    return name


def folder_of(kind: str, name: str) -> Path:
    """Return the folder of `<kind>/<name>`; raise ValueError for an unknown kind or a bad name."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of collection: expected {' or '.join(KINDS)}")
    return collection_folder(kind) / check_name(name)
