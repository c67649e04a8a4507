"""Insert small faults into the code, one at a time, and check that a test fails.

    python -m tests.mutants --seed 1 --count 50 [--of CHECKOUT] [--beside CHECKOUT] [--only 7]

The test files that call the changed function run in a copy of the tree, the fastest first, until a
test fails. Tests that fail without the fault are skipped. `--of` takes code and tests of another
checkout. `--beside` draws only changes that are also possible in that checkout, to compare two.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

from . import running
from .changes import mutants

HERE = Path(__file__).resolve().parents[2]
PACKAGES = ("similarity", "stats", "measures", "transformers")
TREE = ("pyterrier_scholarly", "ir_datasets_ext", "examples", "benchmarks", "tests")
FILES = ("*.py", "*.md", "*.toml", "*.pth", "Makefile")


def drawn(seed, count, code, *others):
    """Draw mutants of a checkout's code that the others have, too.

    Each draw is independent, so a change elsewhere in the code changes no other mutant.
    """
    known = [every(other) for other in others]
    shared = [(key, m) for key, m in every(code).items() if all(key in of for of in known)]
    shared.sort(key=lambda pair: sha256(f"{seed} {pair[0]}".encode()).digest())
    return sorted((m for _, m in shared[:count]), key=lambda mutant: (mutant.file, mutant.start))


def every(code):
    """Return all mutants of a checkout's code, by a key that other versions share."""
    found, times = {}, Counter()
    for package in PACKAGES:
        for path in sorted((code / "pyterrier_scholarly" / package).rglob("*.py")):
            for mutant in mutants(path.relative_to(code).as_posix(), path.read_bytes()):
                key = mutant.file, mutant.text, mutant.was, mutant.now
                times[key] += 1
                found[(*key, times[key])] = mutant
    return found


def copied(code, folder):
    """Copy a checkout's code and tests to a folder."""
    root, skipped = Path(folder, "tree").resolve(), shutil.ignore_patterns("__pycache__")
    for name in TREE:
        shutil.copytree(code / name, root / name, ignore=skipped)
    for path in (path for pattern in FILES for path in code.glob(pattern)):
        shutil.copy(path, root)
    return root


def main():
    """Print each mutant, its result, and the first failing test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--only", type=int, help="only the drawn mutant with this number")
    parser.add_argument("--of", type=Path, default=HERE, help="the checkout to test; default: this")
    parser.add_argument("--beside", type=Path, default=HERE, help="the checkout to compare with")
    parser.add_argument("--marked", default="not slow", help="which tests, as `pytest -m`")
    options = parser.parse_args()
    os.environ.setdefault("SCHOLARLY_DATA", str(HERE.parent / "shared" / "data"))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    code, beside = options.of.resolve(), options.beside.resolve()
    chosen = list(enumerate(drawn(options.seed, options.count, code, beside)))
    with tempfile.TemporaryDirectory() as folder:
        root = copied(code, folder)
        os.environ["PYTHONPATH"] = str(root)
        running.load()
        paths = [f"tests/{p}" for p in PACKAGES if (root / "tests" / p).is_dir()]
        seen = running.apart(running.observed, root, paths, options.marked, limit=3600)
        print(f"{len(seen[0])} test files, {sum(seen[0].values()):.0f} s; skipped: {seen[2] or 0}")
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
