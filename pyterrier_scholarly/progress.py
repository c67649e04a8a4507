"""Signs of life of long work: bars on a terminal, one line each in notebooks and logs.

    with progress("judge", total=len(pairs), unit="request") as bar:
        for pair in pairs:
            ask(pair)
            bar.update()

A terminal shows tqdm's bars. A notebook shows one line for each bar, which changes in place, so no
widgets are needed and a saved notebook has its end. A log (stderr is a file or a pipe) cannot
change what is written: it gets a line when the work ends, and until then now and then another one.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, repeat
from operator import length_hint
from threading import Event, Thread
from time import monotonic
from typing import Any, TypeVar

import pyterrier as pt
from tqdm.std import tqdm

Item = TypeVar("Item")

COUNTED = "{desc}: {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}]"
UNCOUNTED = "{desc}: {elapsed}"

SECONDS_BETWEEN_SIGNS = 1  # where a bar or a line can change
#: before the first line about unfinished work in a log, before the second, …; then the last again
SECONDS_BETWEEN_LOG_LINES = (2, 5, 10, 20, 40, 60)

_open_bars: list["Bar"] = []  # of `progress`; the innermost is the last


@contextmanager
def progress(
    desc: str, total: int | None = None, unit: str = "", verbose: bool = True
) -> Iterator["Bar"]:
    """Show that work goes on, also while a single part of it takes long.

    Args:
        desc: what is done.
        total: parts, each counted by the bar's `update`; None if they cannot be counted.
        unit: name of a part.
        verbose: False shows nothing. Neither does a total of 0.
    """
    if not verbose or total == 0:
        yield Bar(desc, total, unit)
        return

    bar_class = _choose_bar_class()
    bar = bar_class(desc, total, unit)
    has_ended = Event()
    showing_thread = Thread(target=_show_until, args=(has_ended, bar), daemon=True)

    _open_bars.append(bar)
    showing_thread.start()
    try:
        yield bar
    finally:
        has_ended.set()
        showing_thread.join()
        _open_bars.remove(bar)
        bar.close()


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
    """Print a line on stderr, above a terminal's bars."""
    if _choose_bar_class() is TerminalBar:
        pt.tqdm.write(text, file=sys.stderr)
    else:
        print(text, file=sys.stderr, flush=True)


@lru_cache
def say_once(text: str) -> None:
    """Print a line on stderr, once per process."""
    say(text)


def bars_can_move() -> bool:
    """Return whether stderr is a terminal or a notebook, where a bar can change in place."""
    return _choose_bar_class() is not LogLines


def _choose_bar_class() -> type["Bar"]:
    """Return the class of bars for whoever looks now."""
    if _is_notebook():
        return NotebookLine
    if sys.stderr.isatty():
        return TerminalBar
    return LogLines


def _is_notebook() -> bool:
    """Return whether this process is a notebook's kernel; without importing IPython."""
    ipython = sys.modules.get("IPython")
    if ipython is None or not hasattr(ipython, "get_ipython"):
        return False
    return hasattr(ipython.get_ipython(), "kernel")


def _show_until(has_ended: Event, bar: "Bar") -> None:
    """Show a bar again and again, until the work has ended."""
    for seconds in bar.pauses():
        if has_ended.wait(seconds):
            return
        bar.show()


# --- the three kinds of bars --------------------------------------------------------------------


class Bar:
    """How far some work is; each subclass shows it in its place, this class shows nothing.

    Attributes:
        desc: what is done.
        total: number of parts; None if they cannot be counted.
        unit: name of a part.
        done: parts that are done.
    """

    def __init__(self, desc: str, total: int | None, unit: str) -> None:
        self.desc = desc
        self.total = total
        self.unit = unit
        self.done = 0
        self._start = monotonic()

    def update(self, count: int = 1) -> None:
        """Count parts that are done."""
        self.done += count

    def describe(self, desc: str) -> None:
        """Say what is done now."""
        self.desc = desc

    def pauses(self) -> Iterator[float]:
        """Yield the seconds before each call of `show`, without end.

        A thread of `progress` asks for them once.
        """
        return repeat(SECONDS_BETWEEN_SIGNS)

    def show(self) -> None:
        """Show how far the work is; `progress` calls this after each pause, from a thread."""

    def close(self) -> None:
        """Show the end; `progress` calls this when the work is done or has failed."""

    def __str__(self) -> str:
        return tqdm.format_meter(
            self.done,
            self.total,
            monotonic() - self._start,
            prefix=self.desc,
            unit=self.unit,
            bar_format=UNCOUNTED if self.total is None else COUNTED,
        )


class TerminalBar(Bar):
    """A bar of tqdm; of work that cannot be counted only a clock, if it takes long."""

    def __init__(self, desc: str, total: int | None, unit: str) -> None:
        super().__init__(desc, total, unit)
        settings: dict[str, Any] = {
            "desc": desc,
            "total": total,
            "unit": unit,
            "smoothing": 0,  # the rate is that of all parts, not of the last ones
        }
        if total is None:
            settings["bar_format"] = UNCOUNTED
            settings["leave"] = False
            settings["delay"] = SECONDS_BETWEEN_SIGNS
        self._tqdm = pt.tqdm(**settings, **_replace_missing_size())

    def update(self, count: int = 1) -> None:
        """Count parts that are done."""
        self._tqdm.update(count)

    def describe(self, desc: str) -> None:
        """Say what is done now."""
        self._tqdm.set_description_str(desc, refresh=False)

    def show(self) -> None:
        """Draw the bar again, so that its clock shows the present time."""
        with self._tqdm.get_lock():
            # `close` removes the bar only if this time says that it was drawn since the delay at
            # its beginning. `update` notes the time; `refresh`, which draws here, does not.
            self._tqdm.last_print_t = self._tqdm._time()
            self._tqdm.refresh(nolock=True)

    def close(self) -> None:
        """Draw the end, or remove the clock."""
        self._tqdm.close()


class NotebookLine(Bar):
    """A line of a notebook's output, which changes in place."""

    def __init__(self, desc: str, total: int | None, unit: str) -> None:
        super().__init__(desc, total, unit)
        self._display: Any = None  # IPython's handle, once there is something to show

    def show(self) -> None:
        """Write the line, or change it."""
        from IPython.display import display

        line = {"text/plain": str(self)}
        if self._display is None:
            self._display = display(line, raw=True, display_id=True)
        else:
            self._display.update(line, raw=True)

    def close(self) -> None:
        """Show the end of counted work, and of other work if it was shown at all."""
        if self.total is not None or self._display is not None:
            self.show()


class LogLines(Bar):
    """Lines of a log: one a minute while the work goes on, and one at the end of counted work."""

    def pauses(self) -> Iterator[float]:
        """Yield the seconds before each line."""
        longest_pause = SECONDS_BETWEEN_LOG_LINES[-1]
        return chain(SECONDS_BETWEEN_LOG_LINES, repeat(longest_pause))

    def show(self) -> None:
        """Write a line; of nested work only the innermost, which says most."""
        if self is _open_bars[-1]:
            print(self, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Write the last line of counted work."""
        if self.total is not None:
            print(self, file=sys.stderr, flush=True)


def _replace_missing_size() -> dict[str, int]:
    """Return a usual size for a pseudo-terminal that has none, on which tqdm would show nothing."""
    try:
        columns, lines = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):  # no terminal
        return {}
    if columns and lines:  # which tqdm finds itself
        return {}
    return {"ncols": 79, "nrows": 23}
