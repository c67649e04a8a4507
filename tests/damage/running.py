"""Damage each kind many times, and count the results."""

import importlib
import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .apart import apart
from .harm import do, harms
from .judging import FAILURES, judged
from .kind import OWN


@dataclass
class Tally:
    """The results of a kind: counts, and the failures with damage, file and report."""

    kind: str
    files: int = 0
    counts: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)


def tally(kind, flips, seed, most=None) -> Tally:
    """Damage files of a kind: this many flips, and each other damage once per file.

    most: the number of other damages, chosen at random.
    """
    with tempfile.TemporaryDirectory() as room:
        room = Path(room).resolve()
        whole, older, here = room / "whole", room / "older", room / "here"
        files = _made(kind, here, whole, older)
        foreign = _foreign(kind, here, room / "foreign")
        expected = _read(kind, whole, here)
        found = Tally(kind.name, len(files))
        draw = random.Random(f"{kind.name} {seed}")
        more = {"of_users": kind.promise == OWN, "foreign": bool(foreign)}
        for harm in harms(draw, files, flips, most, **more):
            name = files[harm.file]
            _copy(whole, here)
            before = kind.paths(older)[harm.file] if len(kind.paths(older)) > harm.file else None
            other = foreign[harm.file % len(foreign)] if foreign else None
            do(harm, here / name, before, other)
            told = apart(kind.read, here)
            outcome = judged(kind, expected, told, here / name, here)
            found.counts[outcome] += 1
            if outcome in FAILURES:
                found.failures.append((outcome, f"{name}: {harm}", told))
    return found


def _made(kind, here, whole, older):
    """Write the kind's files at `here`, a path that they may contain, and save copies."""
    for place, before in ((older, True), (whole, False)):
        here.mkdir()
        told = apart(kind.write, here, before, seconds=600)
        if told.error:
            raise AssertionError(f"{kind.name} could not be written: {told.trace or told.error}")
        if strangers := kind.strangers(here):
            raise AssertionError(f"{kind.name} writes undeclared files: {strangers}")
        here.rename(place)
    found = [path.relative_to(whole) for path in kind.paths(whole)]
    if not found:
        raise AssertionError(f"{kind.name} writes no files of {kind.files}")
    return found


def _foreign(kind, here, place):
    """Write the files of something else, if the kind knows it; return their paths."""
    if not kind.foreign:
        return []
    here.mkdir()
    told = apart(kind.foreign, here, False, seconds=600)
    if told.error:
        raise AssertionError(f"{kind.name} could not be written: {told.trace or told.error}")
    here.rename(place)
    return kind.paths(place)


def _read(kind, whole, here):
    """Read without damage: twice the same result, without warnings about a file."""
    told = []
    for _ in range(2):
        _copy(whole, here)
        told.append(apart(kind.read, here, seconds=600))
        import_of(told[0])
    said = [text for text in told[0].warnings if str(here) in text]
    if told[0].error or said or told[0] != told[1]:
        raise AssertionError(
            f"{kind.name} reads differently from what was written: {told[0]}, {told[1]}"
        )
    return told[0]


def import_of(told):
    """Import the modules of a process here, so that forked processes share them."""
    for name in sorted(set(told.modules) - set(sys.modules)):
        with suppress(Exception):
            importlib.import_module(name)


def _copy(whole, here):
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(whole, here)
