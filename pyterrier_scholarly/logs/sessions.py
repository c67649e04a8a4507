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
        follows: (n,), False in the first row of a session.
    """

    lengths: np.ndarray
    first_rows: np.ndarray
    last_rows: np.ndarray
    session_of_row: np.ndarray
    follows: np.ndarray


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
        before_row: (n,), whether it jumps right before a download.
        directions: (s,), 1 for ahead, -1 for back, 0 in sessions without a jump.
    """

    before_row: np.ndarray
    directions: np.ndarray


def draw_sessions(random: np.random.Generator, count: int) -> Sessions:
    """Draw the lengths of sessions."""
    further_downloads = random.geometric(1 / (MEAN_LENGTH - 1), count)
    several = np.minimum(1 + further_downloads, LONGEST_SESSION)
    is_single = random.random(count) < SINGLE_SHARE
    lengths = np.where(is_single, 1, several)

    ends = np.cumsum(lengths)
    first_rows = ends - lengths
    follows = np.ones(lengths.sum(), bool)
    follows[first_rows] = False
    return Sessions(
        lengths=lengths,
        first_rows=first_rows,
        last_rows=ends - 1,
        session_of_row=np.repeat(np.arange(count), lengths),
        follows=follows,
    )


def draw_gaps(random: np.random.Generator, sessions: Sessions) -> Gaps:
    """Draw the kind and the length of the gap before each download.

    Mining tells the kinds apart by limits of 10 seconds and an hour, and no gap equals a limit.
    """
    row_count = len(sessions.follows)
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
    microseconds = np.where(sessions.follows, milliseconds * 1000, 0)  # first downloads have no gap
    return Gaps(kinds, microseconds)


def draw_jumps(random: np.random.Generator, sessions: Sessions, share: float) -> ClockJumps:
    """Return where the clock jumps: in which sessions, before which download, and which way.

    share: of the sessions with a jump, among those of more than one download.
    """
    session_count = len(sessions.lengths)
    has_jump = (sessions.lengths > 1) & (random.random(session_count) < share)

    # for each session, also those without a jump: at least one download lies before it
    drawn_shares = random.random(session_count)
    downloads_before_jump = 1 + (drawn_shares * (sessions.lengths - 1)).astype(int)
    rows_after_jump = sessions.first_rows + downloads_before_jump

    before_row = np.zeros(len(sessions.follows), bool)
    before_row[rows_after_jump[has_jump]] = True
    directions = random.choice((-1, 1), session_count)
    return ClockJumps(before_row, np.where(has_jump, directions, 0))


def draw_repetitions(
    random: np.random.Generator, sessions: Sessions, probability: float
) -> np.ndarray:
    """Draw whether a download is of the same document as the one before: (n,)."""
    return sessions.follows & (random.random(len(sessions.follows)) < probability)


def add_up_in_session(values: np.ndarray, sessions: Sessions) -> np.ndarray:
    """Return the sum of the values from the session's second row to each row: (n,)."""
    sums = np.cumsum(values)  # over all sessions
    sums_at_first_row = sums[sessions.first_rows]
    return sums - sums_at_first_row[sessions.session_of_row]
