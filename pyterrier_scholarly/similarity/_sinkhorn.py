"""The Sinkhorn iteration over many small transport problems at once.

Algorithm 3.5 of J. Feydy: Geometric data analysis, beyond convolutions, PhD thesis, 2020, which is
what geomloss runs: symmetric updates while the temperature falls, then one update at the last.

Arrays end in the pairs' axis, because it is the long one: numpy works along it at full speed.
"""

import numpy as np


def schedules(diameters, blur, scaling):
    """The temperatures of every step for every pair, from its diameter down to the blur.

    As in geomloss a pair has its diameter twice, then falls while above the blur, then the blur.

    Args:
        diameters: (k,), from 0.
        blur: the last temperature, above 0.
        scaling: the ratio of one temperature to the one before, between 0 and 1.

    Returns:
        temperatures (steps of the longest schedule, k), blur behind a schedule's end; and the
        number of steps of each (k,).
    """
    # a pair of equal points has nothing to move, at any temperature
    first = np.where(diameters > 0, diameters, blur)
    falls = np.ceil(np.log(blur / first) / np.log(scaling)).clip(min=0).astype(int)
    step = np.arange(falls.max() + 2)[:, None]
    falling = first * scaling ** np.maximum(step - 1, 0)
    return np.where((step > falls) & (step > 0), blur, falling), falls + 2


def solve(costs, log_a, log_b, temperatures, steps):
    """Dual potentials of k problems of m sentences against n.

    Args:
        costs: (m, n, k).
        log_a, log_b: (m, k), (n, k), logarithms of weights, all finite.
        temperatures, steps: as from `schedules`.

    Returns:
        f (m, k), g (n, k); the cost of transport is ``a @ f + b @ g``.
    """
    f, g = np.zeros_like(log_a), np.zeros_like(log_b)
    f, g = _updates(costs, log_a, log_b, temperatures[0], f, g)
    for step, temperature in enumerate(temperatures):
        update_f, update_g = _updates(costs, log_a, log_b, temperature, f, g)
        going = step < steps  # pairs whose schedule has ended keep what they have
        f = np.where(going, (f + update_f) / 2, f)
        g = np.where(going, (g + update_g) / 2, g)
    return _updates(costs, log_a, log_b, temperatures[-1], f, g)


def moved(costs, log_a, log_b, temperature, f, g):
    """What the potentials move from each of the m to each of the n: (m, n, k)."""
    plan = costs / -temperature
    plan += (f / temperature + log_a)[:, None] + (g / temperature + log_b)
    return np.exp(plan, out=plan)


def _updates(costs, log_a, log_b, temperature, f, g):
    """Potentials with which either side, the other's left alone, would move just its weights."""
    plan = moved(costs, log_a, log_b, temperature, f, g)
    return (
        f - temperature * (np.log(plan.sum(axis=1)) - log_a),
        g - temperature * (np.log(plan.sum(axis=0)) - log_b),
    )
