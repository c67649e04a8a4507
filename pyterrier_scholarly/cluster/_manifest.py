"""What a folder of shards is of: written first, and every shard bears its key."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ir_datasets_ext.store import read_json
from ir_datasets_ext.store.files import temporary

MANIFEST, FORMAT = "manifest.json", 1


@dataclass(frozen=True)
class Manifest:
    """Which texts are encoded by what, and how they are cut into shards.

    encoder: its identity; source: a hash of the texts; texts: how many; shard_size: of each shard
    but the last.
    """

    encoder: str
    source: str
    texts: int
    shard_size: int

    @property
    def shards(self) -> int:
        """How many there are."""
        return -(-self.texts // self.shard_size)

    @property
    def key(self) -> str:
        """A hash of all this."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def rows(self, number) -> range:
        """The places of the texts of a shard."""
        start = number * self.shard_size
        return range(start, min(start + self.shard_size, self.texts))


def read_manifest(folder) -> Manifest | None:
    """The manifest of `folder`; None if there is none.

    Raises:
        ValueError: it cannot be read.
    """
    path = Path(folder, MANIFEST)
    try:
        held = read_json(path)
        if held.pop("format") != FORMAT:
            raise ValueError("of another release of this package")
        return Manifest(**held)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no manifest of shards ({error}): remove the folder.") from None


def agree(folder, manifest):
    """Write the manifest of a new folder, or compare with the one that is there.

    Raises:
        ValueError: the folder holds shards of something else; says of what.
    """
    known = read_manifest(folder)
    if known is None:
        with temporary(Path(folder, MANIFEST)) as new:
            held = {"format": FORMAT, **asdict(manifest)}
            new.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
            os.replace(new, Path(folder, MANIFEST))
        return
    was, now = asdict(known), asdict(manifest)
    other = [f"{name} {was[name]!r}, not {now[name]!r}" for name in now if was[name] != now[name]]
    if other:
        raise ValueError(
            f"{folder} holds shards of other vectors: {'; '.join(other)}. "
            "Give another folder, or remove this one."
        )
