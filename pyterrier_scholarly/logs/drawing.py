"""What synthetic logs are drawn from: documents, sessions, times, walks over topics, robots.

Downloads are rows of arrays, a session's after each other: `first` has the row where each session
begins, `session` the session of each row, and `follows` is false for a session's first row.
"""

import numpy as np

from .choices import SECOND

HOUR = 3600 * SECOND
START = 1_577_836_800 * SECOND  # 2020-01-01 UTC
LONGEST = 40  # downloads in a session at most
PAIR, HASTY, PAUSE = range(3)  # what lies between a download and the one before it


def draw_documents(random, documents, topics):
    """(Ids, topic of each); `documents` and `topics` are numbers, or these."""
    if isinstance(documents, int):
        documents = [f"d{n:06}" for n in range(documents)]
    ids = np.array(list(documents), dtype=object)
    if isinstance(topics, int):
        topics = random.permutation(np.arange(len(ids)) % topics)
    if len(topics) != len(ids):
        raise ValueError(
            f"{len(topics)} topics for {len(ids)} documents: expected a number of topics, or one "
            "topic for each document."
        )
    return ids, np.unique(topics, return_inverse=True)[1]  # numbered so that each has a document


def draw_lengths(random, sessions, single, length):
    """How many downloads each session has."""
    several = 1 + random.geometric(1 / max(length - 1, 1), sessions)
    return np.where(random.random(sessions) < single, 1, np.minimum(several, LONGEST))


def draw_gaps(random, kind, follows):
    """Microseconds since the download before: whole milliseconds, never just 10 s or an hour."""
    read = np.clip(random.lognormal(np.log(90), 1.2, len(kind)), 10.001, 3599.999)
    hasty = random.uniform(0.001, 9.999, len(kind))
    pause = random.uniform(3600.001, 7200, len(kind))
    seconds = np.choose(kind, (read, hasty, pause))
    return np.where(follows, np.rint(seconds * 1000).astype(np.int64) * 1000, 0)


def draw_jumps(random, first, lengths, jumps):
    """(Rows where a clock has just jumped; per session 1 for ahead, -1 for back, 0 for no jump)."""
    jumping = (lengths > 1) & (random.random(len(first)) < jumps)
    where = first + 1 + (random.random(len(first)) * (lengths - 1)).astype(int)
    at = np.zeros(lengths.sum(), bool)
    at[where[jumping]] = True
    return at, np.where(jumping, random.choice((-1, 1), len(first)), 0)


def times_of(gap, first, session, user, jumped):
    """Microseconds of each download; `user` of each session, whose sessions do not overlap."""
    at, direction = jumped
    since = np.cumsum(gap)
    since -= since[first][session]
    # beyond all of the session: nothing after the jump is within an hour of anything before it
    shift = since[np.append(first[1:], len(gap))[: len(first)] - 1] + 2 * HOUR
    after = np.cumsum(at)
    after -= after[first][session]
    since += np.where(after > 0, (shift * direction)[session], 0)
    order = np.argsort(user, kind="stable")
    nth = np.empty(len(user), np.int64)  # of its user's sessions
    nth[order] = np.arange(len(user)) - np.searchsorted(user[order], user[order])
    slot = 3 * shift.max(initial=HOUR)
    # a thousandth of a second for each user, so that not all of them begin at once
    return START + (nth * slot + slot // 3 + user * 1000)[session] + since


def walk(random, topic_of, first, session, follows, again, stay, popularity):
    """The document of each download: a walk over topics, and a place in the topic at each step."""
    sizes, rows = np.bincount(topic_of), len(session)
    leaves = follows & (random.random(rows) >= stay)
    steps = np.where(leaves, 1 + random.integers(max(len(sizes) - 1, 1), size=rows), 0)
    steps[first] = random.integers(len(sizes), size=len(first))
    walked = np.cumsum(steps)
    topic = (walked - (walked - steps)[first][session]) % len(sizes)
    members = np.lexsort((random.random(len(topic_of)), topic_of))
    place = (sizes[topic] * random.random(rows) ** popularity).astype(np.int64)
    doc = members[(np.cumsum(sizes) - sizes)[topic] + place]
    # a repeated document is that of the last download that was none; a session's first is none
    return doc[np.maximum.accumulate(np.where(again, 0, np.arange(rows)))]


def draw_robots(random, robots, downloads, users, documents):
    """(User, time, document) of robots that click every second."""
    user = np.repeat(users + np.arange(robots), downloads)
    time = START + np.tile(np.arange(downloads) * SECOND, robots)
    return user, time, random.integers(documents, size=robots * downloads)


def truth_of(doc, kind, follows, people):
    """(Pairs of documents, what follows the downloads) of people, from how sessions were made."""
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
