"""Time the registration: the interpreter's start, and imports of the hosts with and without it.

Run ``python benchmarks/startup.py`` in an environment with the installed wheel. Runs with and
without registration alternate, so that a busy machine slows both; figures are medians of the
processor's milliseconds.
"""

import os
import statistics
import subprocess
import sys

RUNS = 15
TIMED = "import time; t = time.process_time(); import {}; print((time.process_time() - t) * 1e3)"
LINE = """
import pathlib, site, time
line = pathlib.Path(site.getsitepackages()[0], "scholarly.pth").read_text()
t = time.perf_counter()
exec(line)
print((time.perf_counter() - t) * 1e3)
"""
#: what is imported -> limit of the additional milliseconds
IMPORTS = {
    "pyterrier_scholarly": 1,
    "pyterrier_scholarly, ir_datasets": 100,
    "pyterrier_scholarly, ir_measures": 40,
    "pyterrier": 50,
}


def fresh(*arguments, **environment):
    """Run a new interpreter; return (output, errors)."""
    env = {k: v for k, v in os.environ.items() if k not in UNSET} | environment
    done = subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def median(measure):
    """Return the median of `RUNS` calls."""
    return statistics.median(measure() for _ in range(RUNS))


def with_and_without(module):
    """Return median import times of `module` with and without registration, in turns."""
    times = {"1": [], "0": []}
    for _ in range(RUNS):
        for switch, found in times.items():
            found.append(
                float(fresh("-c", TIMED.format(module), PYTERRIER_SCHOLARLY_DISCOVERY=switch)[0])
            )
    return [statistics.median(found) for found in times.values()]


def main():
    """Print the table."""
    print(f"unset: {', '.join(UNSET)}; {sys.version.split()[0]}; medians of {RUNS} runs, ms")
    fresh("-c", "import ir_datasets, ir_measures, pyterrier")  # compile once, like installed code
    start = median(lambda: float(fresh("-c", LINE)[0]))
    print(f"interpreter start: scholarly.pth {start:.3f} (at most 1)")
    for module, limit in IMPORTS.items():
        on, off = with_and_without(module)
        print(
            f"import {module}: {off:.1f} without, {on:.1f} with, +{on - off:.1f} (at most {limit})"
        )


UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE")

if __name__ == "__main__":
    main()
