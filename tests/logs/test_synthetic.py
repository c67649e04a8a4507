"""Synthetic logs have the structure that their arguments ask for."""

import ir_datasets
import numpy as np
import pytest

from pyterrier_scholarly import TfIdfModel, read_pairs
from pyterrier_scholarly.logs import mine_log, synthetic_log
from pyterrier_scholarly.logs.instants import HOUR, SECOND


def test_sessions_stay_on_topic_as_probably_as_said():
    """Without repetitions, a share `stay` of the successions is on one topic (± 4 deviations)."""
    for stay in (0.5, 0.9, 1.0):
        log = synthetic_log(500, 10, 100, 5000, stay=stay, repeat=0)
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
    log = synthetic_log(100, 5, 20, 2000, jumps=0.3, robots=0, seed=5)
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


MINI = "scholarly-mini"
WORDS = {"min_count": 2, "most_frequent": 10}  # of 48 abstracts
MINED = {"pairs": 3000, "successors": 10, "relevant": 3, "verbose": False}


def test_the_topics_of_a_dataset_are_those_of_its_texts(home, tmp_path):
    """By default a model tells a log's pairs from random ones; ids at random say nothing to it."""
    ids = [doc.doc_id for doc in ir_datasets.load(MINI).docs_iter()]
    slopes = {}
    for name, log in {
        "of-texts": synthetic_log(MINI, sessions=2000, seed=1),
        "at-random": synthetic_log(ids, 6, sessions=2000, seed=1),
    }.items():
        log.write(tmp_path / f"{name}.parquet")
        mine_log(tmp_path / f"{name}.parquet", name, **MINED)
        slopes[name] = TfIdfModel(MINI, **WORDS).rhsa(f"download-log/{name}/1m")
    of_texts, at_random = slopes["of-texts"], slopes["at-random"]
    assert of_texts.sign == -1  # similar pairs are nearer
    assert of_texts.value > 3 * at_random.value


def test_texts_of_ones_own_have_topics():
    """A dict from ids to texts is divided by their words, whatever the ids are."""
    trees = {f"t{n}": f"trees grow leaves and roots {n}" for n in range(5)}
    queues = {f"q{n}": f"queues wait for servers of jobs {n}" for n in range(5)}
    log = synthetic_log(trees | queues, 2, 10, 50, stay=1, jumps=0)
    assert len(set(log.topics[:5])) == len(set(log.topics[5:])) == 1
    assert log.topics[0] != log.topics[5]


def test_ids_alone_have_no_topics():
    """Topics at random are not the default for documents that have texts somewhere."""
    with pytest.raises(ValueError, match="Pass a dataset or a dict from ids to texts"):
        synthetic_log(["a", "b", "c"])
    assert len(synthetic_log(["a", "b", "c"], 2, 3, 20).ids) == 3


def test_a_log_and_its_mining_show_their_numbers(home, tmp_path):
    """A notebook shows counts, and no arrays or dicts."""
    log = synthetic_log(60, 4, 40, 400, seed=3)
    first, second = repr(log).splitlines()
    assert first.startswith(
        f"SyntheticLog: {len(log.doc):,} downloads by 41 users, of 60 documents"
    )
    assert f"pair {log.outcomes['pair']:,}" in second
    log.write(tmp_path / "log.parquet")
    summary = mine_log(tmp_path / "log.parquet", "ours", successors=8, relevant=3, verbose=False)
    assert repr(summary) == str(summary)
    assert f"{summary.kept:>12,} downloads kept" in repr(summary).splitlines()


def test_pairs_are_a_frame(home, tmp_path):
    """`read_pairs` has the rows and fields of `pairs_iter`; a dataset without pairs is an error."""
    synthetic_log(60, 4, 40, 400, seed=3).write(tmp_path / "log.parquet")
    mine_log(tmp_path / "log.parquet", "ours", pairs=30, successors=8, relevant=3, verbose=False)
    for part, fields in {"1m": "kind", "100q": "count"}.items():
        pairs = read_pairs(f"download-log/ours/{part}")
        assert list(pairs) == ["doc_id_a", "doc_id_b", fields]
        rows = [tuple(pair) for pair in ir_datasets.load(f"download-log/ours/{part}").pairs_iter()]
        assert [*pairs.itertuples(index=False, name=None)] == rows
    with pytest.raises(ValueError, match="scholarly-mini has no pairs of documents"):
        read_pairs(MINI)


def test_a_log_of_nothing():
    """No sessions and no robots make an empty log."""
    log = synthetic_log(5, 1, 1, 0, robots=0)
    assert log.table().num_rows == len(log.pairs) == sum(log.outcomes.values()) == 0


def test_unknown_suffixes_are_refused(log, tmp_path):
    """A log is written in the forms that are read, and in no other."""
    with pytest.raises(ValueError, match="unknown form"):
        log.write(tmp_path / "log.txt")
