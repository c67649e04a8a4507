"""Shared by the benchmarks: a clean environment, CSFCube, a model, alternating runs."""

import os
import statistics
import sys
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

from _common import release

CLEAN = ("OPENBLAS_CORETYPE", "PYTHONDONTWRITEBYTECODE")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def clean(threads=None):
    """Restart this script without disturbing environment variables, and print the settings.

    Args:
        threads: of numpy's and PyTorch's products; None does not change them.
    """
    wanted = {name: value for name, value in os.environ.items() if name not in CLEAN}
    if threads is not None:
        wanted.update(dict.fromkeys(THREADS, str(threads)))
    wanted["HF_HUB_OFFLINE"] = "1"
    if wanted != dict(os.environ):  # libraries read these on import
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)
    print("environment:", *(f"{name}={os.environ.get(name, 'unset')}" for name in CLEAN + THREADS))


def print_versions(*names):
    """Print one line with versions of packages, and the number of processors."""
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} missing")
    print(f"{', '.join(found)}, Python {sys.version.split()[0]}, {os.cpu_count()} processors")


@contextmanager
def csfcube():
    """Open CSFCube from $SCHOLARLY_DATA (default ../shared/data), else from ir_datasets."""
    with release("csfcube"):
        yield "csfcube/all"


def alternating(ways, repeats):
    """Call the ways in turns; return the median seconds and the result of each."""
    taken, given = {name: [] for name in ways}, {}
    for _ in range(repeats):
        for name, way in ways.items():
            start = perf_counter()
            given[name] = way()
            taken[name].append(perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}, given
