"""Runs on disk: what is taken from there, and what is run again."""

import errno
import os

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.tables.kept_runs import run_of


@pytest.fixture
def topics():
    """The embedded collection's topics."""
    return pt.get_dataset("irds:scholarly-mini/all").get_topics("query")


def test_a_run_is_taken_from_the_folder(step, topics, tmp_path):
    """The second time nothing is run, and the same comes out."""
    own = step()
    first = run_of("a/b: c", own, topics, "data", tmp_path / "new" / "runs")
    second = run_of("a/b: c", own, topics, "data", tmp_path / "new" / "runs")
    assert own.times == 1
    pd.testing.assert_frame_equal(first, second)
    expected = own(topics)[["qid", "docno", "score", "rank"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(first[expected.columns], expected)


def test_without_a_folder_nothing_is_kept(step, topics, tmp_path):
    """Each call runs."""
    run_of("name", step(), topics, "data")
    run_of("name", step(), topics, "data")
    assert step().times == 2


@pytest.mark.parametrize(("weight", "data"), [(2.0, "data"), (1.0, "other data")])
def test_what_changed_is_run_again(step, topics, tmp_path, weight, data):
    """A system under the same name with another setting, or on other data."""
    first = run_of("name", step(), topics, "data", tmp_path / "runs")
    second = run_of("name", step(weight=weight), topics, data, tmp_path / "runs")
    assert step().times == 2
    assert second["score"].tolist() == (weight * first["score"]).tolist()


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[:-200], lambda whole: b"", lambda whole: b"x"]
)
def test_a_damaged_file_is_a_warning_and_run_again(step, topics, tmp_path, damage):
    """Cut short, empty, or something else."""
    first = run_of("name", step(), topics, "data", tmp_path / "runs")
    (path,) = (tmp_path / "runs").iterdir()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged"):
        second = run_of("name", step(), topics, "data", tmp_path / "runs")
    pd.testing.assert_frame_equal(first, second)
    assert run_of("name", step(), topics, "data", tmp_path / "runs").equals(first)
    assert step().times == 2


def test_ids_that_look_like_nothing_are_ids(topics, tmp_path):
    """Of NA, null and None each comes back as it is, as do scores, to the last digit."""
    ids = ["NA", "null", "None", "nan", "1e5", "007"]
    run = pd.DataFrame({"qid": ids, "docno": ids, "score": [0.1 + 0.2] * 6, "rank": range(6)})
    system = pt.Transformer.from_df(run)
    topics = pd.DataFrame({"qid": ids, "query": "x"})
    first = run_of("name", system, topics, "data", tmp_path)
    second = run_of("name", system, topics, "data", tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    pd.testing.assert_frame_equal(first, second)
    assert second.sort_values("rank").to_dict("list") == run.to_dict("list")


def test_a_system_without_an_identity_is_run_each_time(topics, tmp_path):
    """A function cannot be told from another: a warning says so, and nothing is kept."""
    pool = pt.get_dataset("irds:scholarly-mini/all").get_results()
    system = pt.Transformer.from_df(pool) >> pt.apply.doc_score(lambda row: len(row["docno"]))
    with pytest.warns(UserWarning, match="does not say what it is"):
        run_of("name", system, topics, "data", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_finds_nothing_is_an_error(topics):
    """Nothing can be evaluated then."""
    with pytest.raises(ValueError, match="name finds nothing for any of 16 queries"):
        run_of("name", pt.Transformer.from_df(topics.assign(docno="1").head(0)), topics, "")


def test_a_folder_that_cannot_be_written_to_is_told_beforehand(step, topics, tmp_path):
    """Before the work is done, not after it."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot write to .*give a save_dir"):
        run_of("name", step(), topics, "data", tmp_path / "file" / "runs")
    assert step().times == 0


def test_a_full_disk_costs_no_work(step, topics, tmp_path, monkeypatch):
    """The run is there, only not kept, and no part of a file is left."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match=r"run of name could not be kept: .*No space left"):
        run = run_of("name", step(), topics, "data", tmp_path / "runs")
    assert set(run["qid"]) == set(topics["qid"])
    assert list((tmp_path / "runs").iterdir()) == []
