"""Put small faults into the code, one at a time, and see which the tests find.

    python -m tests.mutants --seed 1 --count 50 [--tests ../another-checkout] [--only 7]

A seed draws the same mutants from the same code. `--tests` takes another checkout's tests to them.
A mutant is shown to the test files that call its function, the quickest first, in a copy of the
tree, until a test fails. Tests that fail without it are left out.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from . import running
from .changes import mutants

HERE = Path(__file__).resolve().parents[2]
PACKAGES = ("similarity", "stats", "measures", "transformers")
TREE = ("pyterrier_scholarly", "ir_datasets_ext", "examples", "benchmarks")
FILES = ("*.py", "*.md", "*.toml", "*.pth", "Makefile")


def drawn(seed, count):
    """So many mutants of the packages' code, drawn by the seed, in the order of the files."""
    found = [
        mutant
        for package in PACKAGES
        for path in sorted((HERE / "pyterrier_scholarly" / package).rglob("*.py"))
        for mutant in mutants(path.relative_to(HERE).as_posix(), path.read_bytes())
    ]
    numbers = sorted(random.Random(seed).sample(range(len(found)), min(count, len(found))))
    return [found[number] for number in numbers]


def copied(tests, folder):
    """Copy this code, and the tests of the checkout `tests`, to a folder."""
    root, skipped = Path(folder, "tree").resolve(), shutil.ignore_patterns("__pycache__")
    for name in TREE:
        shutil.copytree(HERE / name, root / name, ignore=skipped)
    shutil.copytree(Path(tests, "tests"), root / "tests", ignore=skipped)
    for path in (path for pattern in FILES for path in HERE.glob(pattern)):
        shutil.copy(path, root)
    return root


def main():
    """Print each mutant, what became of it, and the first test that failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--only", type=int, help="one of the mutants drawn, by its number")
    parser.add_argument("--tests", default=HERE, help="the checkout whose tests are run")
    parser.add_argument("--marked", default="not slow", help="which tests, as `pytest -m`")
    options = parser.parse_args()
    os.environ.setdefault("SCHOLARLY_DATA", str(HERE.parent / "shared" / "data"))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    chosen = list(enumerate(drawn(options.seed, options.count)))
    with tempfile.TemporaryDirectory() as folder:
        root = copied(options.tests, folder)
        os.environ["PYTHONPATH"] = str(root)
        running.load()
        paths = [f"tests/{p}" for p in PACKAGES if (root / "tests" / p).is_dir()]
        seen = running.apart(running.observed, root, paths, options.marked, limit=3600)
        print(f"{len(seen[0])} test files, {sum(seen[0].values()):.0f} s; left out: {seen[2] or 0}")
        lives = [
            _lives(root, number, mutant, seen, options.marked)
            for number, mutant in chosen
            if options.only in (None, number)
        ]
    print(f"{len(lives) - sum(lives)} of {len(lives)} killed")


def _lives(root, number, mutant, seen, marked):
    seconds, callers, failed = seen
    inside = mutant.function
    files = set().union(
        *(
            files
            for (file, line), files in callers.items()
            if file == str(root / mutant.file) and (not inside or line == inside)
        )
    )
    source = (root / mutant.file).read_bytes()
    (root / mutant.file).write_bytes(mutant.applied(source))
    by = ""
    if files:
        limit = 60 + 5 * sum(seconds[file] for file in files)
        by = running.apart(
            running.killed, root, sorted(files, key=seconds.get), marked, failed, limit=limit
        )
    (root / mutant.file).write_bytes(source)
    said = f"killed by {by}" if by else "SURVIVED" if by == "" else "killed: no end, or no process"
    print(f"{number:3} {mutant}\n      {said}", flush=True)
    return by == ""


if __name__ == "__main__":
    main()
