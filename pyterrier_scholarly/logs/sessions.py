"""Sessions of people who read on topics, drawn: what they download, when, and what follows what.

    sessions = draw_sessions(random, count=5000)
    gaps = draw_gaps(random, sessions)
    jumps = draw_jumps(random, sessions, share=0.02)

Conventions: s sessions have n downloads, which are rows of arrays, session by session. Times are
microseconds.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .instants import HOUR, SECOND
from .mining_codes import Outcome

START = 1_577_836_800 * SECOND  # 2020-01-01 UTC

# how people behave
MEAN_LENGTH = 5.0  # downloads in a session of more than one
LONGEST_SESSION = 40  # downloads at most
SINGLE_SHARE = 0.2  # of sessions with one download
HASTY_SHARE = 0.05  # of downloads within 10 seconds of the one before
PAUSE_SHARE = 0.05  # of downloads more than an hour after the one before
POPULARITY = 3.0  # 1 if all documents of a topic were equally popular; larger: a few are read most


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


class Downloads(NamedTuple):
    """Users, times and documents (numbers) of downloads, one array each."""

    users: np.ndarray
    times: np.ndarray
    documents: np.ndarray


class Truth(NamedTuple):
    """What mining must find.

    Attributes:
        pairs: (p, 2), documents that were downloaded in succession.
        outcomes: the number of downloads by what follows them.
    """

    pairs: np.ndarray
    outcomes: dict[Outcome, int]


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
    """Draw what lies between downloads; no gap is near the limits of 10 seconds and an hour."""
    row_count = len(sessions.follows)
    shares = [1 - HASTY_SHARE - PAUSE_SHARE, HASTY_SHARE, PAUSE_SHARE]  # in the order of GapKind
    kinds = random.choice(len(GapKind), row_count, p=shares)

    reading_seconds = np.clip(random.lognormal(np.log(90), 1.2, row_count), 10.001, 3599.999)
    hasty_seconds = random.uniform(0.001, 9.999, row_count)
    pause_seconds = random.uniform(3600.001, 7200, row_count)
    seconds = np.choose(kinds, [reading_seconds, hasty_seconds, pause_seconds])

    milliseconds = np.rint(seconds * 1000).astype(np.int64)
    return Gaps(kinds, np.where(sessions.follows, milliseconds * 1000, 0))


def draw_jumps(random: np.random.Generator, sessions: Sessions, share: float) -> ClockJumps:
    """Draw the sessions in which the clock jumps, and the download after each jump.

    share: of sessions of more than one download.
    """
    session_count = len(sessions.lengths)
    has_jump = (sessions.lengths > 1) & (random.random(session_count) < share)
    downloads_before_jump = 1 + (random.random(session_count) * (sessions.lengths - 1)).astype(int)
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


def draw_documents(
    random: np.random.Generator,
    topic_of_document: np.ndarray,
    sessions: Sessions,
    is_repetition: np.ndarray,
    stay: float,
) -> np.ndarray:
    """Draw each download's document: a walk over topics, and a document of the topic, (n,).

    Args:
        topic_of_document: (D,).
        is_repetition: (n,), see `draw_repetitions`.
        stay: probability that a download is on the topic of the one before.
    """
    topic_sizes = np.bincount(topic_of_document)
    topics = _walk_over_topics(random, len(topic_sizes), sessions, stay)

    # documents by topic, in random order: lexsort's last key counts first
    documents_by_topic = np.lexsort((random.random(len(topic_of_document)), topic_of_document))
    first_of_topic = np.cumsum(topic_sizes) - topic_sizes

    row_count = len(topics)
    popularity_ranks = random.random(row_count) ** POPULARITY  # 0 to 1, most of them near 0
    place_in_topic = (topic_sizes[topics] * popularity_ranks).astype(np.int64)
    documents = documents_by_topic[first_of_topic[topics] + place_in_topic]

    # a repetition has the document of the last row that is none, so rows are carried forward
    rows = np.arange(row_count)
    source_rows = np.maximum.accumulate(np.where(is_repetition, 0, rows))
    return documents[source_rows]


def _walk_over_topics(
    random: np.random.Generator, topic_count: int, sessions: Sessions, stay: float
) -> np.ndarray:
    """Draw each download's topic: (n,)."""
    row_count = len(sessions.follows)
    leaves = sessions.follows & (random.random(row_count) >= stay)
    # a step from topic to topic leads to each other topic, but not around to the same
    step_lengths = 1 + random.integers(max(topic_count - 1, 1), size=row_count)
    steps = np.where(leaves, step_lengths, 0)
    steps[sessions.first_rows] = random.integers(topic_count, size=len(sessions.first_rows))

    # each session's sum of steps begins with its first row's
    steps_so_far = np.cumsum(steps)
    steps_before_row = steps_so_far - steps
    steps_before_session = steps_before_row[sessions.first_rows]
    return (steps_so_far - steps_before_session[sessions.session_of_row]) % topic_count


def compute_times(
    sessions: Sessions, gaps: Gaps, jumps: ClockJumps, user_of_session: np.ndarray
) -> np.ndarray:
    """Return the time of each download, (n,); the sessions of a user lie apart."""
    gap_sums = np.cumsum(gaps.microseconds)
    since_first = gap_sums - gap_sums[sessions.first_rows][sessions.session_of_row]
    durations = since_first[sessions.last_rows]  # of sessions, to their last download

    # beyond the session: all downloads after the jump are over an hour from those before it
    jump_sizes = durations + 2 * HOUR
    jumps_so_far = np.cumsum(jumps.before_row)
    jumps_in_session = jumps_so_far - jumps_so_far[sessions.first_rows][sessions.session_of_row]
    shifts = (jump_sizes * jumps.directions)[sessions.session_of_row]
    since_first += np.where(jumps_in_session > 0, shifts, 0)

    # a session begins after a third of its slot, because a clock may jump back
    slot = 3 * jump_sizes.max(initial=HOUR)
    session_starts = _number_sessions(user_of_session) * slot + slot // 3
    # a millisecond per user, so that not all begin at once
    session_starts += user_of_session * 1000
    return START + session_starts[sessions.session_of_row] + since_first


def _number_sessions(user_of_session: np.ndarray) -> np.ndarray:
    """Number the sessions of each user from 0: (s,)."""
    order = np.argsort(user_of_session, kind="stable")
    ordered_users = user_of_session[order]
    # in an ordered array, searchsorted finds the first place of each value
    first_places = np.searchsorted(ordered_users, ordered_users)

    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order)) - first_places
    return numbers


def draw_robots(
    random: np.random.Generator, robots: int, downloads: int, first_user: int, documents: int
) -> Downloads:
    """Draw the downloads of robots that click every second.

    Args:
        downloads: of each robot.
        first_user: number of the first robot.
        documents: how many there are.
    """
    users = np.repeat(first_user + np.arange(robots), downloads)
    times = START + np.tile(np.arange(downloads) * SECOND, robots)
    return Downloads(users, times, random.integers(documents, size=robots * downloads))


def find_truth(
    documents: np.ndarray, sessions: Sessions, gaps: Gaps, jumps: ClockJumps, people: int
) -> Truth:
    """Return people's pairs and outcomes, from how sessions were made.

    Args:
        documents: (n,), see `draw_documents`.
        people: who have sessions.
    """
    follows = sessions.follows & ~jumps.before_row  # a download after a jump is hours away
    is_read = follows & (gaps.kinds == GapKind.READ)
    is_hasty = follows & (gaps.kinds == GapKind.HASTY)
    is_other_document = documents != np.roll(documents, 1)  # than the row before has
    second_rows = np.flatnonzero(is_read & is_other_document)

    read_count = int(is_read.sum())
    hasty_count = int(is_hasty.sum())
    outcomes = {
        Outcome.PAIR: len(second_rows),
        Outcome.SAME: read_count - len(second_rows),
        Outcome.SOON: hasty_count,
        # pauses, jumps, ends of sessions
        Outcome.LATE: len(documents) - people - read_count - hasty_count,
        Outcome.LAST: people,
    }
    pairs = np.stack([documents[second_rows - 1], documents[second_rows]], axis=1)
    return Truth(pairs, outcomes)
