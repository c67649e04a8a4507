"""One-hop expansion of results."""

from itertools import chain

import ir_datasets
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import ListwiseRerank, OneHop
from pyterrier_scholarly.collect import citation_graph


class Graph:
    """A corpus graph by hand: lists of any length, also as arrays."""

    def __init__(self, cited, outside=0):
        self.cited, self.outside = cited, outside

    def neighbours(self, docid, weights=False):
        """What it cites."""
        return self.cited[docid]

    def dropped(self, docids):
        """So many for each."""
        return self.outside * len(docids)


SMALL = Graph({"1": ["10", "2", "11"], "2": np.array(["10", "12"]), "3": ["1", "13"]}, outside=2)
RESULTS = pd.DataFrame(
    {
        "qid": ["q", "q", "q", "p"],
        "query": ["a", "a", "a", "b"],
        "docno": ["3", "1", "2", "2"],
        "score": [1.0, 3.0, 2.0, 7.0],
        "text": "t",
    }
)


def docnos(frame, qid="q"):
    """By rank."""
    return frame[frame["qid"] == qid].sort_values("rank")["docno"].tolist()


def test_the_papers_order():
    """Each seed, then what it cites; repeated papers are skipped."""
    out = OneHop(SMALL)(RESULTS)
    assert docnos(out) == ["1", "10", "2", "11", "12", "3", "13"]
    assert docnos(out, "p") == ["2", "10", "12"]
    assert out[out["qid"] == "q"]["score"].tolist() == [6, 5, 4, 3, 2, 1, 0]
    assert list(out.columns) == ["qid", "query", "docno", "score", "rank"]
    assert docnos(OneHop(SMALL, n=4)(RESULTS)) == ["1", "10", "2", "11"]


def test_the_released_order():
    """All seeds, then what they cite."""
    released = OneHop(SMALL, order="released")
    assert docnos(released(RESULTS)) == ["1", "2", "3", "10", "11", "12", "13"]
    assert docnos(OneHop(SMALL, n=4, order="released")(RESULTS)) == ["1", "2", "3", "10"]


def test_seeds_are_the_first_m():
    """With m=1 the best result alone."""
    assert docnos(OneHop(SMALL, m=1)(RESULTS)) == ["1", "10", "2", "11"]


def test_counts():
    """Count seeds, added papers, and citations out of the corpus."""
    counts = OneHop(SMALL, n=4).counts(RESULTS)
    assert counts.to_dict("list") == {
        "qid": ["q", "p"],
        "seeds": [2, 1],
        "cited": [2, 2],
        "outside": [6, 2],
    }


@pytest.mark.parametrize(("each", "paper"), [(3, 50), (10, 19), (30, 7)])
def test_how_many_seeds_are_kept(each, paper):
    """Of 50 in 200: ⌈200 / (1 + citations)⌉ by the paper's rule, all by the code's."""
    seeds = [f"s{number:02}" for number in range(50)]
    graph = Graph({seed: [f"{seed}c{i}" for i in range(each)] for seed in seeds})
    frame = pd.DataFrame({"qid": "q", "docno": seeds, "score": range(50, 0, -1)})
    assert OneHop(graph).counts(frame)["seeds"].tolist() == [paper] == [-(-200 // (1 + each))]
    assert OneHop(graph, order="released").counts(frame)["seeds"].tolist() == [50]
    assert len(OneHop(graph)(frame)) == 200


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"order": "best"}, "order='best': expected one of 'paper', 'released'"),
        ({"m": 0}, "m=0"),
        ({"n": 0}, "n=0"),
    ],
)
def test_bad_settings(settings, said):
    """The error names the setting and the options."""
    with pytest.raises(ValueError, match=said):
        OneHop(SMALL, **settings)(RESULTS)


def test_bad_results():
    """Papers of another collection, repeated ones, scores that are no numbers."""
    with pytest.raises(ValueError, match="has no document 'x'"):
        OneHop(SMALL)(RESULTS.assign(docno=["x", "1", "2", "3"]))
    with pytest.raises(ValueError, match="Duplicate qid docno: q 1"):
        OneHop(SMALL)(RESULTS.assign(docno="1"))
    with pytest.raises(ValueError, match="finite"):
        OneHop(SMALL)(RESULTS.assign(score=float("nan")))


@pytest.mark.torch
def test_a_graph_of_neighbours(tmp_path):
    """Any corpus graph of pyterrier_adaptive will do; the same one serves GAR."""
    import pyterrier_adaptive

    papers = [{"docno": name, "text": name} for name in "abcd"]
    near = {"a": "b", "b": "c", "c": "d", "d": "d"}

    def retrieve(topics):
        rows = [(qid, "a a", near[qid], 1.0) for qid in topics["qid"]]
        return pd.DataFrame(rows, columns=["qid", "query", "docno", "score"])

    retriever = pt.apply.generic(retrieve)
    graph = pyterrier_adaptive.CorpusGraph.from_retriever(retriever, papers, tmp_path / "g", k=2)
    first = pd.DataFrame({"qid": ["q"], "query": ["x"], "docno": ["a"], "score": [1.0]})
    assert docnos(OneHop(graph)(first)) == ["a", "b"]
    scorer = pt.apply.doc_score(lambda row: ord(row["docno"]))
    assert docnos(pyterrier_adaptive.GAR(scorer, graph, num_results=9, batch_size=1)(first)) == [
        "d",
        "c",
        "b",
        "a",
    ]


@pytest.mark.torch
@pytest.mark.usefixtures("real_home")
@pytest.mark.filterwarnings("ignore:.*is not the release's file")
@pytest.mark.filterwarnings("ignore:.*was not compared with the release's")
def test_files_without_citations_expand_nothing():
    """The files at hand have none, which is an error: nothing would be expanded in silence."""
    (first, *_) = ir_datasets.load("doris-mae").docs_iter()[:1]
    frame = pd.DataFrame({"qid": ["q"], "query": "x", "docno": first.doc_id, "score": 1.0})
    with pytest.raises(ValueError, match="outgoing_citations: expected a value in some of 2938"):
        OneHop(citation_graph("doris-mae"))(frame)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_a_collection_expanded(made_litsearch):
    """On a collection's citations: each list is the seeds and what the release says they cite.

    Behind it the language model sees the expanded list, its texts loaded.
    """
    made_litsearch(280)
    dataset = pt.get_dataset("irds:litsearch")
    ids = [doc.doc_id for doc in ir_datasets.load("litsearch").docs_iter()][:60]
    frame = pd.DataFrame({"qid": "q", "query": "x", "docno": ids, "score": range(60, 0, -1)})
    graph = citation_graph("litsearch")
    expanded = OneHop(graph)(frame)
    cited = [graph.neighbours(docno) for docno in ids[:50]]
    assert docnos(expanded) == hand(ids[:50], cited)[:200]
    assert set(docnos(OneHop(graph, n=10**6)(frame))) == {*ids[:50], *chain(*cited)}
    shown = []
    rerank = ListwiseRerank(lambda messages: shown.append(messages) or "", window=200)
    (dataset.text_loader(["title", "text"]) >> rerank)(expanded)
    assert len(shown[0]) == 2 * len(expanded) + 4


def hand(seeds, cited):
    """The paper's rule, written differently."""
    made = []
    for seed, papers in zip(seeds, cited):
        for paper in [seed, *papers]:
            if paper not in made:
                made.append(paper)
    return made
