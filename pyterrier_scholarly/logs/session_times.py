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

    The sessions of a user lie hours apart, also if the clock jumps in them. For this, time is
    divided into slots of equal length: a user's first session is in the first slot, and so on. If
    the longest session takes 4 hours, its jump is 4 + 2 hours, and a slot 3 * 6 = 18 hours. The
    session begins at hour 6 of its slot. Its last download is at hour 10; at hour 16 if the clock
    jumps ahead, and at hour 4 if it jumps back. So the slot has room for it in each case.

    Args:
        sessions: which downloads are in one session.
        gaps: the time between downloads.
        jumps: where the clock jumps.
        user_of_session: (s,), numbers from 0.
    """
    since_start = add_up_in_session(gaps.microseconds, sessions)  # (n,), without jumps
    durations = since_start[sessions.last_rows]  # (s,)

    # a jump is longer than its session: all downloads after it are hours from those before it
    jump_lengths = durations + 2 * HOUR  # (s,)
    signed_jumps = jump_lengths * jumps.directions  # 0 in a session without a jump
    jumps_so_far = add_up_in_session(jumps.follows_jump, sessions)
    is_after_jump = jumps_so_far > 0  # (n,)
    shifts = np.where(is_after_jump, signed_jumps[sessions.session_of_row], 0)  # (n,)

    # a slot has thirds as long as the longest jump: one to jump back, one for the session, and one
    # to jump ahead
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
