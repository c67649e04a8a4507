"""Try random inputs: each is accepted, or rejected by a clear error, in time and unchanged.

    python -m tests.fuzz --inputs 100000 --seed 1 [--kind frames] [--only 4711]

Input n of a kind depends only on seed, kind and n: `--only n` repeats it and raises its error. For
clear errors see `trying`. The exit code is 1 after a fault.
"""

import argparse
import os
import random
import socket
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from time import perf_counter

SHOWN = 3  # input numbers to show per fault


def main():
    """Try inputs; print a table of kinds, and each fault once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000, help="over all kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", help="only this kind")
    parser.add_argument("--only", type=int, help="only the input with this number; raise its error")
    parser.add_argument("--deadline", type=float, default=20.0, help="seconds per input")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _shut_in(folder)
        from tests.fuzz.kinds import KINDS

        kinds = [kind for kind in KINDS if options.kind in (None, kind.name)]
        if not kinds:
            parser.error(f"--kind {options.kind}: choose one of {[k.name for k in KINDS]}")
        if options.only is not None:
            return _again(kinds[0], options)
        total, start = sum(kind.share for kind in kinds), perf_counter()
        counts = [max(1, round(options.inputs * kind.share / total)) for kind in kinds]
        faults = sum(_tried(kind, count, options) for kind, count in zip(kinds, counts))
        took = perf_counter() - start
    count = sum(counts)
    print(f"{count:,} inputs in {took:.0f} s ({count / took:.0f} a second): {faults} faults")
    return int(faults > 0)


def _shut_in(folder):
    """Write files to `folder`, block the network, hide warnings."""
    os.environ.update(IR_DATASETS_HOME=str(Path(folder, "home")), HF_HUB_OFFLINE="1")
    sys.path.insert(0, os.getcwd())
    os.chdir(folder)
    socket.socket.connect = _no_network
    os.fsync = lambda handle: None  # only matters after a power loss, and is slow
    warnings.simplefilter("ignore")


def _no_network(*_):
    raise OSError("there is no network here")


def _drawn(kind, number, seed):
    return kind.draw(random.Random(f"{seed} {kind.name} {number}"))


def _tried(kind, count, options):
    """Try `count` inputs of a kind; print the results; return the number of faults."""
    from tests.fuzz.trying import tried

    found, refused, seconds, start = {}, 0, Counter(), perf_counter()
    for number in range(count):
        result = tried(kind.use, _drawn(kind, number, options.seed), options.deadline)
        refused += result.refused
        seconds[number] = result.seconds
        if result.fault:
            found.setdefault(result.fault.partition(": ")[0] + _place(result), []).append(
                (number, result.fault)
            )
    took = perf_counter() - start
    faults = sum(map(len, found.values()))
    slowest = max(seconds.values(), default=0)
    print(
        f"{kind.name:18}{count:8,} inputs {refused:8,} rejected {faults:6,} faults "
        f"{count / took:8.0f} a second, slowest {slowest:.2f} s",
        flush=True,
    )
    for same in found.values():
        numbers = ", ".join(str(number) for number, _ in same[:SHOWN])
        print(f"    {len(same)} × {same[0][1]!a:.300}  (--only {numbers})")
    return faults


def _place(result):
    """Return class and place of the error; faults with equal ones are shown once."""
    return result.fault.partition(" at ")[2].partition(": ")[0]


def _again(kind, options):
    value = _drawn(kind, options.only, options.seed)
    print(ascii(value).replace("\\n", "\n"))
    print(kind.use(value))
    return 0


if __name__ == "__main__":
    sys.exit(main())
