"""Say how long the encoding of papers will take, and ask before very long work.

>>> describe_time(2_400)
'40 minutes'
"""

import sys
from collections.abc import Callable

from ..progress import say

LONG_WORK = 3_600  # seconds, from which on somebody at a terminal is asked first
SAID_WORK = 60  # seconds, from which on the plan is said


class PlanRefused(RuntimeError):
    """Somebody at a terminal did not want to wait; what is done so far is kept."""


def announce_encoding(
    paper_count: int,
    remaining_count: int,
    seconds_per_paper: float,
    verbose: bool,
    confirm: Callable[[str], bool],
) -> None:
    """Say how long the encoding of the remaining papers will take; ask if it is very long.

    Args:
        paper_count: papers of the whole library.
        remaining_count: papers that are not encoded yet.
        seconds_per_paper: as measured with the first papers.
        verbose: whether to say it.
        confirm: called with the plan of very long work; returns whether to go on.

    Raises:
        PlanRefused: `confirm` returned false.
    """
    seconds = seconds_per_paper * remaining_count
    if seconds < SAID_WORK:
        return

    present_share = 1 - remaining_count / paper_count
    plan = (
        f"{remaining_count:,} papers are to be encoded, about {describe_time(seconds)}; "
        f"{present_share:.0%} are there already. Interrupted, the same call resumes."
    )
    if verbose:
        say(plan)
    if seconds > LONG_WORK and not confirm(plan):
        raise PlanRefused("Nothing was changed; what was encoded so far is kept.")


def describe_time(seconds: float) -> str:
    """Return a time for people: "40 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    if minutes < 90:
        return f"{minutes:.0f} minutes"
    return f"{minutes / 60:.1f} hours"


def ask_at_terminal(plan: str) -> bool:
    """Ask whoever sits at a terminal; nobody there means yes."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print(f"{plan} Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
