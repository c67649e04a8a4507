"""Signs of life of long work on stderr: bars on a terminal and in notebooks, lines elsewhere."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import length_hint
from threading import Event, Thread
from typing import TypeVar

import pyterrier as pt
from tqdm.std import tqdm

Item = TypeVar("Item")

EVERY = 1  # seconds between two signs
FIRST, ELSEWHERE = 2, 5  # without a terminal or notebook: before the first, and between two
LINE = "{desc}: {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}]"
CLOCK = "{desc}: {elapsed}"  # of work that cannot be counted

_open: list[tqdm] = []  # bars, the innermost last


def say(text: str) -> None:
    """Print a line on stderr, above progress bars."""
    pt.tqdm.write(text, file=sys.stderr)


@lru_cache
def say_once(text: str) -> None:
    """Print a line on stderr, once per process."""
    say(text)


def watched() -> bool:
    """Tell whether somebody watches: on a terminal or in a notebook, where bars can be shown."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or hasattr(shell, "kernel")


@contextmanager
def progress(
    desc: str, total: int | None = None, unit: str = "", verbose: bool = True
) -> Iterator[tqdm]:
    """Show that work goes on, also while a single part of it takes long.

    Args:
        desc: what is done.
        total: parts, each counted by the bar's `update`; None if they cannot be counted.
        unit: name of a part.
        verbose: False shows nothing.

    Yields:
        The bar of tqdm, PyTerrier's `pt.tqdm` if somebody watches. Elsewhere it prints a line every
        few seconds, and one at the end of work that is counted.
    """
    seen = watched()
    settings: dict[str, object] = {
        "desc": desc,
        "total": total,
        "unit": unit,
        "smoothing": 0,
        "disable": not verbose,
        "bar_format": None if seen else LINE,
    }
    if total is None:  # nothing is shown of short work
        settings |= {"bar_format": CLOCK, "leave": False, "delay": EVERY}
    elsewhere = {"file": _Lines(), "mininterval": ELSEWHERE, "delay": ELSEWHERE}
    settings |= _size() if seen else elsewhere
    with (pt.tqdm if seen else tqdm)(**settings) as bar:
        ended = Event()
        thread = Thread(target=_beat, args=(bar, ended, seen), daemon=True)
        if verbose:
            _open.append(bar)
            thread.start()
        try:
            yield bar
        finally:
            if verbose:
                ended.set()
                thread.join()
                _open.remove(bar)
                bar.delay = 0 if total is not None else bar.delay  # counted work shows its end


def counted(
    items: Iterable[Item], desc: str, unit: str, total: int | None = None, verbose: bool = True
) -> Iterator[Item]:
    """Yield the items, and count them by `progress`; total: default their length."""
    with progress(desc, length_hint(items) if total is None else total, unit, verbose) as bar:
        for item in items:
            yield item
            bar.update()


def _beat(bar: tqdm, ended: Event, seen: bool) -> None:
    """Show a bar again and again, so that its clock goes; elsewhere only the innermost bar."""
    pause = EVERY if seen else FIRST
    while not ended.wait(pause):
        pause = EVERY if seen else ELSEWHERE
        if seen or bar is _open[-1]:
            with bar.get_lock():
                bar.last_print_t = bar._time()
                bar.refresh(nolock=True)


def _size() -> dict[str, int]:
    """Return a usual size for a pseudo-terminal that has none, on which tqdm would show nothing."""
    with suppress(OSError, ValueError):  # no terminal
        if not all(os.get_terminal_size(sys.stderr.fileno())):
            return {"ncols": 79, "nrows": 23}
    return {}


class _Lines:
    """A file for bars, in which each state of a bar is a line on stderr."""

    def write(self, text: str) -> None:
        """Write a line."""
        if text := text.strip():
            sys.stderr.write(f"{text}\n")

    def flush(self) -> None:
        """Write lines at once."""
        sys.stderr.flush()
