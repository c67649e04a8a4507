"""What discovery costs: interpreter start, and `import` of the hosts with and without it.

Run it with the interpreter of an environment that has the wheel installed (an editable
installation adds setuptools' own finder): ``python benchmarks/startup.py``. Runs alternate between
discovery on and off, so that a busy machine slows both; figures are medians in milliseconds.
"""

import os
import statistics
import subprocess
import sys

RUNS = 15
TIMED = "import time; t = time.perf_counter(); import {}; print((time.perf_counter() - t) * 1e3)"
#: statement -> most milliseconds that it may grow by
HOSTS = {"ir_datasets": 30, "ir_measures": 10}


def fresh(*arguments, **environment):
    """Run a fresh interpreter; returns (output, errors)."""
    env = {k: v for k, v in os.environ.items() if k not in UNSET} | environment
    done = subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def hook_cost():
    """Milliseconds of `_scholarly_hook` at interpreter start, as `-X importtime` has it."""
    lines = fresh("-X", "importtime", "-c", "pass")[1].splitlines()
    (own,) = [line.split("|")[1] for line in lines if "_scholarly_hook" in line]
    return int(own) / 1000


def median(measure):
    """Median of `RUNS` calls."""
    return statistics.median(measure() for _ in range(RUNS))


def with_and_without(module):
    """Median import time of `module` with discovery and without, taken in turn."""
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
    fresh("-c", "import ir_datasets, ir_measures, pyterrier")  # compiled once, as installed code is
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
