"""Mining that is killed, or runs out of disk, leaves nothing half-written; again, it finishes."""

import os
import signal
import subprocess
import sys

import ir_datasets
import pytest

from pyterrier_scholarly import mine_log

SMALL = dict(pairs=200, queries=5, successors=8, relevant=3, verbose=False)

#: mine, and wait for ever in the step that is named, after saying so
HELD = """
import sys, time
from pathlib import Path
import ir_datasets_ext.local.writer as writer
from pyterrier_scholarly.logs import collection
path, step = sys.argv[1:]

def wait(*_):
    print("here", flush=True)
    time.sleep(600)

if step == "writing":
    writer.place = wait  # all tables are written by then
else:
    mined = collection.mined
    at = lambda name: wait() if name == step else None
    collection.mined = lambda *given: mined(*given[:-1], at)
numbers = dict(pairs=200, queries=5, successors=8, relevant=3, verbose=False)
collection.mine_log(path, "ours", **numbers)
"""

#: mine with files that may not grow beyond a size, and in so much memory
FULL = """
import resource, sys
from pyterrier_scholarly import mine_log
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
mine_log(sys.argv[1], "ours", verbose=False, memory=sys.argv[3], pairs=1000)
"""


def visible(home):
    """The collections that are there, half-written ones included."""
    return [path.name for path in home.glob("*") if not path.name.startswith(".")]


@pytest.mark.parametrize("step", ["following", "choosing queries", "writing"])
def test_killed_in_the_middle(home, file, step):
    """Killed in a step, there is no collection; the next run makes it and clears what was left."""
    command = [sys.executable, "-c", HELD, str(file), step]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGKILL)
    assert visible(home) == []
    mine_log(file, "ours", **SMALL)
    assert ir_datasets.load("download-log/ours/100q").queries_count() == 5
    assert visible(home) == ["ours"]
    assert sorted(os.listdir(home)) == [".spill", "ours"]
    assert os.listdir(home / ".spill") == []


def full(path, limit, memory):
    """Run FULL; returns its process."""
    command = [sys.executable, "-c", FULL, str(path), str(limit), memory]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_full_disk_while_it_is_written(home, file):
    """What cannot be written is an error that names the folder; nothing is left of it."""
    done = full(file, 1000, "1GB")
    assert f"OSError: cannot write to {home}: File too large. Set" in done.stderr
    assert os.listdir(home) == [".spill"]
    assert os.listdir(home / ".spill") == []
    mine_log(file, "ours", **SMALL)
    assert visible(home) == ["ours"]


def test_a_full_disk_while_it_is_mined(home, tmp_path):
    """DuckDB's failure to spill says where it was, and what to do; nothing is left of it."""
    from pyterrier_scholarly import synthetic_log

    synthetic_log(2000, 5, 1000, 100_000, robots=0).write(tmp_path / "log.parquet")
    done = full(tmp_path / "log.parquet", 100_000, "15MB")
    assert "OSError: mining stopped:" in done.stderr
    assert "say another folder with spill=" in done.stderr
    assert os.listdir(home) == [".spill"]
    assert os.listdir(home / ".spill") == []
