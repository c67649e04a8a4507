"""Evaluate on the part of a collection that is present."""

from types import SimpleNamespace

import pandas as pd
import pytest

from pyterrier_scholarly import LSA, Pool, TextRetriever, TfIdfScore, reproduce
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.protocols import PROTOCOLS, Protocol, System, register
from pyterrier_scholarly.tables.present_data import PresentData
from pyterrier_scholarly.tables.saved_runs import EveryDocument, rank_from_topics

TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})


def test_every_document_is_a_candidate_of_every_topic():
    """Each of two topics gets 48 documents and keeps its columns."""
    found = EveryDocument("scholarly-mini")(TOPICS)
    assert found.groupby("qid")["docno"].nunique().to_dict() == {"1": 48, "2": 48}
    assert len(found) == 96
    assert set(found["query"]) == {"a", "b"}
    assert set(EveryDocument("scholarly-mini")(TOPICS.head(0))) == set(found)


class Numbers:
    """A dataset with a number of documents."""

    def __init__(self, count):
        self.docs_count = lambda: count
        self.docs_iter = lambda: (SimpleNamespace(doc_id=str(n)) for n in range(count))

    def irds_ref(self):
        """As PyTerrier's datasets have it."""
        return self


def test_too_many_documents_want_a_retriever():
    """2,000 documents are all candidates; with more, the error says what to pass."""
    assert len(EveryDocument(Numbers(2_000))(TOPICS)) == 4_000
    with pytest.raises(ValueError, match=r"2,001 documents are too many .* Pass `candidates="):
        EveryDocument(Numbers(2_001))(TOPICS)


def test_what_ranks_results_alone_is_given_every_document():
    """A scorer of candidates gets every document; pools and retrievers stay as they are."""
    data, scorer = PresentData("scholarly-mini/all"), TfIdfScore("scholarly-mini")
    assert len(rank_from_topics(scorer, data.name)(TOPICS)) == 2 * 48
    for system in (Pool("scholarly-mini/all") >> scorer, TextRetriever(len, "scholarly-mini")):
        assert rank_from_topics(system, data.name) is system


def test_the_data_are_known_by_their_content():
    """Different parts of a collection have different fingerprints; equal parts have equal ones."""
    names = ["scholarly-mini/all", "scholarly-mini/method", "scholarly-mini/result"]
    assert len({PresentData(name).fingerprint for name in names}) == 3
    assert PresentData(names[0]).fingerprint == PresentData(names[0]).fingerprint


def test_a_changed_text_makes_other_data(tmp_path, monkeypatch):
    """Changed texts under the same ids change the fingerprint, so old runs are not reused."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    found = []
    for text in ("old", "new", "old"):
        rows = {
            "docs": [{"doc_id": "d", "text": text}],
            "queries": [{"query_id": "q", "query": "?"}],
        }
        write_collection("own", **rows, description="D", licence="CC0", overwrite=True)
        found.append(PresentData("made/own").fingerprint)
    assert found[0] == found[2] != found[1]


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_queries_without_judgements(real_home):
    """Without a pool of DORIS-MAE's test queries there is nothing to evaluate."""
    with pytest.raises(ValueError, match="no query of doris-mae/test has judgements"):
        reproduce("doris-mae/test", ["bm25"])


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_litsearchs_papers_at_hand(litsearch_home):
    """With 459 of 64,183 papers present, a re-ranker ranks all 459, for the 486 questions with a
    present gold paper, and the table says so.
    """
    data = PresentData("litsearch")
    assert data.sizes == (459, 64183)
    assert len(data.read_topics(data.reachable)) == 597 - 111
    models = {"gtr_t5_large": LSA("litsearch")}
    table = reproduce("litsearch/author/broad", ["gtr_t5_large"], models=models)
    own = table.figures[table.figures["source"] == "this run"]
    assert own[["queries", "of"]].to_numpy().tolist() == [[28, 35]]
    assert set(own["part"]) == {"459 of 64,183 documents"}
    assert any(
        remark.startswith("gtr_t5_large: results from 459 of 64,183 documents only")
        for remark in table.remarks
    )
    heading = "This run, over fewer queries and 459 of 64,183 documents: not comparable"
    assert heading in table.to_latex()


@pytest.mark.parametrize("key", ["bm25_full", "e5_large_v2_full"])
def test_full_texts_that_are_missing_everywhere_raise(real_home, key):
    """LitSearch's table 5 over files without full texts has no figures: 0.0 would be no figure."""
    with pytest.raises(ValueError, match="full_paper: expected a value in some of 459 documents"):
        reproduce("litsearch", [key], 5, models={key: LSA("scholarly-mini")})


@pytest.fixture
def two_texts(tmp_path, monkeypatch):
    """A collection of three papers, of which one has no full text, with its protocol."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    documents = [
        {"doc_id": "a", "title": "Ants", "text": "On ants", "full_text": "ants ants ants"},
        {"doc_id": "b", "title": "Bees", "text": "On bees", "full_text": "bees and ants"},
        {"doc_id": "c", "title": "Cats", "text": "On cats", "full_text": ""},
    ]
    asked = pd.DataFrame({"qid": ["q"], "query": ["ants"]})
    write_collection(
        "texts",
        documents,
        asked,
        qrels=pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [1]}),
        parts={"full": {"queries": asked}},
        description="D",
        licence="CC0-1.0",
    )
    full = System("full", "bm25", encoder="", text="full", scoring={"document": "{full_text}"})
    register(Protocol("made/texts", "Texts", measures={"RR": "RR"}, systems=(full,)))
    yield
    PROTOCOLS.pop("made/texts")


def test_full_texts_that_are_missing_for_some_are_remarked(two_texts):
    """A remark says how many of the documents present have no such text."""
    said = "1 of the 3 documents that are present have no text for {full_text}"
    assert any(remark.startswith(said) for remark in reproduce("made/texts", ["full"]).remarks)
