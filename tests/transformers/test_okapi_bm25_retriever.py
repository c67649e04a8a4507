"""LitSearch's BM25 as a first stage."""

from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
import pytest
from ir_datasets.formats import BaseDocs
from rank_bm25 import BM25Okapi

from pyterrier_scholarly import BM25Retriever
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.text.nltk_words import stems


class Paper(NamedTuple):
    """A document."""

    doc_id: str
    title: str
    text: str


PAPERS = [
    Paper("a", "Trees", "We grow trees."),
    Paper("b", "Graphs", "Graphs have edges."),
    Paper("c", "Trees", "We grow trees."),
    Paper("d", "Forests", "Forests are growing trees, and trees."),
    Paper("e", "Words", "Nothing of the kind."),
]


class Papers(BaseDocs):
    """Five papers, two of one text."""

    def docs_iter(self):
        """All."""
        return iter(PAPERS)

    def docs_cls(self):
        """Their class."""
        return Paper


@pytest.fixture
def papers():
    """Their dataset."""
    return ir_datasets.Dataset(Papers())


TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["growing a tree", "edges of graphs"]})


def docnos(frame, qid):
    """By rank."""
    return frame[frame["qid"] == qid].sort_values("rank")["docno"].tolist()


def test_of_equal_texts_the_last_is_retrievable(papers):
    """Paper c hides a; both count as one document, so rank_bm25 scores four."""
    out = BM25Retriever(papers)(TOPICS)
    assert "a" not in set(out["docno"])
    distinct = [PAPERS[0], PAPERS[1], PAPERS[3], PAPERS[4]]
    model = BM25Okapi([stems(f"Title: {p.title}\nAbstract: {p.text}") for p in distinct])
    scores = dict(zip("cbde", model.get_scores(["grow", "tree"])))
    found = out[out["qid"] == "1"].set_index("docno")["score"]
    assert found.to_dict() == pytest.approx(scores)
    assert sorted(scores, key=scores.get)[-2:] == docnos(out, "1")[1::-1]


def test_a_query_by_hand(papers):
    """Edges and graphs are in one of four documents: idf ln 3.5 - ln 1.5, tf 1 and 2."""
    out = BM25Retriever(papers)(TOPICS)
    lengths = [len(stems(f"Title: {p.title}\nAbstract: {p.text}")) for p in PAPERS[1:]]
    norm = 1.5 * (0.25 + 0.75 * lengths[0] / np.mean(lengths))
    idf = np.log(3.5) - np.log(1.5)
    expected = idf * sum(tf * 2.5 / (tf + norm) for tf in (1, 2))
    assert out[out["docno"] == "b"]["score"].max() == pytest.approx(expected)


def test_no_more_than_num_results(papers):
    """A large `num_results` returns all documents; later ones come first on ties."""
    assert docnos(BM25Retriever(papers)(TOPICS), "2") == ["b", "e", "d", "c"]
    assert docnos(BM25Retriever(papers, 2)(TOPICS), "2") == ["b", "e"]


def test_other_words_and_texts(papers):
    """Plain words are not stemmed; a function and a template may be the user's own."""
    plain = BM25Retriever(papers, 1, words="plain", document="{text}")
    assert docnos(plain(TOPICS), "1") == ["d"]  # the only one with growing
    own = BM25Retriever(papers, 1, words=lambda text: [text[-3:]], document="{title}")
    assert docnos(own(TOPICS.assign(query=["phs", "rds"])), "2") == ["e"]


def test_progress_has_totals(papers, capsys):
    """Of the four texts, once, and of the queries; it is no setting."""
    loud = BM25Retriever(papers, words=lambda text: text.split(), verbose=True)
    loud(TOPICS)
    shown = capsys.readouterr().err
    assert "4/4" in shown.rpartition("splitting texts")[2]
    assert "2/2" in shown.rpartition("retrieving")[2]
    assert BM25Retriever("litsearch", verbose=True) == BM25Retriever("litsearch")


@pytest.mark.parametrize(
    ("settings", "topics", "said"),
    [
        ({"words": "lemmas"}, TOPICS, "words='lemmas': expected one of 'stems', 'plain'"),
        ({"num_results": 0}, TOPICS, "num_results=0"),
        ({"document": "{abstract}"}, TOPICS, "has 'abstract'; the documents have doc_id, title"),
        ({"words": lambda text: []}, TOPICS, "No document of .* has a word"),
        ({}, TOPICS.assign(query=["", "a"]), "qid 1"),
        ({}, TOPICS.assign(qid="1"), "Duplicate qid: 1"),
    ],
)
def test_bad_input(papers, settings, topics, said):
    """The error names the setting and the options."""
    with pytest.raises(ValueError, match=said):
        BM25Retriever(papers, **settings)(topics)


@pytest.mark.slow
@pytest.mark.usefixtures("litsearch_home")
@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_litsearch():
    """On the papers at hand it ranks as rank_bm25 does by itself, for every tenth question."""
    dataset = irds("litsearch")
    texts = {f"Title: {p.title}\nAbstract: {p.text}": p.doc_id for p in dataset.docs_iter()}
    model, ids = BM25Okapi(list(map(stems, texts))), list(texts.values())
    queries = {query.query_id: query.query for query in dataset.queries_iter()}
    topics = pd.DataFrame({"qid": list(queries)[::10], "query": list(queries.values())[::10]})
    out = BM25Retriever("litsearch/inline", 20)(topics)
    for qid, query in zip(topics["qid"], topics["query"]):
        scores = dict(zip(ids, model.get_scores(stems(query))))
        found = out[out["qid"] == qid]
        assert found["score"].tolist() == sorted(scores.values())[:-21:-1]
        assert found["score"].tolist() == [scores[docno] for docno in found["docno"]]
