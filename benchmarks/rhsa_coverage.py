"""Measure how often rHSA's slope is within two standard errors of the truth, and why.

    python benchmarks/rhsa_coverage.py [--trials N]

Distances are drawn with densities proportional to exp(-a x) for similar and exp(-b x) for random
pairs on 0..1: the log ratio of their histograms is then exactly linear in a bin's middle, of slope
a - b. Shapes "u" have uniform random pairs; in shapes "r" their density rises towards 1. Numbers of
similar and random pairs are equal. There are N seeded trials (default 400), half as many for a
million pairs. The script fails if a figure is out of its limits.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pyterrier_scholarly.protocols import KRSTOVSKI_2016
from pyterrier_scholarly.stats import Histogram, histogram_slope

#: name -> rates a and b of similar and random pairs
SHAPES = {"4u": (4, 0), "8u": (8, 0), "17u": (17, 0), "8r": (4, -4), "17r": (9, -8)}
STEEP = {"25": (13, -12)}  # for few, wide bins
BINS = (20, 50, 100)
SIZES = (1_000, 10_000, 100_000, 1_000_000)
WAYS = {fit: {"fit": fit} for fit in ("binomial", "expected", "observed")}
WAYS["paper"] = KRSTOVSKI_2016.line


def draw(random, rate, size):
    """Draw from a density proportional to exp(-rate x) on 0..1, by its inverse distribution."""
    uniform = random.random(size)
    return -np.log1p(uniform * np.expm1(-rate)) / rate if rate else uniform


def histograms(shape, bins, size, trials):
    """Yield, per trial: number of bins -> histograms of similar and of random pairs."""
    for trial in range(trials):
        random = np.random.default_rng([trial, size, *map(ord, shape)])
        pairs = [draw(random, rate, size) for rate in (SHAPES | STEEP)[shape]]
        yield {number: [Histogram(number).add(values) for values in pairs] for number in bins}


def fitted(shape, bins, size, trials, ways):
    """Fit the slopes of each trial.

    Args:
        ways: dict from a name to the arguments of `histogram_slope`.

    Returns:
        Dict from bins and name to an array (trials, 4): slope, error, chi²/dof, whether usable.
    """
    found = {(number, name): [] for number in bins for name in ways}
    for drawn in histograms(shape, bins, size, trials):
        for number, name in found:
            slope = histogram_slope(*drawn[number], **ways[name])
            row = (-slope.sign * slope.value, slope.error, slope.reduced_chi2, not slope.reason)
            found[number, name].append(row)
    return {cell: np.array(rows) for cell, rows in found.items()}


def described(rows, shape):
    """Compute coverage, share of usable trials, mean chi²/dof and root mean square error."""
    similar, random = (SHAPES | STEEP)[shape]
    rows, usable = rows[rows[:, 3] > 0], rows[:, 3].mean()
    if not len(rows):
        return np.nan, usable, np.nan, np.nan
    off = rows[:, 0] - (similar - random)
    covered = (np.abs(off) <= 2 * rows[:, 1]).mean()
    return covered, usable, np.nanmean(rows[:, 2]), np.sqrt((off**2).mean())


def coverage(trials):
    """Print the cells; return complaints."""
    complaints = []
    print("coverage of ± 2 standard errors in percent (* three usable bins in under 95 %);")
    print("chi²/dof of expected\n", flush=True)
    print(f"{'shape':6}{'bins':>5}{'pairs':>9}" + "".join(f"{f:>10}" for f in WAYS) + "   chi²/dof")
    for shape in SHAPES:
        for size in SIZES:
            number = trials // 2 if size == SIZES[-1] else trials
            cells = fitted(shape, BINS, size, number, WAYS)
            for bins in BINS:
                told = {f: described(cells[bins, f], shape) for f in WAYS}
                complaints += promised(told, f"{shape}, {bins} bins, {size} pairs")
                shown = "".join(
                    f"{f'{100 * c:.1f}' + ('*' if u < 0.95 else ''):>10}"
                    for c, u, _, _ in told.values()
                )
                chi2 = told["expected"][2]
                print(f"{shape:6}{bins:5}{size:9}{shown}{chi2:11.2f}", flush=True)
    return complaints


def promised(told, cell):
    """List the limits that a cell exceeds: coverage 91 to 99 %, chi²/dof 0.9 to 1.15."""
    (binomial, *_), (expected, usable, chi2, _) = told["binomial"], told["expected"]
    checks = {"binomial": 0.91 <= binomial <= 0.99}
    if usable >= 0.95:
        checks["expected"] = 0.91 <= expected <= 0.99
        checks["chi²/dof"] = 0.9 <= chi2 <= 1.15
    return [f"{cell}: {name}" for name, kept in checks.items() if not kept]


def parts(trials):
    """Print the effect of each part; return complaints."""
    print("\nthe effect of each part")
    (rows,) = fitted("8u", (50,), 1_000, trials, {"": dict(fit="observed")}).values()
    flat = described(rows, "8u")[0]
    print(f"observed counts, slope 8, 50 bins, 1000 pairs: coverage {100 * flat:.0f} %")

    ways = {name: dict(x_error=name) for name in ("mean", "none")}
    wide = fitted("25", (5,), 100_000, trials, ways)
    mean, none = (described(wide[5, name], "25")[2] for name in ways)
    print(f"5 bins, slope 25, 100000 pairs: chi²/dof {mean:.2f}, without errors in x {none:.2f}")

    ratio = unweighted(trials)
    print(f"slope 17, 50 bins, 100000 pairs: unweighted line, error {ratio:.1f} times larger")

    ways = {name: dict(x_error=name) for name in ("mean", "spread")}
    many = fitted("17u", (20,), 1_000_000, trials // 2, ways)
    small, large = (described(many[20, name], "17u")[3] for name in ways)
    print(f"slope 17, 20 bins, 1000000 pairs: x_error='spread', error {large / small:.1f} times")
    kept = {
        "observed under 70 %": flat < 0.7,
        "errors in x": 0.9 <= mean <= 1.15 and none > 1.2,
        "count errors": ratio >= 5,
        "spread": large >= 3 * small,
    }
    return [name for name, true in kept.items() if not true]


def unweighted(trials):
    """Divide the root mean square error of an unweighted line by that of `histogram_slope`."""
    truth, plain, ours = SHAPES["17u"][0], [], []
    for drawn in histograms("17u", (50,), 100_000, trials):
        slope = histogram_slope(*drawn[50], fit="observed")
        x, y = (slope.points[axis][slope.used] for axis in "xy")
        plain.append(-np.polyfit(x, y, 1)[0] - truth)
        ours.append(histogram_slope(*drawn[50]).value - truth)
    return np.sqrt(np.mean(np.square(plain)) / np.mean(np.square(ours)))


def main():
    """Print both tables; fail if a figure is out of its limits."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--trials", type=int, default=400)
    trials = arguments.parse_args().trials
    start = perf_counter()
    complaints = coverage(trials) + parts(trials)
    print(f"\n{perf_counter() - start:.0f} s")
    raise SystemExit("\n".join(["out of limits:", *complaints]) if complaints else 0)


if __name__ == "__main__":
    main()
