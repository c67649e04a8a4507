"""Signs of life of long work: tqdm's bars on stderr.

    with progress("judge", total=len(pairs), unit="request") as bar:
        for pair in pairs:
            ask(pair)
            bar.update()

In a log (stderr is a file or a pipe), where nothing can move, a bar is a line without its blocks.
A bar of work that cannot be counted is removed when the work ends.
"""

import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import length_hint
from typing import TypeVar

from tqdm.std import tqdm

Item = TypeVar("Item")

COUNTED_IN_LOGS = "{desc}: {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}]"
UNCOUNTED = "{desc} …"  # without the time: tqdm draws a bar when it counts, so a clock would stand
SECONDS_IN_LOGS = 10  # from one sign to the next


def progress(desc: str, total: int | None = None, unit: str = "", verbose: bool = True) -> tqdm:
    """Return a bar of tqdm, for a `with` block.

    Args:
        desc: what is done; the bar's `set_description_str` says what is done now.
        total: parts, each counted by the bar's `update`; None if they cannot be counted.
        unit: name of a part.
        verbose: False shows nothing. Neither does a total of 0.
    """
    can_move = bars_can_move()
    bar_format = None if can_move else COUNTED_IN_LOGS
    if total is None:
        bar_format = UNCOUNTED
    return tqdm(
        desc=desc,
        total=total,
        unit=unit,
        disable=not verbose or total == 0,
        leave=total is not None,
        bar_format=bar_format,
        # elsewhere than on a terminal, a bar within a bar would print codes that move the cursor
        position=None if sys.stderr.isatty() else 0,
        mininterval=0.1 if can_move else SECONDS_IN_LOGS,
        smoothing=0,  # the rate is that of all parts, not of the last ones
    )


def counted(
    items: Iterable[Item], desc: str, unit: str, total: int | None = None, verbose: bool = True
) -> Iterator[Item]:
    """Yield the items, and count them by `progress`; total: default their length."""
    if total is None:
        total = length_hint(items)

    with progress(desc, total, unit, verbose) as bar:
        for item in items:
            yield item
            bar.update()


def say(text: str) -> None:
    """Print a line on stderr, above its bars."""
    tqdm.write(text, file=sys.stderr)


@lru_cache
def say_once(text: str) -> None:
    """Print a line on stderr, once per process."""
    say(text)


def bars_can_move() -> bool:
    """Return whether stderr is a terminal or a notebook, where a bar can change in place."""
    return sys.stderr.isatty() or _is_notebook()


def _is_notebook() -> bool:
    """Return whether this process is a notebook's kernel; without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")
