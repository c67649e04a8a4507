"""Synthetic logs have the structure that their arguments ask for."""

import numpy as np
import pytest

from pyterrier_scholarly.logs import synthetic_log
from pyterrier_scholarly.logs.files import SECOND
from pyterrier_scholarly.logs.sessions import HOUR


def test_sessions_stay_on_topic_as_probably_as_said():
    """Without repetitions, a share `stay` of the successions is on one topic (± 4 deviations)."""
    for stay in (0.5, 0.9, 1.0):
        log = synthetic_log(500, 10, 100, 5000, stay=stay, repeat=0, hasty=0, pause=0, jumps=0)
        same = log.topics[log.pairs[:, 0]] == log.topics[log.pairs[:, 1]]
        # a pair of a document with itself is none, so a little less than `stay` is left
        assert abs(same.mean() - stay) < 4 * np.sqrt(0.25 / len(same)) + 0.02


def test_robots_click_every_second():
    """A robot's downloads are a second apart, and none of them makes a pair."""
    log = synthetic_log(20, 2, 3, 0, robots=2, robot_downloads=100)
    assert len(log.pairs) == 0
    assert log.outcomes == {"pair": 0, "same": 0, "soon": 198, "late": 0, "last": 2}
    assert set(np.diff(np.sort(log.time[log.user == 3]))) == {SECOND}


def test_no_user_has_two_downloads_at_one_time_and_sessions_lie_apart():
    """Downloads within an hour belong to one session, also if clocks jump back."""
    log = synthetic_log(100, 5, 20, 2000, pause=0, jumps=0.3, robots=0, seed=5)
    order = np.lexsort((log.time, log.user))
    gap = np.diff(log.time[order])[np.diff(log.user[order]) == 0]
    assert gap.min() > 0
    assert (gap >= HOUR).sum() == log.outcomes["late"]
    assert len(log.time) == sum(log.outcomes.values())


def test_the_seed_decides():
    """The same seed makes the same log, another one another."""
    first, again, other = (synthetic_log(50, 5, 10, 50, seed=seed) for seed in (1, 1, 2))
    assert first.table().equals(again.table())
    assert not first.table().equals(other.table())


def test_documents_and_topics_of_ones_own():
    """Ids and topics may be given; their numbers must agree."""
    log = synthetic_log(["a", "b", "c"], [7, 7, 9], 3, 20)
    assert log.topics.tolist() == [0, 0, 1]
    assert set(log.table()["doc"].to_pylist()) <= {"a", "b", "c"}
    with pytest.raises(ValueError, match="2 topics for 3 documents"):
        synthetic_log(3, [0, 1])


def test_a_log_of_nothing():
    """No sessions and no robots make an empty log."""
    log = synthetic_log(5, 1, 1, 0, robots=0)
    assert log.table().num_rows == len(log.pairs) == sum(log.outcomes.values()) == 0


def test_unknown_suffixes_are_refused(log, tmp_path):
    """A log is written in the forms that are read, and in no other."""
    with pytest.raises(ValueError, match="unknown form"):
        log.write(tmp_path / "log.txt")
