"""Download logs with a known structure, so that mining can be checked against truth."""

import gzip
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from ir_datasets_ext.store import new_file

from . import drawing
from .forms import SEPARATORS, form_of


@dataclass(eq=False)
class SyntheticLog:
    """A made log and the truth about it; N downloads, D documents.

    Attributes:
        user: N numbers; a download's user.
        time: N microseconds since 1970 in UTC, whole milliseconds; no user has two at one time.
        doc: N numbers; the downloaded document's place in `ids`.
        ids: D document ids.
        topics: D numbers; each document's topic.
        pairs: P × 2 numbers; the document and the one downloaded after it, for every two downloads
            of a user that follow each other 10 seconds to an hour apart, of different documents.
            Known from how sessions were made, not from looking through the log.
        outcomes: how many downloads have what kind of successor: ``pair``, ``same``, ``soon``,
            ``late``, or none (``last`` of its user), as `Summary` has it.
    """

    user: np.ndarray
    time: np.ndarray
    doc: np.ndarray
    ids: np.ndarray
    topics: np.ndarray
    pairs: np.ndarray
    outcomes: dict

    def table(self, numbers=False):
        """The log as an Arrow table of `user`, `time` (UTC) and `doc`, in the order of time.

        Args:
            numbers: users and documents as integers, in place of texts (documents: places in
                `ids`).
        """
        time = pa.array(self.time, pa.timestamp("us", "UTC"))
        if numbers:
            return pa.table({"user": self.user, "time": time, "doc": self.doc})
        users = np.array([f"u{n}" for n in range(self.user.max(initial=-1) + 1)], dtype=object)
        user, doc = users[self.user], self.ids[self.doc]
        return pa.table({"user": pa.array(user, pa.string()), "time": time, "doc": doc})

    def write(self, path, numbers=False):
        """Write `table(numbers)` to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

        Times are ISO 8601 in text files. Raises ValueError for another suffix.
        """
        path, table = Path(path), self.table(numbers)
        form = form_of([path])
        if form != "parquet":
            time = pc.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ")
            table = table.set_column(1, "time", time)
        with new_file(path, "wb") as file, ExitStack() as stack:
            if path.suffix == ".gz":
                file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
            if form == "parquet":
                pq.write_table(table, file)
            elif form == "jsonl":
                table.to_pandas().to_json(file, orient="records", lines=True, force_ascii=False)
            else:
                settings = {"delimiter": SEPARATORS[form], "quoting_style": "needed"}
                csv.write_csv(table, file, csv.WriteOptions(**settings))


def synthetic_log(
    documents=1000,
    topics=20,
    users=500,
    sessions=5000,
    *,
    length=5.0,
    stay=0.8,
    popularity=3.0,
    repeat=0.02,
    hasty=0.05,
    pause=0.05,
    single=0.2,
    jumps=0.02,
    robots=1,
    robot_downloads=1000,
    seed=0,
):
    """Make a `SyntheticLog` of people who read on topics, and of robots.

    Args:
        documents: how many, or their ids.
        topics: how many, or the topic of each document (numbers from 0).
        users: how many people.
        sessions: how many sessions these have; each has a time of its own, days from others.
        length: mean number of downloads in a session of more than one (at most 40).
        stay: probability that a download is on the topic of the one before it.
        popularity: 1 for equally popular documents of a topic; with larger numbers ever fewer are
            downloaded ever more often (the place of the next among n is n·u^popularity, u uniform).
        repeat: probability that the same document is downloaded again.
        hasty: probability that the next download follows within 10 seconds.
        pause: probability that it follows after more than an hour.
        single: share of sessions of one document.
        jumps: share of sessions (of more than one) in which the clock jumps once, some hours ahead
            or back.
        robots: how many users click every second.
        robot_downloads: how often each of them does.
        seed: the same seed makes the same log.

    Example:
        >>> log = synthetic_log(documents=100, topics=5, sessions=50, seed=1)
        >>> bool((log.topics[log.pairs[:, 0]] == log.topics[log.pairs[:, 1]]).mean() > 0.7)
        True
    """
    random = np.random.default_rng(seed)
    ids, topic_of = drawing.draw_documents(random, documents, topics)
    lengths = drawing.draw_lengths(random, sessions, single, length)
    first = np.cumsum(lengths) - lengths
    session = np.repeat(np.arange(sessions), lengths)
    follows = np.ones(len(session), bool)
    follows[first] = False
    kind = random.choice(3, len(session), p=[1 - hasty - pause, hasty, pause])
    gap = drawing.draw_gaps(random, kind, follows)
    jumped = drawing.draw_jumps(random, first, lengths, jumps)
    again = follows & (random.random(len(session)) < repeat)
    doc = drawing.walk(random, topic_of, first, session, follows, again, stay, popularity)
    user = random.integers(users, size=sessions)
    time = drawing.times_of(gap, first, session, user, jumped)
    robot = drawing.draw_robots(random, robots, robot_downloads, users, len(ids))
    follows &= ~jumped[0]  # what is after a jump is hours away
    pairs, outcomes = drawing.truth_of(doc, kind, follows, len(np.unique(user)))
    outcomes["soon"] += robots * max(robot_downloads - 1, 0)
    outcomes["last"] += robots * min(robot_downloads, 1)
    columns = [np.concatenate(both) for both in zip((user[session], time, doc), robot)]
    order = np.argsort(columns[1], kind="stable")
    return SyntheticLog(*(column[order] for column in columns), ids, topic_of, pairs, outcomes)
