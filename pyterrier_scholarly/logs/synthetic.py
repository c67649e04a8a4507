"""Download logs with a known structure, to check mining against the truth.

Downloads are rows of arrays, session by session: `first` has the row where each session begins,
`session` each row's session, and `follows` is False for the first row of a session.
"""

import gzip
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from ir_datasets_ext.store import new_file

from .files import SECOND, SEPARATORS, form_of

HOUR = 3600 * SECOND
START = 1_577_836_800 * SECOND  # 2020-01-01 UTC
LONGEST = 40  # downloads in a session at most
PAIR, HASTY, PAUSE = range(3)  # kinds of gap between a download and the one before

Jumps = tuple[np.ndarray, np.ndarray]


@dataclass(eq=False)
class SyntheticLog:
    """A synthetic log and the truth about it; N downloads, D documents.

    Attributes:
        user: N numbers; a download's user.
        time: N microseconds since 1970 in UTC, whole milliseconds, distinct for each user.
        doc: N numbers; the downloaded document's place in `ids`.
        ids: D document ids.
        topics: D numbers; each document's topic.
        pairs: P × 2 numbers; every two different documents that a user downloaded in succession,
            10 seconds to an hour apart. Known from how sessions were made, not from the log.
        outcomes: the number of downloads by what follows: ``pair``, ``same``, ``soon``, ``late``,
            or nothing (``last`` of its user), as in `Summary`.
    """

    user: np.ndarray
    time: np.ndarray
    doc: np.ndarray
    ids: np.ndarray
    topics: np.ndarray
    pairs: np.ndarray
    outcomes: dict[str, int]

    def table(self, numbers: bool = False) -> pa.Table:
        """Return the log as a table of `user`, `time` (UTC) and `doc`, sorted by time.

        Args:
            numbers: users and documents as integers instead of texts (documents: places in `ids`).
        """
        time = pa.array(self.time, pa.timestamp("us", "UTC"))
        if numbers:
            return pa.table({"user": self.user, "time": time, "doc": self.doc})
        users = np.array([f"u{n}" for n in range(self.user.max(initial=-1) + 1)], dtype=object)
        user, doc = users[self.user], self.ids[self.doc]
        return pa.table({"user": pa.array(user, pa.string()), "time": time, "doc": doc})

    def write(self, path: str | Path, numbers: bool = False) -> None:
        """Write `table(numbers)` to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

        Times are ISO 8601 in text files. Raises ValueError for another suffix.
        """
        path, table = Path(path), self.table(numbers)
        form = form_of([path])
        if form != "parquet":
            texts = pc.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ")
            table = table.set_column(1, "time", texts)
        with ExitStack() as stack:
            file: IO[bytes] | gzip.GzipFile = stack.enter_context(new_file(path, "wb"))
            if path.suffix == ".gz":
                file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
            if form == "parquet":
                pq.write_table(table, file)
            elif form == "jsonl":
                table.to_pandas().to_json(file, orient="records", lines=True, force_ascii=False)
            else:
                options = csv.WriteOptions(delimiter=SEPARATORS[form], quoting_style="needed")
                csv.write_csv(table, file, options)


def synthetic_log(
    documents: int | Sequence[str] = 1000,
    topics: int | Sequence[int] = 20,
    users: int = 500,
    sessions: int = 5000,
    *,
    length: float = 5.0,
    stay: float = 0.8,
    popularity: float = 3.0,
    repeat: float = 0.02,
    hasty: float = 0.05,
    pause: float = 0.05,
    single: float = 0.2,
    jumps: float = 0.02,
    robots: int = 1,
    robot_downloads: int = 1000,
    seed: int = 0,
) -> SyntheticLog:
    """Make a `SyntheticLog` of people who read on topics, and of robots.

    Args:
        documents: how many, or their ids.
        topics: how many, or the topic of each document (numbers from 0).
        users: how many people.
        sessions: how many sessions they have; each at its own time, days from the others.
        length: mean number of downloads in a session of more than one (at most 40).
        stay: probability that a download is on the topic of the one before.
        popularity: 1 if all documents of a topic are equally popular. Larger numbers concentrate
            the downloads: the place of the next among n is n·u^popularity, u uniform.
        repeat: probability that the same document is downloaded again.
        hasty: probability that the next download follows within 10 seconds.
        pause: probability that the next download follows after more than an hour.
        single: share of sessions of one document.
        jumps: share of sessions (of more than one) in which the clock jumps once, some hours ahead
            or back.
        robots: how many users click every second.
        robot_downloads: how often each robot does.
        seed: the same seed makes the same log.

    Example:
        >>> log = synthetic_log(documents=100, topics=5, sessions=50, seed=1)
        >>> bool((log.topics[log.pairs[:, 0]] == log.topics[log.pairs[:, 1]]).mean() > 0.7)
        True
    """
    random = np.random.default_rng(seed)
    ids, topic_of = _documents(random, documents, topics)
    several = np.minimum(1 + random.geometric(1 / max(length - 1, 1), sessions), LONGEST)
    lengths = np.where(random.random(sessions) < single, 1, several)
    first = np.cumsum(lengths) - lengths
    session = np.repeat(np.arange(sessions), lengths)
    follows = np.ones(len(session), bool)
    follows[first] = False
    kind = random.choice(3, len(session), p=[1 - hasty - pause, hasty, pause])
    gap = _gaps(random, kind, follows)
    jumped = _jumps(random, first, lengths, jumps)
    again = follows & (random.random(len(session)) < repeat)
    doc = _walk(random, topic_of, first, session, follows, again, stay, popularity)
    user = random.integers(users, size=sessions)
    time = _times(gap, first, session, user, jumped)
    robot = _robots(random, robots, robot_downloads, users, len(ids))
    follows &= ~jumped[0]  # a download after a jump is hours away
    pairs, outcomes = _truth(doc, kind, follows, len(np.unique(user)))
    outcomes["soon"] += robots * max(robot_downloads - 1, 0)
    outcomes["last"] += robots * min(robot_downloads, 1)
    columns = [np.concatenate(both) for both in zip((user[session], time, doc), robot)]
    order = np.argsort(columns[1], kind="stable")
    user, time, doc = (column[order] for column in columns)
    return SyntheticLog(user, time, doc, ids, topic_of, pairs, outcomes)


def _documents(
    random: np.random.Generator, documents: int | Sequence[str], topics: int | Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return ids, and the topic of each; both may be drawn from a number."""
    if isinstance(documents, int):
        documents = [f"d{n:06}" for n in range(documents)]
    ids = np.array(list(documents), dtype=object)
    if isinstance(topics, int):
        topics = [*random.permutation(np.arange(len(ids)) % topics)]
    if len(topics) != len(ids):
        raise ValueError(
            f"{len(topics)} topics for {len(ids)} documents: expected a number of topics, or one "
            "topic for each document."
        )
    return ids, np.unique(topics, return_inverse=True)[1]  # no number is left out


def _gaps(random: np.random.Generator, kind: np.ndarray, follows: np.ndarray) -> np.ndarray:
    """Draw the microseconds since the download before: whole milliseconds, off the limits."""
    read = np.clip(random.lognormal(np.log(90), 1.2, len(kind)), 10.001, 3599.999)
    hasty = random.uniform(0.001, 9.999, len(kind))
    pause = random.uniform(3600.001, 7200, len(kind))
    seconds = np.choose(kind, (read, hasty, pause))
    return np.where(follows, np.rint(seconds * 1000).astype(np.int64) * 1000, 0)


def _jumps(
    random: np.random.Generator, first: np.ndarray, lengths: np.ndarray, jumps: float
) -> Jumps:
    """Return whether a clock jumps before a row; per session 1 for ahead, -1 for back, 0."""
    jumping = (lengths > 1) & (random.random(len(first)) < jumps)
    where = first + 1 + (random.random(len(first)) * (lengths - 1)).astype(int)
    at = np.zeros(lengths.sum(), bool)
    at[where[jumping]] = True
    return at, np.where(jumping, random.choice((-1, 1), len(first)), 0)


def _times(
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


def _walk(
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
    walked = np.cumsum(steps)
    topic = (walked - (walked - steps)[first][session]) % len(sizes)
    members = np.lexsort((random.random(len(topic_of)), topic_of))
    place = (sizes[topic] * random.random(rows) ** popularity).astype(np.int64)
    doc = members[(np.cumsum(sizes) - sizes)[topic] + place]
    # a repetition has the document of the last download that is no repetition
    return doc[np.maximum.accumulate(np.where(again, 0, np.arange(rows)))]


def _robots(
    random: np.random.Generator, robots: int, downloads: int, users: int, documents: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return user, time and document of robots that click every second."""
    user = np.repeat(users + np.arange(robots), downloads)
    time = START + np.tile(np.arange(downloads) * SECOND, robots)
    return user, time, random.integers(documents, size=robots * downloads)


def _truth(
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
