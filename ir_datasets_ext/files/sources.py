"""The files that a collection consists of: named in ``etc/downloads.json``, or shipped here."""

import json
from dataclasses import dataclass
from pathlib import Path

from ir_datasets_ext.files.download import ALGORITHMS, Source

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class PackagedFile:
    """A file shipped in this package, offered as a `Source`: always there, nothing to check."""

    folder: str
    name: str

    def present(self):
        """Return True."""
        return True

    def place(self):
        """Return the path of the file inside the package."""
        return PACKAGE / self.folder / self.name

    path = place

    def check(self):
        """Return "": the package vouches for its files."""
        return ""


def release_sources(collection, notice=""):
    """Return the files of `collection` in ``etc/downloads.json``: a dict from key to `Source`."""
    entries = json.loads((PACKAGE / "etc" / "downloads.json").read_text())[collection]
    return {key: _source(collection, entry, notice) for key, entry in entries.items()}


def _source(collection, entry, notice):
    uncertain = bool(entry.get("uncertain"))
    source = Source(
        collection, entry["cache_path"], entry["url"], notice=notice, uncertain=uncertain
    )
    for algorithm in ALGORITHMS:
        digest = entry.get("expected_" + algorithm.replace("-", "_"))
        if digest:
            source.algorithm, source.digest = algorithm, digest
    return source
