"""Damage each kind many times, and count what came of it."""

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


@dataclass
class Tally:
    """Of a kind: how often what came of it, and the failures with damage, file and Told."""

    kind: str
    files: int = 0
    counts: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)


def tally(kind, flips, seed, most=None) -> Tally:
    """Damage files of a kind: so many flips, and each other damage once per file.

    most: of the others, so many are drawn.
    """
    with tempfile.TemporaryDirectory() as room:
        room = Path(room).resolve()
        whole, older, here = room / "whole", room / "older", room / "here"
        files = _made(kind, here, whole, older)
        expected = _read(kind, whole, here)
        found = Tally(kind.name, len(files))
        for harm in harms(random.Random(f"{kind.name} {seed}"), len(files), flips, most):
            name = files[harm.file]
            _copy(whole, here)
            before = kind.paths(older)[harm.file] if len(kind.paths(older)) > harm.file else None
            do(harm, here / name, before)
            told = apart(kind.read, here)
            outcome = judged(kind, expected, told, here / name, here)
            found.counts[outcome] += 1
            if outcome in FAILURES:
                found.failures.append((outcome, f"{name}: {harm}", told))
    return found


def _made(kind, here, whole, older):
    """Make the kind's files, all at `here`, which may stand in them, and put them by."""
    for place, before in ((older, True), (whole, False)):
        here.mkdir()
        told = apart(kind.write, here, before, seconds=600)
        if told.error:
            raise AssertionError(f"{kind.name} could not be made: {told.trace or told.error}")
        if strangers := kind.strangers(here):
            raise AssertionError(f"{kind.name} leaves files that are not declared: {strangers}")
        here.rename(place)
    found = [path.relative_to(whole) for path in kind.paths(whole)]
    if not found:
        raise AssertionError(f"{kind.name} makes no files of {kind.files}")
    return found


def _read(kind, whole, here):
    """What is read without damage, twice the same, without a word on a file."""
    told = []
    for _ in range(2):
        _copy(whole, here)
        told.append(apart(kind.read, here, seconds=600))
        import_of(told[0])
    said = [text for text in told[0].warnings if str(here) in text]
    if told[0].error or said or told[0] != told[1]:
        raise AssertionError(f"{kind.name} is not read as it was made: {told[0]}, {told[1]}")
    return told[0]


def import_of(told):
    """Import what a process had: once here, and not in each that is split off."""
    for name in sorted(set(told.modules) - set(sys.modules)):
        with suppress(Exception):
            importlib.import_module(name)


def _copy(whole, here):
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(whole, here)
