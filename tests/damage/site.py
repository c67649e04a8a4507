"""A place where a kind is written again and again, with the checks of it."""

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
#: the random part of a name
DRAWN = re.compile(r"[0-9a-f]{8,}")
LONG = 600  # seconds


@dataclass(frozen=True)
class Start:
    """The start of a write: the existing files, its number of operations, its seconds.

    over: whether the existing files are an older version.
    """

    folder: Path
    over: bool
    steps: int = 0
    seconds: float = 0.0

    def __str__(self):
        return f"over an older one of {self.steps} operations" if self.over else "new"


class Site:
    """The place `here` of a kind; `starts` are the possible starts of a write.

    found: the Tally. whole: a copy of the written files. expected: what `read` returns.
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
        """Save the files at the start."""
        shutil.rmtree(self.here)
        self.here.mkdir()
        steps = [(self.kind.write, True)] if start.over else []
        steps += [(self.kind.given, False)] if self.kind.given else []
        for step, before in steps:
            told = apart(step, self.here, before, seconds=LONG)
            if told.error:
                raise AssertionError(
                    f"{self.kind.name} cannot be written: {told.trace or told.error}"
                )
        shutil.copytree(self.here, start.folder)
        return start

    def _makes_over(self, start):
        """Whether a write replaces an older version by the new one."""
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
            raise AssertionError(f"{self.kind.name} cannot be written: {told.trace or told.error}")
        return Start(start.folder, start.over, int(told.result), seconds)

    def put(self, folder):
        """Replace the content of `here` by a folder's."""
        shutil.rmtree(self.here, ignore_errors=True)
        shutil.copytree(folder, self.here)

    def make(self, seconds=LONG):
        """Write the kind; return the report."""
        return apart(self.kind.make, self.here, False, seconds=seconds)

    def _read(self):
        return apart(self.kind.read, self.here, seconds=LONG)

    def look(self, what):
        """Check: reading gives the old or the new content, or an error, and changes no file."""
        shutil.rmtree(self._aside, ignore_errors=True)
        shutil.copytree(self.here, self._aside)
        told = self._read()
        if not told.error and told.result not in self._known:
            self.failed(SILENT, f"{what}, then read", told)
        elif not told.error.startswith("FileNotFoundError"):
            self.judge(f"{what}, then read", told)
        self.put(self._aside)

    def again(self, what):
        """Write again; check that the result is correct, without other files."""
        self.ended(f"{what}, then made again", self.make())
        self.nothing_else(what)
        self.same(what, self._read())

    def ended(self, what, told):
        """Check that a write finished, or found everything present."""
        if told.error and not told.error.startswith("FileExistsError"):
            self.failed(WRONG, what, told)

    def starved(self, what, told):
        """Check a full disk: a helpful error, or a warning; return whether it was an error."""
        said = self.judge(what, told) or bool(told.warnings)
        if not said and not self.names <= names_in(self.here):
            self.failed(SILENT, f"{what}: not kept", told)
        self.nothing_else(what)
        self.look(what)
        return said

    def nothing_else(self, what):
        """Check that only the files of an undisturbed write exist."""
        if left := names_in(self.here) - self.names:
            self.failed(LEFT, f"{what}: {sorted(left)}")

    def same(self, what, told):
        """Check that reading returns what was written."""
        if told.result != self.expected.result:
            self.failed(WRONG, what, told)

    def judge(self, what, told):
        """Return whether there was an error, and check that it is clear."""
        if told.error and (outcome := of_error(told, [str(self.here)], self.here)) != CLEAR:
            self.failed(outcome, what, told)
        return bool(told.error)

    def failed(self, outcome, what, told=None):
        """Note a failure."""
        self.found.failures.append((outcome, what, told or self.expected))


def stepping(kind, here, reached):
    """Write a kind; return its number of operations on files, or call `reached` before each.

    reached: a function of the operation's number, from 1; or None.
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
    """List all paths below it, without their random parts."""
    return {DRAWN.sub("#", path.relative_to(folder).as_posix()) for path in folder.rglob("*")}


def _held(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}
