"""Damage every kind of stored file: ``python -m tests.damage --flips 200 --seed 0``."""

import argparse
import sys
from collections import Counter

from .judging import FAILURES, FINE
from .kinds import KINDS
from .making import COUNTED, disturbed
from .running import tally


def main(arguments=None):
    """Print a table of kinds, and the failures; return the number of failures."""
    parser = argparse.ArgumentParser(prog="tests.damage", description=__doc__)
    parser.add_argument("--flips", type=int, default=200, help="changes of single bytes, per kind")
    parser.add_argument(
        "--kills", type=int, default=0, help="interrupted writes, per kind; no damage"
    )
    parser.add_argument("--pairs", type=int, default=0, help="concurrent writes, per kind")
    parser.add_argument("--disks", type=int, default=0, help="writes to a full disk, per kind")
    parser.add_argument("--seed", type=int, default=0, help="of all random choices")
    parser.add_argument("--kind", action="append", help="only kinds with this in their name")
    parser.add_argument("--quick", action="store_true", help="skip slow kinds")
    parser.add_argument("--most", type=int, help="other damages per kind; default: all")
    parser.add_argument("--show", type=int, default=3, help="failures of a kind to show")
    parser.add_argument("--traces", action="store_true", help="show their tracebacks")
    options = parser.parse_args(arguments)
    makings = options.kills, options.pairs, options.disks
    columns = COUNTED if any(makings) else (*FINE, *FAILURES)
    print(_row("kind", "files", *columns))
    failed, all_of = 0, Counter()
    for kind in KINDS:
        asked = not options.kind or any(part in kind.name for part in options.kind)
        if not asked or (kind.slow and options.quick) or (any(makings) and not kind.writers):
            continue
        if any(makings):
            found = disturbed(kind, *makings, options.seed)
        else:
            found = tally(kind, options.flips, options.seed, options.most)
        all_of += found.counts
        print(_row(kind.name, found.files, *(found.counts[one] for one in columns)))
        for outcome, what, told in found.failures[: options.show]:
            print(f"    {outcome} {what}: {told.error or told.warnings}"[:600])
            if options.traces:
                print(told.trace)
        failed += len(found.failures)
        sys.stdout.flush()
    print(_row("all", "", *(all_of[one] for one in columns)))
    print(f"{failed} failures")
    return failed


def _row(name, *cells):
    return f"{name:28}" + "".join(f"{cell!s:>12}" for cell in cells)


if __name__ == "__main__":
    sys.exit(bool(main()))
