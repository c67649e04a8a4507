"""Damage files: flip bytes, truncate, restore an older version."""

import os
from dataclasses import dataclass
from pathlib import Path

LARGEST = 256  # exclusive limit of the change of a byte


@dataclass(frozen=True)
class Harm:
    """One damage `what` to one file, given by its number in the kind.

    at, by: for a flip, the position as a share of the file's length, and the change of the byte;
        for a truncation, the share that stays. times: whether the file keeps its times.
    """

    what: str
    file: int
    at: float = 0.0
    by: int = 0
    times: bool = False

    def __str__(self):
        return f"{self.what} file {self.file} at {self.at:.6f} by {self.by} times {self.times}"


def harms(draw, files, flips, most=None):
    """List the damages of a kind: flips, and each other damage once per file, or `most`."""
    found = [
        Harm("flip", file, draw.random(), draw.randrange(1, LARGEST), draw.random() < 0.5)
        for file in (draw.randrange(files) for _ in range(flips))
    ]
    others = [
        Harm(what, file, draw.random())
        for file in range(files)
        for what in ("truncate", "empty", "older", "remove")
    ]
    return found + (others if most is None else draw.sample(others, min(most, len(others))))


def do(harm, path, older):
    """Damage the file `path`; `older` is its older version, or None."""
    path = Path(path)
    held, status = path.read_bytes(), path.stat()
    if harm.what == "flip" and held:
        place = int(harm.at * len(held))
        path.write_bytes(held[:place] + bytes([held[place] ^ harm.by]) + held[place + 1 :])
    elif harm.what == "truncate":
        path.write_bytes(held[: int(harm.at * len(held))])
    elif harm.what == "empty":
        path.write_bytes(b"")
    elif harm.what == "older" and older is not None:
        path.write_bytes(Path(older).read_bytes())
    elif harm.what == "remove":
        path.unlink()
    if harm.times:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
