"""Damage files: change bytes, truncate, replace by something else, make up a manifest."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

LARGEST = 256  # exclusive limit of the change of a byte
MARK = b"\xabent"  # begins each entry of a file of entries
SECRET = "a file of somebody else"

#: damage of any file
ANY = ("truncate", "empty", "older", "remove")
#: what may be in the place of a file that the package stores; users may pass a pipe or a folder
INSTEAD = ("folder", "dangling link", "pipe")
#: damage of files with this ending, or of this name
SPECIAL = {
    ".entries": ("swapped entries",),
    "manifest.json": ("leaves its folder",),
    "collection.json": ("leaves its folder",),
}


@dataclass(frozen=True)
class Harm:
    """One damage `what` to one file, given by its number in the kind.

    at, by: for a flip, the position as a share of the file's length, and the change of the byte;
        for a truncation, the share that stays; for swapped entries, which of them. times: whether
        the file keeps its times.
    """

    what: str
    file: int
    at: float = 0.0
    by: int = 0
    times: bool = False

    def __str__(self):
        return f"{self.what} file {self.file} at {self.at:.6f} by {self.by} times {self.times}"


def harms(draw, names, flips, most=None, *, of_users=False, foreign=False):
    """List the damages of a kind: flips, and each other damage once per file, or `most`.

    names: the files'. of_users: whether users choose the files. foreign: whether there are files of
        the same kind that belong to something else.
    """
    found = [
        Harm("flip", file, draw.random(), draw.randrange(1, LARGEST), draw.random() < 0.5)
        for file in (draw.randrange(len(names)) for _ in range(flips))
    ]
    others = []
    for file, name in enumerate(names):
        kinds = list(ANY)
        if not of_users:
            kinds += [*INSTEAD, *SPECIAL.get(name.suffix, ()), *SPECIAL.get(name.name, ())]
        if foreign:
            kinds.append("foreign")
        others += [Harm(what, file, draw.random()) for what in kinds]
    return found + (others if most is None else draw.sample(others, min(most, len(others))))


def do(harm, path, older=None, foreign=None):
    """Damage the file `path`.

    older: its older version, or None. foreign: the file of something else, or None.
    """
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
    elif harm.what == "foreign" and foreign is not None:
        path.write_bytes(Path(foreign).read_bytes())
    elif harm.what == "remove":
        path.unlink()
    elif harm.what in INSTEAD:
        _put_instead(harm.what, path)
    elif harm.what == "swapped entries":
        path.write_bytes(_swap_entries(held, harm.at))
    elif harm.what == "leaves its folder":
        _leave_folder(path)
    if harm.times:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _put_instead(what, path):
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")


def _swap_entries(content, at):
    """Swap two neighbouring entries of equal length, if there are any."""
    starts = [place for place in range(len(content)) if content.startswith(MARK, place)]
    pairs = [
        (first, second, third)
        for first, second, third in zip(starts, starts[1:], starts[2:])
        if second - first == third - second
    ]
    if not pairs:
        return content
    first, second, third = pairs[int(at * len(pairs))]
    swapped = content[second:third] + content[first:second]
    return content[:first] + swapped + content[third:]


def _leave_folder(path):
    """Make a manifest name a file beside its folder, with right digests."""
    from ir_datasets_ext.store import fingerprint

    outside = path.parent.with_name(f"{path.parent.name}-outside.jsonl")
    outside.write_text(SECRET)
    content = json.loads(path.read_bytes())
    if path.name == "manifest.json":
        content["files"][f"../{outside.name}"] = {"bytes": len(SECRET)}
        content["digest"] = fingerprint([content["about"], content["files"]])
    else:
        content["docs"] |= {"file": f"../{outside.name}", "bytes": None, "sha256": None}
        del content["digest"]
    path.write_text(json.dumps(content))
