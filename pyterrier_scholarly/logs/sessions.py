"""Sessions of people who read on topics, drawn: what they download, when, and what follows what.

Downloads are rows of arrays, session by session: `first` has the row where each session begins,
`session` each row's session, and `follows` is False for the first row of a session.
"""

import numpy as np

from .log_files import SECOND

HOUR = 3600 * SECOND
START = 1_577_836_800 * SECOND  # 2020-01-01 UTC
LONGEST = 40  # downloads in a session at most
PAIR, HASTY, PAUSE = range(3)  # kinds of gap between a download and the one before

#: whether a clock jumps before a row; per session 1 for ahead, -1 for back, 0
Jumps = tuple[np.ndarray, np.ndarray]


def drawn_gaps(random: np.random.Generator, kind: np.ndarray, follows: np.ndarray) -> np.ndarray:
    """Draw the microseconds since the download before: whole milliseconds, off the limits."""
    read = np.clip(random.lognormal(np.log(90), 1.2, len(kind)), 10.001, 3599.999)
    hasty = random.uniform(0.001, 9.999, len(kind))
    pause = random.uniform(3600.001, 7200, len(kind))
    seconds = np.choose(kind, (read, hasty, pause))
    return np.where(follows, np.rint(seconds * 1000).astype(np.int64) * 1000, 0)


def drawn_jumps(
    random: np.random.Generator, first: np.ndarray, lengths: np.ndarray, jumps: float
) -> Jumps:
    """Draw the sessions in which the clock jumps once, and the row after each jump."""
    jumping = (lengths > 1) & (random.random(len(first)) < jumps)
    where = first + 1 + (random.random(len(first)) * (lengths - 1)).astype(int)
    at = np.zeros(lengths.sum(), bool)
    at[where[jumping]] = True
    return at, np.where(jumping, random.choice((-1, 1), len(first)), 0)


def times_of(
    gap: np.ndarray, first: np.ndarray, session: np.ndarray, user: np.ndarray, jumps: Jumps
) -> np.ndarray:
    """Return the microseconds of each download; `user` is of each session, which lie apart."""
    since = np.cumsum(gap)
    since -= since[first][session]
    # beyond the session: all downloads after the jump are over an hour from those before it
    shift = since[np.append(first[1:], len(gap))[: len(first)] - 1] + 2 * HOUR
    jumped, direction = jumps
    after = np.cumsum(jumped)
    after -= after[first][session]
    since += np.where(after > 0, (shift * direction)[session], 0)
    order = np.argsort(user, kind="stable")
    nth = np.empty(len(user), np.int64)  # among the user's sessions
    nth[order] = np.arange(len(user)) - np.searchsorted(user[order], user[order])
    slot = 3 * shift.max(initial=HOUR)
    # a millisecond per user, so that not all begin at once
    return START + (nth * slot + slot // 3 + user * 1000)[session] + since


def walked(
    random: np.random.Generator,
    topic_of: np.ndarray,
    first: np.ndarray,
    session: np.ndarray,
    follows: np.ndarray,
    again: np.ndarray,
    stay: float,
    popularity: float,
) -> np.ndarray:
    """Draw each download's document: a walk over topics, and a place in the topic."""
    sizes, rows = np.bincount(topic_of), len(session)
    leaves = follows & (random.random(rows) >= stay)
    steps = np.where(leaves, 1 + random.integers(max(len(sizes) - 1, 1), size=rows), 0)
    steps[first] = random.integers(len(sizes), size=len(first))
    walk = np.cumsum(steps)
    topic = (walk - (walk - steps)[first][session]) % len(sizes)
    members = np.lexsort((random.random(len(topic_of)), topic_of))
    place = (sizes[topic] * random.random(rows) ** popularity).astype(np.int64)
    doc = members[(np.cumsum(sizes) - sizes)[topic] + place]
    # a repetition has the document of the last download that is no repetition
    return doc[np.maximum.accumulate(np.where(again, 0, np.arange(rows)))]


def robot_rows(
    random: np.random.Generator, robots: int, downloads: int, users: int, documents: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return user, time and document of robots that click every second."""
    user = np.repeat(users + np.arange(robots), downloads)
    time = START + np.tile(np.arange(downloads) * SECOND, robots)
    return user, time, random.integers(documents, size=robots * downloads)


def truth_of(
    doc: np.ndarray, kind: np.ndarray, follows: np.ndarray, people: int
) -> tuple[np.ndarray, dict[str, int]]:
    """Return people's pairs and outcomes, from how sessions were made."""
    reads = follows & (kind == PAIR)
    second = np.flatnonzero(reads & (doc != np.roll(doc, 1)))
    soon = int((follows & (kind == HASTY)).sum())
    outcomes = {
        "pair": len(second),
        "same": int(reads.sum()) - len(second),
        "soon": soon,
        "late": len(doc) - people - int(reads.sum()) - soon,  # pauses, jumps, ends of sessions
        "last": people,
    }
    return np.stack([doc[second - 1], doc[second]], axis=1), outcomes
