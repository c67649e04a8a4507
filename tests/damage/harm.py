"""What happens to files: bytes change, ends are lost, an older version comes back."""

import os
from dataclasses import dataclass
from pathlib import Path

LARGEST = 256  # of what a byte is changed by, exclusive


@dataclass(frozen=True)
class Harm:
    """One damage: `what` is done to the file of this number among a kind's.

    at, by: of a flip, the byte in parts of the file's length and what it is changed by; of a
        truncation the part that stays. times: whether the file's times stay as they were.
    """

    what: str
    file: int
    at: float = 0.0
    by: int = 0
    times: bool = False

    def __str__(self):
        return f"{self.what} file {self.file} at {self.at:.6f} by {self.by} times {self.times}"


def harms(draw, files, flips, most=None):
    """The damages of a kind with so many files: flips, and each other once per file, or `most`."""
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
    """Damage the file `path`; `older` is the same file as it was before, or None."""
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
