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
    """Return the time of each download, (n,): its session's start, plus gaps, plus clock jump.

    The sessions of a user lie apart: time is divided into slots, one for each of them. All users
    have the same slots.
    """
    since_start = add_up_in_session(gaps.microseconds, sessions)  # (n,), without jumps
    durations = since_start[sessions.last_rows]  # (s,)

    # a jump is longer than its session: all downloads after it are hours from those before it
    jump_lengths = durations + 2 * HOUR  # (s,)
    signed_jumps = jump_lengths * jumps.directions  # 0 in a session without a jump
    is_after_jump = add_up_in_session(jumps.before_row, sessions) > 0  # (n,)
    shifts = np.where(is_after_jump, signed_jumps[sessions.session_of_row], 0)  # (n,)

    # a session begins after the first third of its slot: its clock may jump back by a third, and
    # the session with a jump ahead ends before the next slot
    slot_length = 3 * jump_lengths.max(initial=HOUR)
    slot_starts = _number_sessions(user_of_session) * slot_length
    user_delays = user_of_session * 1000  # a millisecond per user: not all begin at once
    session_starts = slot_starts + slot_length // 3 + user_delays  # (s,)

    return START + session_starts[sessions.session_of_row] + since_start + shifts


def _number_sessions(user_of_session: np.ndarray) -> np.ndarray:
    """Number the sessions of each user from 0: (s,)."""
    order = np.argsort(user_of_session, kind="stable")
    ordered_users = user_of_session[order]
    # in an ordered array, searchsorted finds the first place of each value
    first_places = np.searchsorted(ordered_users, ordered_users)

    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order)) - first_places
    return numbers
