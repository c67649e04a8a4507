"""Download logs with a known structure, to check mining against the truth.

    log = synthetic_log(documents=200, topics=5, sessions=3000)
    log.write("downloads.parquet")
    assert mine_log("downloads.parquet", "ours").outcomes == log.outcomes

Users and documents are numbers, from 0, until the log is written.
"""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from ir_datasets_ext.atomic import new_file

from ..arguments import Count, FilePath, Natural, Seed, Share, check_arguments
from .instants import SECOND
from .log_documents import Documents, choose_documents
from .log_files import SEPARATORS, LogForm, recognise_form
from .mining_codes import Outcome
from .session_times import START, compute_times
from .session_truth import find_truth
from .sessions import draw_gaps, draw_jumps, draw_repetitions, draw_sessions
from .topic_walks import draw_documents


@dataclass(eq=False, repr=False)
class SyntheticLog:
    """A synthetic log and the truth about it; N downloads, D documents.

    Attributes:
        user: N numbers; a download's user.
        time: N microseconds since 1970 in UTC, whole milliseconds, distinct for each user.
        doc: N numbers; the downloaded document's position in `ids`.
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
        user_count = len(np.unique(self.user))
        topic_count = len(np.unique(self.topics))
        outcome_counts = [f"{name} {count:,}" for name, count in self.outcomes.items()]
        return (
            f"SyntheticLog: {len(self.doc):,} downloads by {user_count:,} users, of "
            f"{len(self.ids):,} documents on {topic_count:,} topics\n"
            f"what follows a download: {', '.join(outcome_counts)}"
        )

    @check_arguments
    def table(self, numbers: bool = False) -> pa.Table:
        """Return the log as a table of `user`, `time` (UTC) and `doc`, sorted by time.

        Args:
            numbers: users and documents as integers instead of texts (documents: positions in
                `ids`).
        """
        times = pa.array(self.time, pa.timestamp("us", "UTC"))
        if numbers:
            return pa.table({"user": self.user, "time": times, "doc": self.doc})

        user_count = self.user.max(initial=-1) + 1
        names = np.array([f"u{number}" for number in range(user_count)], dtype=object)
        users = pa.array(names[self.user], pa.string())
        return pa.table({"user": users, "time": times, "doc": self.ids[self.doc]})

    @check_arguments
    def write(self, path: FilePath, numbers: bool = False) -> None:
        """Write `table(numbers)` to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

        Times are ISO 8601 in text files. Raises ValueError for another suffix.
        """
        path = Path(path)
        form = recognise_form([path])
        table = self.table(numbers)
        if form is not LogForm.PARQUET:
            iso_times = pc.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ")
            table = table.set_column(1, "time", iso_times)

        with _open_new(path) as file:
            if form is LogForm.PARQUET:
                pq.write_table(table, file)
            elif form is LogForm.JSONL:
                frame = table.to_pandas()
                frame.to_json(file, orient="records", lines=True, force_ascii=False)
            else:
                options = csv.WriteOptions(delimiter=SEPARATORS[form], quoting_style="needed")
                csv.write_csv(table, file, options)


@contextmanager
def _open_new(path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Yield a new file to write, which has its name when it is complete; .gz is compressed."""
    with new_file(path, "wb") as file:
        if path.suffix != ".gz":
            yield file
            return

        # without name and time, so that the same log has the same bytes
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
            yield compressed


@check_arguments
def synthetic_log(
    documents: Documents = 1000,
    topics: Count | Sequence[int] | None = None,
    users: Count = 500,
    sessions: Natural = 5000,
    *,
    stay: Share = 0.8,
    repeat: Share = 0.02,
    jumps: Share = 0.02,
    robots: Natural = 1,
    robot_downloads: Natural = 1000,
    seed: Seed = 0,
) -> SyntheticLog:
    """Make a `SyntheticLog` of people who read on topics, and of robots.

    With a dataset, or texts, its topics are those of the texts: a model of their similarity tells
    pairs of this log from random ones, as it does with a real log.

    Sessions have five downloads on average, and at most 40; one in five has a single one. Of
    the downloads, 5 % follow within 10 seconds, and 5 % after more than an hour. Few documents of
    a topic are read much more often than the others.

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
        stay: probability that a download is on the topic of the one before.
        repeat: probability that the same document is downloaded again.
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
    random = np.random.default_rng(seed)
    chosen = choose_documents(documents, topics, random)
    document_count = len(chosen.ids)

    # the order of these draws decides which log a seed makes
    drawn_sessions = draw_sessions(random, sessions)
    gaps = draw_gaps(random, drawn_sessions)
    clock_jumps = draw_jumps(random, drawn_sessions, jumps)
    is_repetition = draw_repetitions(random, drawn_sessions, repeat)
    read_documents = draw_documents(random, chosen.topics, drawn_sessions, is_repetition, stay)
    user_of_session = random.integers(users, size=sessions)
    robot_clicks = _draw_robots(random, robots, robot_downloads, users, document_count)

    times = compute_times(drawn_sessions, gaps, clock_jumps, user_of_session)
    user_of_row = user_of_session[drawn_sessions.session_of_row]
    log = _merge(_Downloads(user_of_row, times, read_documents), robot_clicks)

    people = len(np.unique(user_of_session))
    truth = find_truth(read_documents, drawn_sessions, gaps, clock_jumps, people)
    outcomes = {outcome.key: count for outcome, count in truth.outcomes.items()}
    if robot_downloads > 0:  # a robot's next click is a second away, and its last has none
        outcomes[Outcome.SOON.key] += robots * (robot_downloads - 1)
        outcomes[Outcome.LAST.key] += robots
    return SyntheticLog(
        user=log.users,
        time=log.times,
        doc=log.documents,
        ids=chosen.ids,
        topics=chosen.topics,
        pairs=truth.pairs,
        outcomes=outcomes,
    )


class _Downloads(NamedTuple):
    """Users, times and documents (numbers) of downloads, one array each."""

    users: np.ndarray
    times: np.ndarray
    documents: np.ndarray


def _draw_robots(
    random: np.random.Generator, robots: int, downloads: int, first_user: int, documents: int
) -> _Downloads:
    """Draw the downloads of robots that click every second.

    Args:
        downloads: of each robot.
        first_user: number of the first robot.
        documents: how many there are.
    """
    users = np.repeat(first_user + np.arange(robots), downloads)
    times = START + np.tile(np.arange(downloads) * SECOND, robots)
    return _Downloads(users, times, random.integers(documents, size=robots * downloads))


def _merge(people: _Downloads, robots: _Downloads) -> _Downloads:
    """Return the downloads of both, by time."""
    users = np.concatenate([people.users, robots.users])
    times = np.concatenate([people.times, robots.times])
    documents = np.concatenate([people.documents, robots.documents])
    order = np.argsort(times, kind="stable")
    return _Downloads(users[order], times[order], documents[order])
