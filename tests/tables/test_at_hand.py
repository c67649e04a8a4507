"""As much of a collection as is at hand."""

from types import SimpleNamespace

import pandas as pd
import pytest

from pyterrier_scholarly import LSA, Pool, TextRetriever, TfIdfScore, reproduce, write_collection
from pyterrier_scholarly.tables.at_hand import AtHand, EveryDocument

TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})


def test_every_document_is_a_candidate_of_every_topic():
    """48 documents for each of two topics; the topics' columns stay."""
    found = EveryDocument("scholarly-mini")(TOPICS)
    assert found.groupby("qid")["docno"].nunique().to_dict() == {"1": 48, "2": 48}
    assert len(found) == 96
    assert set(found["query"]) == {"a", "b"}
    assert set(EveryDocument("scholarly-mini")(TOPICS.head(0))) == set(found)


class Numbers:
    """A dataset of so many documents."""

    def __init__(self, count):
        self.docs_count = lambda: count
        self.docs_iter = lambda: (SimpleNamespace(doc_id=str(n)) for n in range(count))

    def irds_ref(self):
        """As PyTerrier's datasets have it."""
        return self


def test_too_many_documents_want_a_retriever():
    """Of 2,000 all are candidates; of more the error says what to give instead."""
    assert len(EveryDocument(Numbers(2_000))(TOPICS)) == 4_000
    with pytest.raises(ValueError, match=r"2,001 documents are too many .* give candidates="):
        EveryDocument(Numbers(2_001))(TOPICS)


def test_what_ranks_results_alone_is_given_every_document():
    """A scorer of candidates is; a pipeline from a pool, and a retriever, are left as they are."""
    data, scorer = AtHand("scholarly-mini/all"), TfIdfScore("scholarly-mini")
    assert len(data.from_topics(scorer)(TOPICS)) == 2 * 48
    for system in (Pool("scholarly-mini/all") >> scorer, TextRetriever(len, "scholarly-mini")):
        assert data.from_topics(system) is system


def test_the_data_are_known_by_their_content():
    """Another part of a collection has another fingerprint, the same part the same."""
    names = ["scholarly-mini/all", "scholarly-mini/method", "scholarly-mini/result"]
    assert len({AtHand(name).fingerprint for name in names}) == 3
    assert AtHand(names[0]).fingerprint == AtHand(names[0]).fingerprint


def test_a_changed_text_makes_other_data(tmp_path, monkeypatch):
    """Of as many documents with the same ids: a run over the old texts is none over the new."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    found = []
    for text in ("old", "new", "old"):
        rows = {
            "docs": [{"doc_id": "d", "text": text}],
            "queries": [{"query_id": "q", "query": "?"}],
        }
        write_collection("own", **rows, description="D", licence="CC0", overwrite=True)
        found.append(AtHand("made/own").fingerprint)
    assert found[0] == found[2] != found[1]


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_queries_without_judgements(real_home):
    """Of DORIS-MAE's test queries no pool is here: there is nothing to evaluate."""
    with pytest.raises(ValueError, match="no query of doris-mae/test has judgements here"):
        reproduce("doris-mae/test", ["bm25"])


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_litsearchs_papers_at_hand(litsearch_home):
    """459 of 64,183 papers: a re-ranker ranks all of them, for the questions with a gold paper
    there, of which there are 486, and the table says so.
    """
    data = AtHand("litsearch")
    assert data.documents == (459, 64183)
    assert len(data.topics(data.reachable)) == 597 - 111
    models = {"gtr_t5_large": LSA("litsearch")}
    table = reproduce("litsearch/author/broad", ["gtr_t5_large"], models=models)
    own = table.figures[table.figures["source"] == "this run"]
    assert own[["queries", "of"]].to_numpy().tolist() == [[28, 35]]
    assert any("459" in remark for remark in table.remarks)
    assert "This run, over fewer queries" in table.to_latex()
