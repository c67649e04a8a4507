"""Folders built once from their sources, whoever is killed and whoever comes at the same time."""

import errno
import fcntl
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from ir_datasets_ext.releases import Source
from ir_datasets_ext.store import ensure_built
from ir_datasets_ext.store.atomic_files import find_leftovers
from ir_datasets_ext.store.folders import MANIFEST


class Copies:
    """Builds a folder that holds a copy of a file, and counts how often it did."""

    def __init__(self, folder, content="content"):
        folder.mkdir(parents=True, exist_ok=True)
        self.file, self.path, self.times = folder / "source", folder / "built", 0
        self.file.write_text(content)
        self.source = Source(folder.name, "source", "http://unused")

    def make(self, folder):
        """Build."""
        self.times += 1
        shutil.copyfile(self.file, folder / "copy")

    def read(self, recipe="1"):
        """Return the content of what is built."""
        return (ensure_built(self.path, [self.source], self.make, recipe) / "copy").read_text()

    def replace(self, content, mtime_ns):
        """Put another content and time of change in the source's place."""
        self.file.write_text(content)
        os.utime(self.file, ns=(mtime_ns, mtime_ns))


@pytest.fixture
def copies(home):
    """A source that is there, and nothing built from it yet."""
    return Copies(home / "collection")


@contextmanager
def as_somebody():
    """Give up the right to write everywhere that root has."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def locked_away(monkeypatch):
    """Copies in a home that can be made unwritable, by calling close(); open to all readers."""
    home = Path(tempfile.mkdtemp())
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    found = Copies(home / "collection")
    home.chmod(0o755)
    found.close = lambda: [path.chmod(0o555) for path in (found.path, found.file.parent, home)]
    yield found
    for path in (home, found.file.parent, found.path):
        path.chmod(0o755)
    shutil.rmtree(home)


def test_built_once(copies):
    """The second use finds the built folder, and no leftover is beside it."""
    assert [copies.read(), copies.read()] == ["content", "content"]
    assert copies.times == 1
    assert {path.name for path in copies.path.parent.iterdir()} == {"source", "built"}


def test_the_record_names_the_sources(copies):
    """Size, time of change and sha256 of each source are kept with what was built from it."""
    copies.replace("content", 5)
    copies.read()
    # printf content | sha256sum
    sha256 = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
    assert json.loads((copies.path / MANIFEST).read_text())["about"]["sources"] == {
        "source": {"size": 7, "mtime_ns": 5, "sha256": sha256}
    }


@pytest.mark.parametrize(
    ("content", "times"), [("shorter", 2), ("longer than it was", 2), ("content", 1)]
)
def test_a_replaced_source_is_followed(copies, content, times):
    """Another size or content is built again; the same content is not."""
    copies.replace("content", 1)
    copies.read()
    copies.replace(content, 2)
    assert copies.read() == content
    assert copies.times == times
    record = json.loads((copies.path / MANIFEST).read_text())["about"]
    assert record["sources"]["source"]["mtime_ns"] == 2
    assert find_leftovers(copies.path.parent) == []


def test_a_source_replaced_while_it_is_read_is_followed(copies):
    """A folder built from the old content is outdated."""
    copies.replace("old", 1)
    make = copies.make

    def make_too_late(folder):
        copies.make = make
        copies.replace("new", 2)
        (folder / "copy").write_text("old")

    copies.make = make_too_late
    copies.read()
    assert copies.read() == "new"


def test_a_source_replaced_before_it_is_hashed_is_followed(copies):
    """The hash of a later content does not stand for the content that was read."""
    copies.replace("old", 1)
    make, source = copies.make, copies.source

    def make_too_early(folder):
        copies.make = make
        (folder / "copy").write_text("old")

    class CheckedLate:
        name, path = source.name, source.path

        def check(self):
            copies.source = source
            copies.replace("new", 2)

    copies.make, copies.source = make_too_early, CheckedLate()
    assert copies.read() == "old"
    assert copies.read() == "new"


def test_another_recipe_builds_anew(copies):
    """A store of another version of the package is not read."""
    copies.read("1")
    copies.read("2")
    assert copies.times == 2


@pytest.mark.parametrize("record", ["", "{", "{}", '{"sources": {}}'])
def test_a_spoilt_record_builds_anew(copies, record):
    """A folder without a valid record of its sources is rebuilt."""
    copies.read()
    (copies.path / MANIFEST).write_text(record)
    with pytest.warns(UserWarning, match=r"manifest\.json is damaged.* is built again"):
        assert copies.read() == "content"
    assert copies.times == 2


def test_a_failed_build_leaves_nothing(copies):
    """The error passes through, and neither folder nor temporary is left."""

    def make(folder):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        ensure_built(copies.path, [copies.source], make, "1")
    assert [path.name for path in copies.path.parent.iterdir()] == ["source"]


def test_an_up_to_date_folder_serves_from_a_home_that_cannot_be_written(locked_away):
    """Neither the first look nor a source's new time of change needs to write."""
    locked_away.read()
    os.utime(locked_away.file, ns=(1, 1))
    locked_away.close()
    with as_somebody():
        assert [locked_away.read(), locked_away.read()] == ["content", "content"]
    assert locked_away.times == 1


def test_building_in_a_home_that_cannot_be_written_says_what_to_do(locked_away):
    """One error names the folder and the variable to set."""
    locked_away.read()
    locked_away.replace("another content", 1)
    locked_away.close()
    with as_somebody(), pytest.raises(OSError, match=r"cannot write.*collection.*IR_DATASETS_HOME"):
        locked_away.read()
    assert (locked_away.path / "copy").read_text() == "content"


@pytest.fixture
def no_locks(monkeypatch):
    """A file system without locks."""

    def refuse(*_):
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)


def in_another_process(work):
    """Call `work` in a copy of this process; its threads' locks are not there."""
    number = os.fork()
    if number == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(number, 0)[1] == 0


@pytest.mark.usefixtures("no_locks")
def test_without_locks_the_quicker_of_two_wins(copies, monkeypatch):
    """A folder that another process finished first is used."""
    rename, found = os.rename, []

    def too_late(source, target):
        monkeypatch.setattr(os, "rename", rename)
        in_another_process(copies.read)
        found.append(copies.path.stat().st_ino)
        rename(source, target)

    monkeypatch.setattr(os, "rename", too_late)
    assert copies.read() == "content"
    assert found == [copies.path.stat().st_ino]
    assert find_leftovers(copies.path.parent) == []


@pytest.mark.usefixtures("no_locks")
def test_without_locks_one_of_two_may_run_out_of_room(copies):
    """A folder that another process finished is used, also if the disk is full since."""
    make = copies.make

    def run_out(folder):
        copies.make = make
        in_another_process(copies.read)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    copies.make = run_out
    assert copies.read() == "content"
    assert copies.times == 0
    assert find_leftovers(copies.path.parent) == []


def test_what_a_killed_process_left_goes_at_the_next_use(copies):
    """Also when all is up to date, as after a kill between the renaming and the tidying."""
    copies.read()
    (copies.path.parent / ".built.0123.tmp").mkdir()
    copies.read()
    assert find_leftovers(copies.path.parent) == []
