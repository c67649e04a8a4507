"""Rows of a table from files with results."""

import gzip
from pathlib import Path

import pyterrier as pt
import pytest

from pyterrier_scholarly import reproduce, write_ranked_pools
from pyterrier_scholarly.evaluation import from_all

MINI = "scholarly-mini"


@pytest.fixture
def run():
    """The pools of all facets, by falling id."""
    pool = pt.get_dataset(f"irds:{MINI}/all").get_results()
    run = pool.assign(score=pool["docno"].astype(float))
    return pt.model.add_ranks(run, single_query=False)


@pytest.fixture
def files(run, tmp_path, monkeypatch):
    """The run in each format, in the working directory."""
    monkeypatch.chdir(tmp_path)
    pt.io.write_results(run, "run.trec")
    Path("run.trec.gz").write_bytes(gzip.compress(Path("run.trec").read_bytes()))
    write_ranked_pools(run, "run.json")
    Path("without-ending").write_bytes(Path("run.trec").read_bytes())
    for facet, part in from_all(run).items():
        write_ranked_pools(part, f"{facet}.json")


def test_a_file_stands_in_the_place_of_a_system(run, files):
    """TREC's format, zipped, JSON, a path, and a file for each facet: the figures of the frame."""
    rows = {
        "frame": run,
        "trec": "run.trec",
        "zipped": "run.trec.gz",
        "json": "run.json",
        "path": Path("without-ending"),
        "facets": ["background.json", "method.json", "result.json"],
    }
    frame = reproduce(MINI, rows, resamples=5).frame.set_index("name").drop(columns="source")
    assert list(frame.index) == list(rows)
    assert frame.notna().all().all()
    for name in rows:
        assert frame.loc[name].tolist() == frame.loc["frame"].tolist(), name


def test_files_in_a_list_have_their_own_names(files):
    """As keys have."""
    table = reproduce(f"{MINI}/all", ["run.trec", Path("run.json"), "fabs_tfidf"], resamples=5)
    assert table.frame["name"].tolist() == ["run.trec", "run.json", "fabs_tfidf"]
    assert table.systems["system"].tolist() == ["fabs_tfidf"]


@pytest.mark.parametrize(
    ("system", "error", "said"),
    [
        ("nothing.trec", FileNotFoundError, "nothing.trec"),
        ("folder/run", FileNotFoundError, "folder/run"),
        ("without-ending", KeyError, r"pass pathlib\.Path\('without-ending'\)"),
        (["run.trec", "run.json"], ValueError, "run.json has results for 104_background"),
        ([7], ValueError, r"Row 'm': \[7\] is no system"),
        ("./", ValueError, r"is a folder. Pass a model .* as models=\{'m': folder\}"),
    ],
)
def test_what_is_no_file(files, system, error, said):
    """A missing file, a file that could be a key, two files of one query, and no file at all."""
    with pytest.raises(error, match=said):
        reproduce(f"{MINI}/all", {"m": system})


def test_a_system_keeps_its_key_beside_a_file_of_that_name(files):
    """A key is a key, whatever lies in the working directory."""
    Path("fabs_tfidf").write_text("no run")
    table = reproduce(f"{MINI}/all", ["fabs_tfidf"], resamples=5)
    assert table.systems["key"].tolist() == ["fabs_tfidf"]
