"""Sessions of people who read, drawn: how long they are, and what lies between downloads.

    sessions = draw_sessions(random, count=5000)
    gaps = draw_gaps(random, sessions)
    jumps = draw_jumps(random, sessions, share=0.02)

`topic_walks` draws what is read, `session_times` computes when, and `session_truth` says what
mining must find.

Conventions: s sessions have n downloads, which are rows of arrays, session by session. Times are
microseconds.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

# how people behave
MEAN_LENGTH = 5.0  # downloads in a session of more than one
LONGEST_SESSION = 40  # downloads at most
SINGLE_SHARE = 0.2  # of sessions with one download
HASTY_SHARE = 0.05  # of downloads within 10 seconds of the one before
PAUSE_SHARE = 0.05  # of downloads more than an hour after the one before


class GapKind(IntEnum):
    """What lies between a download and the one before in its session."""

    READ = 0  # 10 seconds to an hour, in which a pair is made
    HASTY = 1  # less
    PAUSE = 2  # more


class Sessions(NamedTuple):
    """Where sessions are among the rows.

    Attributes:
        lengths: (s,), downloads of each session, at least 1.
        first_rows, last_rows: (s,), of each session.
        session_of_row: (n,).
        follows_in_session: (n,), False in the first row of a session.
    """

    lengths: np.ndarray
    first_rows: np.ndarray
    last_rows: np.ndarray
    session_of_row: np.ndarray
    follows_in_session: np.ndarray


class Gaps(NamedTuple):
    """What lies between each download and the one before.

    Attributes:
        kinds: (n,), a `GapKind`.
        microseconds: (n,), whole milliseconds; 0 in the first row of a session.
    """

    kinds: np.ndarray
    microseconds: np.ndarray


class ClockJumps(NamedTuple):
    """Where the clock jumps, at most once in a session.

    Attributes:
        follows_jump: (n,), whether a download is the first one after a jump.
        directions: (s,), 1 for ahead, -1 for back, 0 in sessions without a jump.
    """

    follows_jump: np.ndarray
    directions: np.ndarray


def draw_sessions(random: np.random.Generator, count: int) -> Sessions:
    """Draw the lengths of so many sessions, and return where they are among the rows."""
    # a session has a first download and, unless it is single, at least one more. The mean of a
    # geometric distribution is 1 / p, here of the downloads after the first one
    mean_further_downloads = MEAN_LENGTH - 1
    further_downloads = random.geometric(1 / mean_further_downloads, count)
    lengths_of_several = np.minimum(1 + further_downloads, LONGEST_SESSION)
    is_single = random.random(count) < SINGLE_SHARE
    lengths = np.where(is_single, 1, lengths_of_several)

    ends = np.cumsum(lengths)  # of each session, the row after its last one
    first_rows = ends - lengths
    follows_in_session = np.ones(lengths.sum(), bool)
    follows_in_session[first_rows] = False
    return Sessions(
        lengths=lengths,
        first_rows=first_rows,
        last_rows=ends - 1,
        session_of_row=np.repeat(np.arange(count), lengths),
        follows_in_session=follows_in_session,
    )


def draw_gaps(random: np.random.Generator, sessions: Sessions) -> Gaps:
    """Draw the kind and the length of the gap before each download.

    Mining tells the kinds apart by limits of 10 seconds and an hour, and no gap equals a limit.
    """
    row_count = len(sessions.follows_in_session)
    reading_share = 1 - HASTY_SHARE - PAUSE_SHARE
    shares = [reading_share, HASTY_SHARE, PAUSE_SHARE]  # in the order of GapKind
    kinds = random.choice(len(GapKind), row_count, p=shares)

    # draw a length of each kind for every row, then take the one of the row's kind
    usual_seconds = random.lognormal(np.log(90), 1.2, row_count)
    reading_seconds = np.clip(usual_seconds, 10.001, 3599.999)
    hasty_seconds = random.uniform(0.001, 9.999, row_count)
    pause_seconds = random.uniform(3600.001, 7200, row_count)
    seconds = np.choose(kinds, [reading_seconds, hasty_seconds, pause_seconds])

    milliseconds = np.rint(seconds * 1000).astype(np.int64)
    # the first download of a session has no gap
    microseconds = np.where(sessions.follows_in_session, milliseconds * 1000, 0)
    return Gaps(kinds, microseconds)


def draw_jumps(random: np.random.Generator, sessions: Sessions, share: float) -> ClockJumps:
    """Return where the clock jumps: in which sessions, before which download, and which way.

    share: of the sessions with a jump, among those of more than one download.
    """
    session_count = len(sessions.lengths)
    has_jump = (sessions.lengths > 1) & (random.random(session_count) < share)

    # draw a jump for each session, also for those without one: in a session of 5 downloads, 1 to
    # 4 of them lie before the jump, each number equally often
    drawn_shares = random.random(session_count)
    downloads_before_jump = 1 + (drawn_shares * (sessions.lengths - 1)).astype(int)
    first_rows_after_jump = sessions.first_rows + downloads_before_jump

    follows_jump = np.zeros(len(sessions.follows_in_session), bool)
    follows_jump[first_rows_after_jump[has_jump]] = True
    directions = random.choice((-1, 1), session_count)
    return ClockJumps(follows_jump, np.where(has_jump, directions, 0))


def draw_repetitions(
    random: np.random.Generator, sessions: Sessions, probability: float
) -> np.ndarray:
    """Draw whether a download is of the same document as the one before: (n,)."""
    is_drawn = random.random(len(sessions.follows_in_session)) < probability
    return sessions.follows_in_session & is_drawn


def add_up_in_session(values: np.ndarray, sessions: Sessions) -> np.ndarray:
    """Return the sum of the values from the session's second row to each row: (n,)."""
    sums = np.cumsum(values)  # over all sessions
    sums_at_first_row = sums[sessions.first_rows]
    return sums - sums_at_first_row[sessions.session_of_row]
