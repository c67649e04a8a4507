"""Who cites whom, as a graph that adaptive re-ranking walks."""

import builtins
import pickle
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.formats import BaseDocs

from pyterrier_scholarly import OneHop
from pyterrier_scholarly.collect import citation_graph

pyterrier_adaptive = pytest.importorskip("pyterrier_adaptive")
pytestmark = pytest.mark.torch  # which it imports

#: paper -> what it cites; x and y are no papers of the corpus
CITED = {"a": ("b", "x", "d"), "b": (), "c": ("y", "x"), "d": ("c", "a", "d", "c")}


class Record(NamedTuple):
    """A paper."""

    doc_id: str
    citations: tuple[str, ...]


class Papers(BaseDocs):
    """Four papers."""

    def docs_iter(self):
        """All."""
        return (Record(*item) for item in CITED.items())

    def docs_cls(self):
        """Their class."""
        return Record

    def citations(self, doc_id):
        """As CITED says."""
        return CITED[doc_id]


@pytest.fixture
def graph():
    """Return the graph of four papers."""
    return citation_graph(ir_datasets.Dataset(Papers()))


@pytest.mark.parametrize(
    ("paper", "inside"), [("a", ["b", "d"]), ("b", []), ("c", []), ("d", ["c", "a", "d", "c"])]
)
def test_neighbours_are_the_cited_papers_of_the_corpus(graph, paper, inside):
    """They are in the listed order, without papers outside the corpus; by id and by number."""
    number = "abcd".index(paper)
    assert graph.neighbours(paper) == inside
    by_number, weights = graph.neighbours(number, weights=True)
    assert by_number.tolist() == ["abcd".index(other) for other in inside]
    assert (by_number.dtype, weights.dtype) == (np.int64, np.float32)
    assert weights.tolist() == [1.0] * len(inside)


def test_what_leads_out_of_the_corpus_is_counted(graph):
    """Papers outside count once for each that cites them: x and y for c, x for a."""
    assert graph.dropped(CITED) == 3
    assert graph.dropped(["a", "b"]) == 1
    assert graph.dropped([]) == 0
    edges = sum(len(graph.neighbours(paper)) for paper in CITED)
    assert edges + graph.dropped(CITED) == sum(map(len, CITED.values()))


def test_one_hop_drops_papers_outside_before_it_cuts(graph):
    """Of b, x and d, which a cites, x is not in the corpus: three places hold a, b and d."""
    seeds = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    for order in ("paper", "released"):
        expand = OneHop(graph, n=3, order=order)
        assert expand(seeds)["docno"].tolist() == ["a", "b", "d"]
        assert expand.counts(seeds)["outside"].tolist() == [1]


def test_unknown_papers_are_errors(graph):
    """By id, and by number."""
    with pytest.raises(KeyError, match="x"):
        graph.neighbours("x")
    with pytest.raises(IndexError):
        graph.neighbours(4)


def test_adaptive_reranking_finds_what_is_cited(graph):
    """From a alone: its neighbours, then theirs, in the order of the scorer's liking."""
    liking = {"a": 4.0, "d": 3.0, "c": 2.0, "b": 1.0}
    scorer = pt.apply.doc_score(lambda row: liking[row["docno"]])
    gar = pyterrier_adaptive.GAR(scorer, graph, num_results=10, batch_size=1)
    first = pd.DataFrame({"qid": ["1"], "query": ["q"], "docno": ["a"], "score": [1.0]})
    assert isinstance(graph, pyterrier_adaptive.CorpusGraph)
    assert gar(first)["docno"].tolist() == ["a", "d", "c", "b"]


@pytest.mark.usefixtures("litsearch_home")
@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_a_graph_of_files_without_citations_is_an_error():
    """The files at hand have none: a graph without edges would pass for one of these papers."""
    graph = citation_graph("litsearch/inline/broad")
    paper = next(ir_datasets.load("litsearch").docs_iter()).doc_id
    with pytest.raises(ValueError, match="citations: expected a value in some of 459 documents"):
        graph.neighbours(paper)


def test_a_graph_is_its_dataset():
    """Graphs of one dataset are equal, print as their call and can be pickled; nothing is read."""
    graph = citation_graph("irds:litsearch")
    assert graph == citation_graph(pt.get_dataset("irds:litsearch")) != citation_graph("doris-mae")
    assert eval(repr(graph)) == pickle.loads(pickle.dumps(graph)) == graph


def test_a_dataset_without_citations_is_refused():
    """The error names the dataset, and one with citations."""
    with pytest.raises(ValueError, match=r"'csfcube/method' has no citations.*litsearch"):
        citation_graph("csfcube/method")


def test_what_is_missing_is_named(monkeypatch):
    """Without pyterrier_adaptive the error says which extra brings it."""
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pyterrier_adaptive":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        citation_graph("litsearch")


def test_a_graph_follows_its_dataset(made_litsearch):
    """A paper that is added to the files is a neighbour, and has a number."""
    made_litsearch(30)
    graph = citation_graph("litsearch")
    last = [document.doc_id for document in ir_datasets.load("litsearch").docs_iter()][-1]
    assert graph.neighbours("29") == [] and graph.neighbours(last) == []
    made_litsearch(40)
    assert graph.neighbours("29") == ["30"]
    assert len(graph.neighbours(39)) == 1 - (last == "39")
