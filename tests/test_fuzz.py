"""The fuzz script finds what it is to find, and a short run of it finds nothing."""

import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from .fuzz.trying import tried

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_short_run_finds_nothing():
    """A few hundred inputs of every kind are taken, or refused clearly, unchanged and in time."""
    command = [sys.executable, "-m", "tests.fuzz", "--inputs", "300", "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith(" 0 faults")


@pytest.mark.slow
def test_the_same_number_is_the_same_input():
    """An input can be had again, alone."""
    command = [sys.executable, "-m", "tests.fuzz", "--kind", "measures", "--only", "4"]
    once, again = (subprocess.run(command, cwd=ROOT, capture_output=True) for _ in range(2))
    assert once.stdout == again.stdout != b""


def _raises(value):
    raise KeyError("short")


@pytest.mark.parametrize(
    ("use", "fault"),
    [
        (lambda value: value.append(2), "input changed"),
        (lambda value: sleep(9), "hang"),
        (lambda value: value["a"], "raw: TypeError"),
        (lambda value: 1 / 0, "another class: ZeroDivisionError"),
        (_raises, "raw: KeyError"),
        (lambda value: sys.exit("no"), "SystemExit 'no'"),
    ],
)
def test_faults_are_found(use, fault):
    """A changed input, a hang, an error that no statement of ours raised: each has its name."""
    assert tried(use, [1], seconds=0.2).fault.startswith(fault)


def test_a_clear_error_is_no_fault():
    """One that the package raised, with a value and what to do."""
    from pyterrier_scholarly.datasets import irds

    result = tried(irds, "no-such-dataset")
    assert result.refused
    assert result.fault == ""
