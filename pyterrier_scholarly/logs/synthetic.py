"""Download logs with a known structure, to check mining against the truth."""

import gzip
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from ir_datasets_ext.store import new_file

from ..arguments import Count, FilePath, Natural, Positive, Seed, Share, check_arguments
from . import sessions as draws
from .log_documents import Documents, choose_documents
from .log_files import SEPARATORS, form_of


@dataclass(eq=False, repr=False)
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

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.items())
        topic_count = len(np.unique(self.topics))
        return (
            f"SyntheticLog: {len(self.doc):,} downloads by {len(np.unique(self.user)):,} users, of "
            f"{len(self.ids):,} documents on {topic_count:,} topics\n"
            f"what follows a download: {counts}"
        )

    @check_arguments
    def table(self, numbers: bool = False) -> pa.Table:
        """Return the log as a table of `user`, `time` (UTC) and `doc`, sorted by time.

        Args:
            numbers: users and documents as integers instead of texts (documents: places in `ids`).
        """
        time = pa.array(self.time, pa.timestamp("us", "UTC"))
        if numbers:
            return pa.table({"user": self.user, "time": time, "doc": self.doc})
        users = np.array([f"u{n}" for n in range(self.user.max(initial=-1) + 1)], dtype=object)
        return pa.table(
            {
                "user": pa.array(users[self.user], pa.string()),
                "time": time,
                "doc": self.ids[self.doc],
            }
        )

    @check_arguments
    def write(self, path: FilePath, numbers: bool = False) -> None:
        """Write `table(numbers)` to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

        Times are ISO 8601 in text files. Raises ValueError for another suffix.
        """
        path, table = Path(path), self.table(numbers)
        form = form_of([path])
        if form != "parquet":
            table = table.set_column(1, "time", pc.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ"))
        gz = path.suffix == ".gz"
        with (
            new_file(path, "wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if gz else nullcontext(raw) as file,
        ):
            if form == "parquet":
                pq.write_table(table, file)
            elif form == "jsonl":
                table.to_pandas().to_json(file, orient="records", lines=True, force_ascii=False)
            else:
                options = csv.WriteOptions(delimiter=SEPARATORS[form], quoting_style="needed")
                csv.write_csv(table, file, options)


@check_arguments
def synthetic_log(
    documents: Documents = 1000,
    topics: Count | Sequence[int] | None = None,
    users: Count = 500,
    sessions: Natural = 5000,
    *,
    length: Positive = 5.0,
    stay: Share = 0.8,
    popularity: Positive = 3.0,
    repeat: Share = 0.02,
    hasty: Share = 0.05,
    pause: Share = 0.05,
    single: Share = 0.2,
    jumps: Share = 0.02,
    robots: Natural = 1,
    robot_downloads: Natural = 1000,
    seed: Seed = 0,
) -> SyntheticLog:
    """Make a `SyntheticLog` of people who read on topics, and of robots.

    With a dataset, or texts, its topics are those of the texts: a model of their similarity tells
    pairs of this log from random ones, as it does with a real log.

    Args:
        documents: a dataset (``"csfcube"``), or a dict from ids to texts; or how many, for ids
            without texts; or a list of ids, with `topics`.
        topics: how many, or the topic of each document (numbers from 0). A number of topics of a
            dataset or texts are clusters of the texts (k-means of their LSA vectors), so that
            documents which people download in succession have words in common. Other documents are
            divided at random: no similarity of texts can tell such pairs from random ones. None: up
            to 20, fewer for fewer than 400 texts.
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

    Raises:
        ValueError: a number out of range, ids without topics, or another number of topics than of
            documents.

    Example:
        >>> log = synthetic_log(documents=100, topics=5, sessions=50, seed=1)
        >>> bool((log.topics[log.pairs[:, 0]] == log.topics[log.pairs[:, 1]]).mean() > 0.7)
        True
    """
    if hasty + pause > 1:
        raise ValueError(f"hasty={hasty}, pause={pause}: expected shares with a sum of 1 or less.")
    random = np.random.default_rng(seed)
    chosen = choose_documents(documents, topics, random)
    ids, topic_of = chosen.ids, chosen.topics
    several = np.minimum(1 + random.geometric(1 / max(length - 1, 1), sessions), draws.LONGEST)
    lengths = np.where(random.random(sessions) < single, 1, several)
    first = np.cumsum(lengths) - lengths
    session = np.repeat(np.arange(sessions), lengths)
    follows = np.ones(len(session), bool)
    follows[first] = False
    kind = random.choice(3, len(session), p=[1 - hasty - pause, hasty, pause])
    gap = draws.drawn_gaps(random, kind, follows)
    jumped = draws.drawn_jumps(random, first, lengths, jumps)
    again = follows & (random.random(len(session)) < repeat)
    doc = draws.walked(random, topic_of, first, session, follows, again, stay, popularity)
    user = random.integers(users, size=sessions)
    time = draws.times_of(gap, first, session, user, jumped)
    robot = draws.robot_rows(random, robots, robot_downloads, users, len(ids))
    follows &= ~jumped[0]  # a download after a jump is hours away
    pairs, outcomes = draws.truth_of(doc, kind, follows, len(np.unique(user)))
    outcomes["soon"] += robots * max(robot_downloads - 1, 0)
    outcomes["last"] += robots * min(robot_downloads, 1)
    columns = [np.concatenate(both) for both in zip((user[session], time, doc), robot)]
    order = np.argsort(columns[1], kind="stable")
    user, time, doc = (column[order] for column in columns)
    return SyntheticLog(user, time, doc, ids, topic_of, pairs, outcomes)
