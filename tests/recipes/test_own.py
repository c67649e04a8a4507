"""Systems, tables and statistics for a collection and a protocol of one's own."""

from importlib import resources

import ir_datasets
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import published, reproduce, statistics, systems
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.protocols import PROTOCOLS, Protocol, System, protocol_of, register
from pyterrier_scholarly.protocols.protocol_choice import read_general
from pyterrier_scholarly.recipes import FORMS

DOCS = [
    {"doc_id": "a", "title": "Cats", "text": "Cats sleep. Dogs bark at cats."},
    {"doc_id": "b", "title": "Dogs", "text": "Dogs bark. Dogs run fast."},
    {"doc_id": "c", "title": "Birds", "text": "Birds sing in trees. Cats climb."},
]
LABELS = [{**doc, "labels": ["background", "method"]} for doc in DOCS]
SENTENCES = [{**doc, "sentences": doc["text"].split(". ")} for doc in LABELS]
QUERIES = [{"qid": "1", "query": "Dogs bark."}, {"qid": "2", "query": "Cats."}]
FACETS = [{"qid": "1", "query": "Dogs.", "paper_id": "a", "facet": "method"}]
POOLS = [{"qid": qid, "docno": docno} for qid in "12" for docno in "abc"]
QRELS = [{"qid": "1", "docno": "b", "label": 1}, {"qid": "2", "docno": "a", "label": 1}]
TEXT = {"query": "{query}", "document": "{text}"}
ABOUT = {"description": "Three papers", "licence": "CC0-1.0"}
OWN = ["sentence_maxsim", "in_context", "one_encoding"]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of ir_datasets for each test."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))


@pytest.fixture
def tiny():
    """A protocol with a measure and two forms of different papers, for `made/tiny`."""
    part = {"queries": QUERIES, "pools": POOLS, "qrels": QRELS}
    write_collection("tiny", DOCS, parts={"test": part}, **ABOUT)
    rows = (
        System("words", "pool_tfidf", encoder=""),
        System("whole", "text", any_encoder=True, scoring=TEXT),
    )
    register(Protocol("made/tiny", "Tiny", {"MAP": "AP"}, systems=rows))
    yield "made/tiny/test"
    PROTOCOLS.pop("made/tiny")


def letters(texts):
    """Embed a text by the number of each letter in it."""
    return np.array([[text.count(letter) + 0.1 for letter in "abcdefgh"] for text in texts])


def test_a_protocol_of_ones_own_has_systems(tiny):
    """Its rows mix forms freely; ids below its collection have its systems."""
    named = systems(tiny, letters)
    assert list(named) == ["words", "whole"]
    topics = pt.get_dataset(f"irds:{tiny}").get_topics("query")
    assert all(len(system(topics)) == 6 for system in named[list(named)].values())
    assert protocol_of(tiny).title == "Tiny"
    assert protocol_of("made/other") is None


@pytest.mark.parametrize(
    ("form", "scoring", "shown"),
    [
        ("fabs_bm25", {"k1": 2.0, "b": 0.5}, "k1=2.0, b=0.5"),
        ("pool_bm25", {"k1": 2.0, "b": 0.5}, "k1=2.0, b=0.5"),
        ("fabs_tfidf", {"sentences": True}, "sentences=True"),
        ("pool_tfidf", {"sentences": True}, "sentences=True"),
    ],
)
def test_scoring_of_a_row_goes_to_the_scorer(form, scoring, shown):
    """Whatever a scorer is fitted on, a row's `scoring` are its keywords."""
    row = System("words", form, encoder="", scoring=scoring)
    named = systems("scholarly-mini/all", protocol=Protocol("made/tiny", "Tiny", systems=(row,)))
    assert shown in repr(named["words"])


def test_a_protocol_of_ones_own_has_a_table(tiny):
    """Without printed rows; its columns are the protocol's measures.

    Each query's relevant paper has its words most often, so tf-idf ranks it first.
    """
    table = reproduce(tiny, ["words"])
    assert table.title == "Tiny"
    assert table.frame.to_dict("records") == [
        {"name": "words", "source": "this run", "test MAP": 1}
    ]


def test_a_protocol_of_ones_own_prints_nothing(tiny):
    """Printed figures and statistics are errors that name the collections which have some."""
    with pytest.raises(
        ValueError, match=r"made/tiny/test has no statistics. Choose one of: csfcube"
    ):
        statistics(tiny)
    with pytest.raises(ValueError, match=r"made/tiny/test has no published figures. Choose"):
        published(tiny)


def test_a_protocol_without_measures_has_a_table_of_the_usual_ones(tiny):
    """As any collection of one's own has."""
    run = pt.get_dataset(f"irds:{tiny}").get_results()
    register(Protocol("made/tiny", "Tiny"))
    table = reproduce(tiny, {"any": run})
    assert table.columns["label"].tolist() == ["nDCG@10", "AP", "R@100"]


def test_queries_of_ones_own_that_are_texts():
    """Pools are candidates; every system of any encoder ranks them."""
    write_collection("mine", DOCS, QUERIES, POOLS, **ABOUT)
    named = systems("made/mine", letters)
    assert set(OWN) < set(named)
    topics = pt.get_dataset("irds:made/mine").get_topics("query")
    for key in [*OWN, "three_parts"]:
        assert len(named[key](topics)) == 6


def test_queries_of_ones_own_that_are_facets():
    """The paper itself is no candidate; without pools, systems re-rank what they receive."""
    topics = pd.DataFrame(FACETS)[["qid", "query"]]
    write_collection("mine", SENTENCES, FACETS, POOLS[:3], **ABOUT)
    named = systems("made/mine", letters)
    assert {*OWN, "fabs_tfidf", "six_parts"} < set(named)
    expected = named["sentence_maxsim"](topics)[["docno", "score"]]
    assert len(expected) == 3
    write_collection("bare", SENTENCES, FACETS, **ABOUT)
    behind = systems("made/bare", letters)["sentence_maxsim"]
    candidates = topics.merge(pd.DataFrame({"docno": list("abc")}), how="cross")
    pd.testing.assert_frame_equal(behind(candidates)[["docno", "score"]], expected)


def test_a_papers_systems_on_a_collection_of_ones_own():
    """`protocol` names the paper's collection, or is a protocol itself."""
    write_collection("mine", SENTENCES, FACETS, POOLS[:3], **ABOUT)
    topics = pd.DataFrame(FACETS)[["qid", "query"]]
    for protocol in ("csfcube", PROTOCOLS["csfcube"]):
        named = systems("made/mine", letters, protocol=protocol, models={"specter": letters})
        assert list(named) == list(systems("csfcube"))
        assert len(named["specter"](topics)) == 3


def test_every_form_is_on_the_page_and_in_use():
    """The table of forms has no entry that no row names, nor one that the page omits."""
    page = resources.files("pyterrier_scholarly").joinpath("pt_docs/systems.rst").read_text()
    protocols = (*PROTOCOLS.values(), read_general("texts"))
    rows = [row for one in protocols for rows in (one.systems, *one.kinds.values()) for row in rows]
    assert set(FORMS) == {row.form for row in rows}
    assert all(f"``{form}``" in page for form in FORMS)


def test_a_bare_collection_of_facets_means_all_of_them():
    """As for `reproduce`: its systems rank the queries of all facets."""
    named = systems("scholarly-mini")
    topics = pt.get_dataset("irds:scholarly-mini/all").get_topics("query")
    expected = systems("scholarly-mini/all")["fabs_tfidf"](topics)
    pd.testing.assert_frame_equal(named["fabs_tfidf"](topics), expected)
    assert "'scholarly-mini/all'" in repr(named)
    assert "csfcube/all" in repr(systems(ir_datasets.load("csfcube")))
