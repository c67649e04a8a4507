"""When the downloads of drawn sessions happen.

    times = compute_times(sessions, gaps, jumps, user_of_session)

Conventions: s sessions have n downloads, which are rows, see `sessions`. Times are microseconds.
"""

import numpy as np

from .instants import HOUR, SECOND
from .sessions import ClockJumps, Gaps, Sessions, add_up_in_session

START = 1_577_836_800 * SECOND  # 2020-01-01 UTC


def compute_times(
    sessions: Sessions, gaps: Gaps, jumps: ClockJumps, user_of_session: np.ndarray
) -> np.ndarray:
    """Return the time of each download, (n,); the sessions of a user lie apart."""
    since_first = add_up_in_session(gaps.microseconds, sessions)  # (n,)
    durations = since_first[sessions.last_rows]  # (s,), to the session's last download

    # a jump is longer than its session: all downloads after it are hours from those before it
    jump_sizes = durations + 2 * HOUR
    is_after_jump = add_up_in_session(jumps.before_row, sessions) > 0
    shift_of_session = jump_sizes * jumps.directions
    shift_of_row = np.where(is_after_jump, shift_of_session[sessions.session_of_row], 0)

    # each session of a user has a slot, and begins after its first third: a clock may jump back
    slot_length = 3 * jump_sizes.max(initial=HOUR)
    session_starts = _number_sessions(user_of_session) * slot_length + slot_length // 3
    # a millisecond per user, so that not all begin at once
    session_starts += user_of_session * 1000
    return START + session_starts[sessions.session_of_row] + since_first + shift_of_row


def _number_sessions(user_of_session: np.ndarray) -> np.ndarray:
    """Number the sessions of each user from 0: (s,)."""
    order = np.argsort(user_of_session, kind="stable")
    ordered_users = user_of_session[order]
    # in an ordered array, searchsorted finds the first place of each value
    first_places = np.searchsorted(ordered_users, ordered_users)

    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order)) - first_places
    return numbers
