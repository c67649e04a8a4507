"""Time the registration: the interpreter's start, and imports of the hosts with and without it.

Run ``python benchmarks/startup.py`` in an environment with the installed wheel (an editable
installation adds setuptools' own finder). Runs with and without registration alternate, so that a
busy machine slows both; figures are medians in milliseconds.
"""

import os
import statistics
import subprocess
import sys

RUNS = 15
TIMED = "import time; t = time.perf_counter(); import {}; print((time.perf_counter() - t) * 1e3)"
#: statement -> limit of the additional milliseconds
HOSTS = {"ir_datasets": 30, "ir_measures": 10}


def fresh(*arguments, **environment):
    """Run a new interpreter; return (output, errors)."""
    env = {k: v for k, v in os.environ.items() if k not in UNSET} | environment
    done = subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def hook_cost():
    """Return the milliseconds of `_scholarly_hook` at interpreter start, from `-X importtime`."""
    lines = fresh("-X", "importtime", "-c", "pass")[1].splitlines()
    (own,) = [line.split("|")[1] for line in lines if "_scholarly_hook" in line]
    return int(own) / 1000


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
    print(f"interpreter start: hook {median(hook_cost):.3f} (at most 1)")
    for module, limit in HOSTS.items():
        on, off = with_and_without(module)
        print(
            f"import {module}: {off:.1f} without, {on:.1f} with, +{on - off:.1f} (at most {limit})"
        )
    on, _ = with_and_without("pyterrier")
    after = TIMED.format("pyterrier_scholarly").replace("import time", "import pyterrier, time")
    ours = median(lambda: float(fresh("-c", after)[0]))
    print(
        f"import pyterrier: {on:.0f}; import pyterrier_scholarly after it: +{ours:.2f} (at most 50)"
    )


UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE")

if __name__ == "__main__":
    main()
