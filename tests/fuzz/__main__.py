"""Try random inputs: each is taken, or refused by a clear error, unchanged, and in time.

    python -m tests.fuzz --inputs 100000 --seed 1 [--kind frames] [--only 4711]

Input number n of a kind depends on seed, kind and n alone: `--only n` tries that one again, and
raises its error. What a clear error is stands in `trying`. Exit code 1 if there is a fault.
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

SHOWN = 3  # numbers of inputs that a fault is shown with


def main():
    """Try, and print a table of the kinds and every fault once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", help="one kind alone")
    parser.add_argument("--only", type=int, help="one input alone, by its number, with its error")
    parser.add_argument("--deadline", type=float, default=20.0, help="seconds for an input")
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
    """Files go to `folder`, nothing to the network, warnings nowhere."""
    os.environ.update(IR_DATASETS_HOME=str(Path(folder, "home")), HF_HUB_OFFLINE="1")
    sys.path.insert(0, os.getcwd())
    os.chdir(folder)
    socket.socket.connect = _no_network
    os.fsync = lambda handle: None  # matters to machines that lose power, and takes long
    warnings.simplefilter("ignore")


def _no_network(*_):
    raise OSError("there is no network here")


def _drawn(kind, number, seed):
    return kind.draw(random.Random(f"{seed} {kind.name} {number}"))


def _tried(kind, count, options):
    """Try `count` inputs of a kind; print what came of them; returns the number of faults."""
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
        f"{kind.name:18}{count:8,} inputs {refused:8,} refused {faults:6,} faults "
        f"{count / took:8.0f} a second, slowest {slowest:.2f} s",
        flush=True,
    )
    for same in found.values():
        numbers = ", ".join(str(number) for number, _ in same[:SHOWN])
        print(f"    {len(same)} × {same[0][1]!a:.300}  (--only {numbers})")
    return faults


def _place(result):
    """What faults have in common that are shown once: class and place of the error."""
    return result.fault.partition(" at ")[2].partition(": ")[0]


def _again(kind, options):
    value = _drawn(kind, options.only, options.seed)
    print(ascii(value).replace("\\n", "\n"))
    print(kind.use(value))
    return 0


if __name__ == "__main__":
    sys.exit(main())
