"""A place where a kind is made again and again, and what must be true of it."""

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from .apart import apart
from .audit import is_write
from .judging import CLEAR, SILENT, of_error
from .running import Tally, import_of

OPERATIONS = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree")
LEFT, WRONG = "LEFT OVER", "NOT MADE"
#: what is drawn at random in a name
DRAWN = re.compile(r"[0-9a-f]{8,}")
LONG = 600  # seconds


@dataclass(frozen=True)
class Start:
    """What is there when a making begins; how many operations on files it has, and how long it is.

    over: whether it is an older version.
    """

    folder: Path
    over: bool
    steps: int = 0
    seconds: float = 0.0

    def __str__(self):
        return f"over an older one of {self.steps} operations" if self.over else "new"


class Site:
    """The place `here` of a kind; `starts` are those from which it can be made.

    found: the Tally. whole: a copy of what was made. expected: what is read of it.
    """

    def __init__(self, kind, room):
        self.kind, self.here, self.whole = kind, room / "disk" / "here", room / "whole"
        self.found, self._aside = Tally(kind.name), room / "aside"
        self.here.mkdir(parents=True)
        new, over = Start(room / "new", False), Start(room / "over", True)
        self.starts = [self._measured(self._begun(new))]
        shutil.copytree(self.here, self.whole)
        self.found.files, self.names = len(kind.paths(self.whole)), names_in(self.whole)
        import_of(self._read())
        self.put(self.whole)
        self.expected = self._read()
        self._known = {self.expected.result}
        if self._makes_over(self._begun(over)):
            self.starts.append(self._measured(over))
            self.put(over.folder)
            self._known.add(self._read().result)

    def _begun(self, start):
        """Put by what is there at the start."""
        shutil.rmtree(self.here)
        self.here.mkdir()
        steps = [(self.kind.write, True)] if start.over else []
        steps += [(self.kind.given, False)] if self.kind.given else []
        for step, before in steps:
            told = apart(step, self.here, before, seconds=LONG)
            if told.error:
                raise AssertionError(f"{self.kind.name} cannot be made: {told.trace or told.error}")
        shutil.copytree(self.here, start.folder)
        return start

    def _makes_over(self, start):
        """Whether a making over an older version changes it to the new one."""
        told = self.make()
        changed = not told.error and _held(self.here) != _held(start.folder)
        return changed and self._read().result == self.expected.result

    def _measured(self, start):
        for _ in range(2):  # the first imports
            self.put(start.folder)
            begin = perf_counter()
            told = apart(stepping, self.kind, self.here, None, seconds=LONG)
            seconds = perf_counter() - begin
            import_of(told)
        if told.error:
            raise AssertionError(f"{self.kind.name} cannot be made: {told.trace or told.error}")
        return Start(start.folder, start.over, int(told.result), seconds)

    def put(self, folder):
        """Have `here` what is in a folder, and nothing else."""
        shutil.rmtree(self.here, ignore_errors=True)
        shutil.copytree(folder, self.here)

    def make(self, seconds=LONG):
        """Make the kind; returns what was Told."""
        return apart(self.kind.make, self.here, False, seconds=seconds)

    def _read(self):
        return apart(self.kind.read, self.here, seconds=LONG)

    def look(self, what):
        """What is there reads as it was or as it is to be, or is an error; it stays as it is."""
        shutil.rmtree(self._aside, ignore_errors=True)
        shutil.copytree(self.here, self._aside)
        told = self._read()
        if not told.error and told.result not in self._known:
            self.failed(SILENT, f"{what}, then read", told)
        elif not told.error.startswith("FileNotFoundError"):
            self.judge(f"{what}, then read", told)
        self.put(self._aside)

    def again(self, what):
        """Make it: then it is right, and nothing else is there."""
        self.ended(f"{what}, then made again", self.make())
        self.nothing_else(what)
        self.same(what, self._read())

    def ended(self, what, told):
        """A making came to its end, or found that all is there."""
        if told.error and not told.error.startswith("FileExistsError"):
            self.failed(WRONG, what, told)

    def starved(self, what, told):
        """A making without room is an error that helps, or goes on and says so; returns whether."""
        said = self.judge(what, told) or bool(told.warnings)
        if not said and not self.names <= names_in(self.here):
            self.failed(SILENT, f"{what}: not kept", told)
        self.nothing_else(what)
        self.look(what)
        return said

    def nothing_else(self, what):
        """There are no names but those of an undisturbed making."""
        if left := names_in(self.here) - self.names:
            self.failed(LEFT, f"{what}: {sorted(left)}")

    def same(self, what, told):
        """What is read is as it was made."""
        if told.result != self.expected.result:
            self.failed(WRONG, what, told)

    def judge(self, what, told):
        """Whether there was an error; it is to be clear."""
        if told.error and (outcome := of_error(told, [str(self.here)], self.here)) != CLEAR:
            self.failed(outcome, what, told)
        return bool(told.error)

    def failed(self, outcome, what, told=None):
        """Note a failure."""
        self.found.failures.append((outcome, what, told or self.expected))


def stepping(kind, here, reached):
    """Make a kind; returns how many operations on files it takes, or calls `reached` before each.

    reached: a function of the operation's number from 1, or None.
    """
    done = 0

    def heard(event, arguments):
        nonlocal done
        if event in OPERATIONS or (event == "open" and is_write(arguments)):
            if str(arguments[0]).startswith(str(here)):
                done += 1
                if reached:
                    reached(done)

    sys.addaudithook(heard)
    kind.make(here, False)
    return done


def names_in(folder):
    """The paths of all that is below it, without what is drawn in them."""
    return {DRAWN.sub("#", path.relative_to(folder).as_posix()) for path in folder.rglob("*")}


def _held(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}
