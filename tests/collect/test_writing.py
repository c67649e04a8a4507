"""A collection of one's own: written once, known to ir_datasets and PyTerrier from then on."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FacetQuery, PaperLoader, Pool, SentenceMaxSim
from pyterrier_scholarly.collect import write_collection

SAID = {"description": "Three papers", "licence": "CC0-1.0"}
DOCS = [
    {"doc_id": "a", "title": "A", "text": "Cats sleep. Dogs bark.", "sentences": ["Cats sleep."]},
    {"doc_id": "b", "title": "B", "text": "Dogs bark.", "sentences": ["Dogs bark."]},
    {"doc_id": "c", "title": "C", "text": "Birds.", "sentences": ["Birds."]},
]
QUERIES = pd.DataFrame({"qid": ["1"], "query": ["Dogs bark."]})
QRELS = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [0, 2]})


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Set a home of ir_datasets for this test."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    return tmp_path


def test_a_written_collection_serves_an_experiment():
    """Pools, sentences and judgements of `irds:made/<name>` meet our transformers as others do."""
    write_collection("three", DOCS, QUERIES, QRELS[["qid", "docno"]], QRELS, **SAID)
    dataset = pt.get_dataset("irds:made/three")
    words = {"Dogs bark.": [1.0, 0.0], "Cats sleep.": [0.0, 1.0]}
    system = Pool(dataset) >> FacetQuery() >> PaperLoader(dataset)
    system = system >> SentenceMaxSim(lambda texts: [words[text] for text in texts])
    topics = dataset.get_topics()
    results = pt.Experiment([system], topics, dataset.get_qrels(), ["P_1", "ndcg_cut_5"])
    assert results[["P_1", "ndcg_cut_5"]].to_numpy().tolist() == [[1.0, 1.0]]


def test_annotators_by_name():
    """Ratings come from a dict of judgements, in the order of the dict."""
    other = QRELS.assign(label=[1, 2])
    write_collection("x", DOCS, QUERIES, qrels=QRELS, annotators={"M": QRELS, "O": other}, **SAID)
    rows = [tuple(row) for row in ir_datasets.load("made/x").ratings_iter()]
    assert rows == [("1", "a", "M", 0), ("1", "b", "M", 2), ("1", "a", "O", 1), ("1", "b", "O", 2)]


def test_parts_are_datasets_below(home):
    """Their tables have the same names as the collection's own."""
    parts = {"dev": {"queries": QUERIES, "pools": QRELS[["qid", "docno"]]}}
    path = write_collection("x", DOCS, parts=parts, **SAID)
    assert path == home / "made" / "x"
    assert len(list(ir_datasets.load("made/x/dev").scoreddocs)) == 2


def test_a_folder_elsewhere(home):
    """A path is taken as it is; put into a home of ir_datasets, it is a collection there."""
    path = write_collection(home / "elsewhere" / "x", DOCS, QUERIES, **SAID)
    (home / "made").mkdir()
    path.rename(home / "made" / "moved")
    assert len(list(ir_datasets.load("made/moved").docs)) == 3


@pytest.mark.parametrize("name", ["..", ".x", "a b", ""])
def test_a_name_is_plain(name):
    """An invalid name is an error."""
    with pytest.raises(ValueError, match="is no name of a collection"):
        write_collection(name, DOCS, **SAID)
