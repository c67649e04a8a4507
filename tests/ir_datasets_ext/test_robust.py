"""Stores under kills, rivals, full disks, other users and flipped bits: nothing wrong is served.

``SCHOLARLY_ROBUST=full`` tries 100 kills, 20 pairs, 5 groups of four processes, 200 flipped bits,
and 300 forks between threads. Processes are forked, so that each starts at once.
"""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from ir_datasets_ext.files import ReleaseFile, read_lines
from ir_datasets_ext.store import FOLDER, Store, StoredDocs

IS_FULL = os.environ.get("SCHOLARLY_ROBUST") == "full"
KILLS, PAIRS, GROUPS, FLIPS, FORKS = (100, 20, 5, 200, 300) if IS_FULL else (6, 2, 1, 25, 10)
PAPERS = 1500  # a store of dozens of pages
NOBODY = 65534

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*built again"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
]


class TinyDoc(NamedTuple):
    """A document with a text, and a list of texts."""

    doc_id: str
    text: str
    sentences: tuple[str, ...]


class Tiny:
    """A release of one file in a home, and its store of documents and of notes without keys."""

    def __init__(self, home):
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        os.environ["IR_DATASETS_HOME"] = str(home)
        self.write("first")

    def write(self, version):
        """Write the release's file."""
        dice = random.Random(version)
        papers = [
            (f"id{number}", f"{version} {dice.random()}", [f"{version}."] * dice.randrange(40))
            for number in range(PAPERS)
        ]
        new_path = self.home / "new"
        new_path.write_text("".join(json.dumps(paper) + "\n" for paper in papers))
        new_path.rename(self.home / "tiny.jsonl")
        self.docs = [TinyDoc(doc_id, text, tuple(more)) for doc_id, text, more in papers]

    def make_docs(self):
        """Return a new handler of the documents, as a new process has it."""
        file = ReleaseFile("", "tiny.jsonl")

        def read_tables():
            with file.path().open("rb") as lines:
                docs = list(read_lines(file.path(), lines, TinyDoc))
            return {"docs": docs, "notes": [[doc.text] for doc in docs]}.items()

        return StoredDocs(Store("tiny", TinyDoc, [file], read_tables), "tiny")

    @property
    def path(self):
        """The file of the store."""
        return self.home / FOLDER / "tiny.sqlite"

    def overwrite_half(self):
        """Damage the store."""
        half = self.path.stat().st_size // 2
        with self.path.open("r+b") as file:
            file.seek(half)
            file.write(bytes(half))

    def check(self, docs=None):
        """Raise AssertionError unless all that is read in all ways is right."""
        docs = docs or self.make_docs()
        by_id = {doc.doc_id: doc for doc in self.docs}
        assert docs.docs_store().get_many([*by_id, "unknown"]) == by_id
        assert list(docs.docs_iter()) == self.docs
        assert list(docs.docs_iter()[5:900:100]) == self.docs[5:900:100]
        notes = list(docs.store.open().read("notes", list[str]))
        assert notes == [[doc.text] for doc in self.docs]


@pytest.fixture
def tiny():
    """`Tiny` in a home that other users can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield Tiny(folder / "home")
    change_rights(folder, "u+w")
    shutil.rmtree(folder)


def start(work):
    """Call `work` in a forked process; return its number."""
    number = os.fork()
    if number:
        return number
    try:
        warnings.simplefilter("ignore")
        work()
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)


def wait(number):
    """Return the exit status of a process."""
    return os.waitpid(number, 0)[1]


def test_a_process_may_be_killed_at_any_moment(tiny):
    """The next one serves all documents, whether the killed one was done or not."""
    started, dice = time.monotonic(), random.Random(1)
    tiny.check()
    seconds = time.monotonic() - started
    for _ in range(KILLS):
        shutil.rmtree(tiny.home / FOLDER)
        process = start(tiny.check)
        time.sleep(dice.uniform(0, seconds))
        os.kill(process, signal.SIGKILL)
        wait(process)
        tiny.check()


@pytest.mark.parametrize("count", [*[2] * PAIRS, *[4] * GROUPS])
def test_processes_at_once(tiny, count):
    """Each serves all documents; they are built once, and damaged documents are built again."""
    for prepare in (lambda: None, tiny.overwrite_half):
        prepare()
        processes = [start(tiny.check) for _ in range(count)]
        assert [wait(process) for process in processes] == [0] * count
    assert [path.name for path in (tiny.home / FOLDER).glob("*.tmp")] == []


def test_readers_get_one_version_while_sources_change(tiny):
    """What a process iterates over is of one version, or an error says that it changed."""

    def read():
        for _ in range(10):
            try:
                versions = {doc.text.split()[0] for doc in tiny.make_docs().docs_iter()}
            except ValueError as error:
                assert "built again from other files" in str(error)
                continue
            assert len(versions) == 1

    processes = [start(read) for _ in range(2)]
    for number in range(5):
        tiny.write(f"version{number}")
        time.sleep(0.05)
    assert [wait(process) for process in processes] == [0, 0]
    tiny.check()


def test_any_flipped_bit_is_found(tiny):
    """Whichever bit of the store has changed, what is served is right."""
    tiny.check()
    content, dice = tiny.path.read_bytes(), random.Random(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(FLIPS):
            changed = bytearray(content)
            changed[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            tiny.path.write_bytes(changed)
            tiny.check()
    assert caught  # many were in unused bytes


@pytest.mark.parametrize(
    "change",
    [
        "update docs set value = (select value from docs where number = 9) where number = 8",
        "update docs set key = 'other' where number = 8",
        "update docs set value = 7 where number = 8",
        "update notes set value = (select value from notes where number = 9) where number = 8",
        "delete from docs where number = 8",
        "delete from notes where number = 1499",
        "delete from about",
        "update about set value = (select value from docs)",
        "drop table docs",
    ],
)
def test_changes_that_sqlite_cannot_see_are_found(tiny, change):
    """Whole records are exchanged or missing, also for who has the store open."""
    opened = tiny.make_docs()
    tiny.check(opened)
    with closing(sqlite3.connect(tiny.path)) as connection, connection:
        connection.execute(change)
    with pytest.warns(UserWarning, match="damaged, and built again"):
        tiny.check()
    tiny.check(opened)


def test_a_full_disk(tiny):
    """The error names the folder and the remedy; nothing is left, and later all is served."""
    folder = tiny.path.parent
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(folder)]
    is_mounted = subprocess.run(mount, capture_output=True).returncode == 0

    def build():
        if not is_mounted:  # this user may not mount a small disk
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with pytest.raises(OSError, match=rf"cannot write to .*{FOLDER}: .*IR_DATASETS_HOME"):
            tiny.check()
        assert list(folder.glob("*tiny*.tmp")) == []

    try:
        assert wait(start(build)) == 0
    finally:
        if is_mounted:
            subprocess.run(["umount", str(folder)], check=True)
    tiny.check()


def change_rights(home, rights):
    """Change what people may do below a home."""
    subprocess.run(["chmod", "-R", rights, home], check=True)


def as_nobody(work):
    """Call `work` in a process without the rights of root."""

    def work_without_rights():
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        work()

    assert wait(start(work_without_rights)) == 0


def test_a_home_that_cannot_be_written_to(tiny):
    """Another user reads what was built; what is missing or damaged is an error with the remedy."""

    def refuse():
        with pytest.raises(PermissionError, match=r"cannot write to .*IR_DATASETS_HOME"):
            tiny.check()

    change_rights(tiny.home, "a-w,a+rX")
    as_nobody(refuse)
    change_rights(tiny.home, "u+w")
    tiny.check()
    os.utime(tiny.home / "tiny.jsonl", ns=(1, 1))
    change_rights(tiny.home, "a-w,a+rX")
    as_nobody(tiny.check)

    change_rights(tiny.home, "u+w")
    tiny.overwrite_half()
    change_rights(tiny.home, "a-w,a+rX")
    as_nobody(refuse)


def test_a_home_may_be_moved(tiny, monkeypatch):
    """Its stores stay valid: nothing is built again."""
    docs = tiny.make_docs()
    tiny.check(docs)
    built = tiny.path.stat()
    tiny.home = tiny.home.rename(tiny.home.with_name("moved"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(tiny.home))
    tiny.check(docs)
    assert tiny.path.stat().st_ino == built.st_ino


def test_a_fork_reads_what_its_parent_has_open(tiny):
    """Connections are not shared by processes."""
    docs = tiny.make_docs()
    running = docs.docs_iter()
    next(running)

    def read():
        assert list(running) == tiny.docs[1:]
        tiny.check(docs)

    assert wait(start(read)) == 0
    assert list(running) == tiny.docs[1:]


def test_a_fork_between_threads_that_read(tiny):
    """It inherits no lock of SQLite's that a thread of its parent holds, and so reads on."""
    docs = tiny.make_docs()
    is_over = threading.Event()

    def read_on():
        while not is_over.is_set():
            docs.docs_store().get_many(["id7", "id8"])
            next(docs.docs_iter())

    def read_in_time():
        signal.alarm(20)  # ends a process that hangs
        assert docs.docs_store().get("id7") == tiny.docs[7]

    threads = [threading.Thread(target=read_on) for _ in range(4)]
    for thread in threads:
        thread.start()
    statuses = [wait(start(read_in_time)) for _ in range(FORKS)]
    is_over.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * FORKS
