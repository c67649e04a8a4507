"""Saved runs: which are reused, and which systems run again."""

import json
import zlib

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import (
    LSA,
    BM25Score,
    FacetQuery,
    Pool,
    TextSimilarity,
    entries,
    reproduce,
)
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.tables.present_data import PresentData
from pyterrier_scholarly.tables.saved_runs import make_run_key, rank_or_read

from .stepping import ByLength

DATA = PresentData("scholarly-mini/all")


def run_system(*arguments):
    """Return the run that was made, or read."""
    return rank_or_read(*arguments).run


@pytest.fixture
def topics():
    """The embedded collection's topics."""
    return pt.get_dataset("irds:scholarly-mini/all").get_topics("query")


def test_a_run_is_taken_from_the_folder(step, topics, tmp_path):
    """The second call runs nothing and returns the same."""
    own = step()
    first = run_system("a/b: c", own, topics, DATA, tmp_path / "new" / "runs")
    second = run_system("a/b: c", own, topics, DATA, tmp_path / "new" / "runs")
    assert own.times == 1
    pd.testing.assert_frame_equal(first, second)
    expected = own(topics)[["qid", "docno", "score", "rank"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(first[expected.columns], expected)


def test_without_a_folder_nothing_is_kept(step, topics, tmp_path):
    """Without a folder every call runs the system."""
    run_system("name", step(), topics, DATA)
    run_system("name", step(), topics, DATA)
    assert step().times == 2


@pytest.mark.parametrize(
    ("weight", "data"), [(2.0, "scholarly-mini/all"), (1.0, "scholarly-mini/method")]
)
def test_what_changed_is_run_again(step, topics, tmp_path, weight, data):
    """A changed setting or changed data runs the system again under the same name."""
    first = run_system("name", step(), topics, DATA, tmp_path / "runs")
    second = run_system("name", step(weight=weight), topics, PresentData(data), tmp_path / "runs")
    assert step().times == 2
    assert second["score"].tolist() == (weight * first["score"]).tolist()


def test_queries_of_another_dataset_are_of_the_key(topics, tmp_path, monkeypatch):
    """Where a step asks with a dataset whose queries changed, the saved run is not reused."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    docs = [{"doc_id": "a", "sentences": ["Oaks.", "Cut."], "labels": ["background", "method"]}]
    keys = []
    for facet in ("background", "method", "method"):
        queries = [{"query_id": "1", "query": "Oaks.", "paper_id": "a", "facet": facet}]
        write_collection("o", docs, queries, description="D", licence="CC0", overwrite=True)
        keys.append(make_run_key(FacetQuery("made/o"), topics))
    assert keys[0] != keys[1] == keys[2]


@pytest.mark.parametrize("damage", [lambda whole: whole[:10_000], lambda whole: b"x" * 1_000])
def test_a_damaged_file_is_a_warning_and_run_again(step, topics, tmp_path, damage):
    """A truncated or foreign file warns, and the system runs again."""
    first = run_system("name", step(), topics, DATA, tmp_path / "runs")
    (path,) = (tmp_path / "runs").iterdir()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged"):
        second = run_system("name", step(), topics, DATA, tmp_path / "runs")
    pd.testing.assert_frame_equal(first, second)
    assert run_system("name", step(), topics, DATA, tmp_path / "runs").equals(first)
    assert step().times == 2


def test_a_system_without_an_identity_is_run_each_time(topics, tmp_path):
    """A function cannot be identified: the call warns, and saves nothing."""
    pool = pt.get_dataset("irds:scholarly-mini/all").get_results()
    system = pt.Transformer.from_df(pool) >> pt.apply.doc_score(lambda row: len(row["docno"]))
    with pytest.warns(UserWarning, match="cannot be identified"):
        run_system("name", system, topics, DATA, tmp_path)
    assert list(tmp_path.iterdir()) == []


class Alike(ByLength):
    """Steps with any settings print alike."""

    def __repr__(self):
        return "Alike()"


def test_a_repr_is_no_identity(topics, tmp_path):
    """Two systems that print alike have a saved run each; the repr is saved for people."""
    log = str(tmp_path / "log")
    first = run_system("name", Alike(log), topics, DATA, tmp_path / "runs")
    second = run_system("name", Alike(log, weight=2.0), topics, DATA, tmp_path / "runs")
    assert second["score"].tolist() == (2 * first["score"]).tolist()
    assert Alike(log).times == 2

    key = make_run_key(Alike(log), [DATA.fingerprint, topics])
    saved_run = entries.Entries(tmp_path / "runs").get_many([key])[key]
    assert json.loads(zlib.decompress(saved_run))["system"] == "Alike()"


def test_a_system_that_finds_nothing_is_an_error(topics):
    """An empty run raises."""
    with pytest.raises(ValueError, match="name retrieves nothing for any of 16 queries"):
        run_system("name", pt.Transformer.from_df(topics.assign(docno="1").head(0)), topics, DATA)


def test_a_folder_that_cannot_be_written_to_is_told_beforehand(step, topics, tmp_path):
    """An unwritable folder raises before the system runs."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot write to .*Pass a `save_dir`"):
        run_system("name", step(), topics, DATA, tmp_path / "file" / "runs")
    assert step().times == 0


def test_a_full_disk_costs_no_work(step, topics, tmp_path, monkeypatch):
    """With a full disk the run is returned but not saved; another time it is."""
    with monkeypatch.context() as full:
        full.setattr(entries, "LAYOUT", "pragma max_page_count = 1;" + entries.LAYOUT)
        with pytest.warns(UserWarning, match=r"run of name could not be saved: .*disk is full"):
            run = run_system("name", step(), topics, DATA, tmp_path / "runs")
    assert set(run["qid"]) == set(topics["qid"])
    for _ in range(2):
        run_system("name", step(), topics, DATA, tmp_path / "runs")
    assert step().times == 2


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes a collection of four documents, of which p1 is relevant."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    ids = ["p0", "p1", "p2", "p3"]
    qrels = pd.DataFrame({"qid": "q1", "docno": ids, "label": [0, 2, 0, 0]})
    queries = pd.DataFrame({"qid": ["q1"], "query": ["which animals bark"]})

    def write(name, *texts):
        docs = [{"doc_id": doc_id, "title": "", "text": text} for doc_id, text in zip(ids, texts)]
        about = {"description": "D", "licence": "CC0", "overwrite": True}
        write_collection(name, docs, queries, qrels[["qid", "docno"]], qrels, **about)
        return f"made/{name}"

    return write


TEXTS = ["Cats sleep.", "Dogs bark loudly.", "Birds sing.", "Fish swim."]


def test_other_texts_are_ranked_again(write, tmp_path):
    """A collection that was written again has the figures of its new texts, also saved ones."""

    def read_figures(texts, save_dir):
        table = reproduce(write("animals", *texts), ["bm25"], verbose=False, save_dir=save_dir)
        return str(table)

    first = read_figures(TEXTS, tmp_path / "runs")
    second = read_figures(TEXTS[::-1], tmp_path / "runs")
    assert first != second
    assert second == read_figures(TEXTS[::-1], None)
    assert second == read_figures(TEXTS[::-1], tmp_path / "runs")
    assert first == read_figures(TEXTS, tmp_path / "runs")


@pytest.mark.parametrize("step", [BM25Score, lambda name: TextSimilarity(LSA(name), dataset=name)])
def test_other_texts_of_another_dataset(step, write, topics, tmp_path):
    """A saved run is reused only while a dataset that the system alone reads is the same."""
    pool = pd.DataFrame({"qid": ["q1"] * 4, "docno": ["p0", "p1", "p2", "p3"]})
    topics = pd.DataFrame({"qid": ["q1"], "query": ["dogs bark"]})

    def rank(texts):
        system = Pool(pool) >> step(write("other", *texts))
        return run_system("name", system, topics, DATA, tmp_path / "runs")

    best = [rank(texts)["docno"][0] for texts in (TEXTS, TEXTS[::-1], TEXTS)]
    assert best == ["p1", "p2", "p1"]


def test_other_candidates_of_another_dataset(write, tmp_path):
    """A pool is its candidates, whatever dataset they are of."""
    topics = pd.DataFrame({"qid": ["q1"], "query": ["dogs bark"]})
    system = Pool(write("other", *TEXTS))
    run = run_system("name", system, topics, DATA, tmp_path / "runs")
    assert len(run) == 4

    ids = run[["qid", "docno"]].iloc[:2]
    docs = [{"doc_id": doc_id, "text": "x"} for doc_id in ids["docno"]]
    queries = topics.assign(query="x")
    about = {"description": "D", "licence": "CC0", "overwrite": True}
    write_collection("other", docs, queries, ids, **about)
    assert len(run_system("name", system, topics, DATA, tmp_path / "runs")) == 2
