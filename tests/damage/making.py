"""Interrupt the writes of each kind, write concurrently and to full disks; count the results."""

import multiprocessing
import os
import random
import resource
import signal
import tempfile
from functools import partial
from pathlib import Path

from .apart import apart, begun
from .disks import as_owner, can_mount, pages, read_only, small_disk
from .running import Tally
from .site import LONG, Site, stepping

KILLS, WRITING, PAIRS, FULL, CLOSED = "kills", "in writing", "pairs", "full", "read-only"
COUNTED = (KILLS, WRITING, PAIRS, FULL, CLOSED)
TRIES = 100


def disturbed(kind, kills, pairs, disks, seed) -> Tally:
    """Write a kind with this many kills, concurrent writes and full disks.

    After each, another write must give the correct result, and no other files.
    """
    draw = random.Random(f"{kind.name} {seed}")
    with tempfile.TemporaryDirectory() as room:
        os.chmod(room, 0o755)  # for users other than root
        site = Site(kind, Path(room).resolve())
        for number in range(kills):
            _kill(site, draw, number)
        for number in range(pairs):
            _two_at_once(site, number)
        for number in range(disks):
            _without_room(site, draw, number)
        if disks:
            _closed(site)
    return site.found


def _kill(site, draw, number):
    """Kill half just before an operation on a file, half at a random moment."""
    start = site.starts[number // 2 % len(site.starts)]
    for _ in range(TRIES):  # repeat if it ended before the kill
        site.put(start.folder)
        if number % 2:
            step = draw.randrange(1, start.steps + 1)
            what = f"killed at operation {step} of {start.steps}, {start}"
            told = apart(stepping, site.kind, site.here, partial(_die, step), seconds=LONG)
        else:
            moment = draw.uniform(0, start.seconds)
            what = f"killed after {moment:.4f} of {start.seconds:.4f} s, {start}"
            told = site.make(seconds=moment)
        if told.error.startswith("Crash"):
            break
    else:
        raise AssertionError(f"{site.kind.name} is written too quickly to be killed")
    site.found.counts[KILLS] += 1
    site.found.counts[WRITING] += any(path.suffix == ".tmp" for path in site.here.rglob(".*"))
    site.look(what)
    site.again(what)


def _die(last, step):
    if step == last:
        os.kill(os.getpid(), signal.SIGKILL)


def _two_at_once(site, number):
    """Start two processes at the same moment."""
    start = site.starts[number % len(site.starts)]
    site.put(start.folder)
    gate = multiprocessing.get_context("fork").Barrier(2)
    both = [begun(_together, gate, site.kind, site.here) for _ in range(2)]
    for told in [end(LONG) for end in both]:
        site.ended(f"two at once, {start}", told)
    site.found.counts[PAIRS] += 1
    site.again(f"two at once, {start}")


def _together(gate, kind, here):
    gate.wait(60)
    kind.make(here, False)


def _without_room(site, draw, number):
    """Write to a full disk if one can be mounted; otherwise limit the size of files."""
    start = site.starts[number // 2 % len(site.starts)]
    on_disk = number % 2 and can_mount()
    sizes = [path.stat().st_size for path in site.kind.paths(site.whole)]
    room, starved = pages(site.whole) if on_disk else max(sizes), False
    while room and not starved:  # the random space can be enough
        room = draw.randrange(room)
        starved = (_on_disk if on_disk else _in_files)(site, start, room)
    site.found.counts[FULL] += starved


def _on_disk(site, start, free):
    what = f"with {free} pages left, {start}"
    with small_disk(site.here) as fill:
        site.put(start.folder)
        with fill(free):
            starved = site.starved(what, site.make())
        site.again(what)
    return starved


def _in_files(site, start, limit):
    what = f"with files of {limit} bytes at most, {start}"
    site.put(start.folder)
    starved = site.starved(what, apart(_limited, limit, site.kind, site.here, seconds=LONG))
    site.again(what)
    return starved


def _limited(limit, kind, here):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    kind.make(here, False)


def _closed(site):
    """Write and read in a read-only folder."""
    what = "in a read-only folder"
    site.put(site.starts[0].folder)
    with read_only(site.here):
        told = apart(as_owner, site.kind.make, site.here, False, seconds=LONG)
    site.judge(f"made {what}", told)
    site.again(f"made {what}")
    site.put(site.whole)
    with read_only(site.here):
        told = apart(as_owner, site.kind.read, site.here, seconds=LONG)
    if not site.judge(f"read {what}", told):
        site.same(f"read {what}", told)
    site.found.counts[CLOSED] += 2
