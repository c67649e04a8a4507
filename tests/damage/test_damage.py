"""Test a few damages of each kind; ``python -m tests.damage`` runs hundreds."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from ir_datasets_ext.store import write_entries

from .apart import Told, apart
from .audit import Audit, unknown
from .harm import Harm, do, harms
from .judging import CLEAR, EQUAL, OTHER, RAW, SILENT, UNCLEAR, WARNED, judged
from .kind import EXACT, OWN, SAID, Kind
from .kinds import KINDS
from .making import CLOSED, FULL, KILLS, disturbed
from .site import LEFT

ROOT = Path(__file__).parents[2]
FILE = Path("/a/kept/file.json")


def finds_nothing(*arguments):
    """Run the kit in its own process, because it forks."""
    command = [sys.executable, "-m", "tests.damage", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\n0 failures\n")


@pytest.mark.slow
def test_no_damage_of_any_kind_is_silent_or_unclear():
    """A flip and another damage of every fast kind have no failure."""
    finds_nothing("--flips", "1", "--quick", "--most", "1")


@pytest.mark.slow
def test_foreign_swapped_and_missing_files_are_noticed():
    """Every damage but flips of kinds that files may come into: entries, and manifests."""
    kinds = ("embeddings", "csfcube stores", "doris-mae stores", "shards, resumed")
    finds_nothing("--flips", "0", *[word for kind in kinds for word in ("--kind", kind)])


@pytest.mark.slow
def test_kills_two_at_once_and_full_disks_are_survived():
    """One kind per mechanism: a built store, a collection, entries, an artifact, a file."""
    kinds = ("csfcube stores", "made jsonl", "embeddings", "replies", "tf-idf", "log csv.gz")
    asked = [word for kind in kinds for word in ("--kind", kind)]
    finds_nothing("--kills", "4", "--pairs", "1", "--disks", "2", *asked)


def careless(folder, before):
    """Write half a file, and a folder that is removed again."""
    (folder / "b").mkdir(exist_ok=True)
    (folder / "a").write_text("half")
    (folder / "a").write_text("half and half")
    (folder / "b").rmdir()


def read(folder):
    """Return its content."""
    return (folder / "a").read_text()


def test_a_careless_making_is_found():
    """The kit finds half files, unhelpful errors and leftovers."""
    kind = Kind("careless", careless, read)
    with ProcessPoolExecutor(1, get_context("spawn")) as small:  # fast to fork
        found = small.submit(disturbed, kind, 24, 0, 2, 0).result()
    assert {outcome for outcome, *_ in found.failures} >= {SILENT, RAW, LEFT}
    assert [found.counts[what] for what in (KILLS, FULL, CLOSED)] == [24, 2, 2]


def test_each_damage_of_stored_files_is_done(tmp_path):
    """Entries change places, another's file comes, a manifest leads out, something is no file."""
    path = tmp_path / "inner" / "a.entries"
    path.parent.mkdir()
    (tmp_path / "foreign").write_text("another's")

    def damage(what, name=path):
        with open(path, "wb") as file:
            write_entries(file, [(b"a", b"1"), (b"b", b"2"), (b"c", b"33")])
        (path.parent / "manifest.json").write_text('{"about": {}, "files": {}, "digest": ""}')
        do(Harm(what, 0), name, foreign=tmp_path / "foreign")

    damage("swapped entries")
    entries = path.read_bytes().split(b"\xabent")
    assert [entry[-2:] for entry in entries[1:3]] == [b"b2", b"a1"]
    damage("foreign")
    assert path.read_text() == "another's"
    damage("leaves its folder", path.parent / "manifest.json")
    (name,) = json.loads((path.parent / "manifest.json").read_text())["files"]
    assert (path.parent / name).resolve().parent == tmp_path
    damage("folder")
    assert path.is_dir()
    path.rmdir()
    damage("dangling link")
    assert path.is_symlink() and not path.exists()
    path.unlink()
    damage("pipe")
    assert path.is_fifo()


def test_damages_go_by_the_kind_of_file():
    """Users' own files may be pipes and links; only what is stored has places and manifests."""
    names = [Path("manifest.json"), Path("a.entries"), Path("b.txt")]
    stored = {(one.what, one.file) for one in harms(random.Random(1), names, 0)}
    assert ("leaves its folder", 0) in stored and ("swapped entries", 1) in stored
    assert {("pipe", number) for number in range(3)} < stored
    assert ("swapped entries", 2) not in stored and ("foreign", 1) not in stored
    own = {one.what for one in harms(random.Random(1), names, 0, of_users=True, foreign=True)}
    assert own == {"truncate", "empty", "older", "remove", "foreign"}


@pytest.mark.parametrize(
    "promise, told, expected",
    [
        (EXACT, Told("1"), EQUAL),
        (EXACT, Told("1", ("file.json is damaged",)), WARNED),
        (EXACT, Told("2"), SILENT),
        (EXACT, Told("2", ("file.json is damaged",)), SILENT),
        (SAID, Told("2", ("file.json is not the release's",)), SAID),
        (SAID, Told("2", ("something else",)), SILENT),
        (OWN, Told("2"), OTHER),
        (
            EXACT,
            Told(error="ValueError: /a/kept/file.json is damaged: remove it", ours=True),
            CLEAR,
        ),
        (EXACT, Told(error="ValueError: /a/kept is damaged: remove it", ours=True), CLEAR),
        (EXACT, Told(error="ValueError: it is damaged: remove it", ours=True), UNCLEAR),
        (EXACT, Told(error="ValueError: /a/kept/file.json is damaged", ours=True), UNCLEAR),
        (EXACT, Told(error="ValueError: /a/kept/file.json is damaged: remove it"), RAW),
        (EXACT, Told(error="IndexError: /a/kept/file.json: remove it", ours=True), RAW),
        (EXACT, Told(error="Crash: ended with status 11"), RAW),
    ],
)
def test_what_comes_of_a_damage_is_judged(promise, told, expected):
    """Results, warnings, errors and the promise of the kind decide."""
    kind = Kind("kind", None, None, promise=promise)
    assert judged(kind, Told("1"), told, FILE, FILE.parent) == expected


def test_a_process_apart_tells_results_and_errors():
    """It reports the result, the error, a crash or a timeout."""
    assert apart(divmod, 7, 2).result == "(3, 1)"
    assert apart(divmod, 7, 0).error.startswith("ZeroDivisionError: ")
    assert apart(os._exit, 3).error.startswith("Crash: ")
    assert apart(__import__("time").sleep, 60, seconds=0.1).error == "Crash: no answer in 0.1 s"


def test_the_audit_hears_who_writes(tmp_path):
    """It finds a module of the package that writes, but not a test that does."""
    from pyterrier_scholarly.chat import Replies, Reply

    with Audit(tmp_path) as audit:
        (tmp_path / "own").write_text("")
        Replies(tmp_path / "replies").put("0" * 64, Reply("yes"))
    (tmp_path / "later").write_text("")
    assert list(audit.found) == ["pyterrier_scholarly.chat.reply_store"]
    assert unknown(audit.found, []) == audit.found
    assert not unknown(audit.found, KINDS)


def test_the_page_says_what_a_vector_takes(tmp_path):
    """4 d + 56 bytes, and 48 for the file."""
    import numpy as np

    from pyterrier_scholarly.encoders import VectorCache

    cache = VectorCache(tmp_path)
    cache.put_many({}, {f"text {n}": np.ones((1, 8), "f4") for n in range(10)})
    assert cache.bytes == 10 * (4 * 8 + 56) + 48
