"""What is fitted on a dataset, or read whole from it, follows the dataset's content.

Each public transformer that reads a dataset, directly or by its encoder or model, is asked before
and after the data change. Then it answers as it does over data of another name and place that never
had another content.
"""

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly import LSA, Papers, systems, transformers
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.transformers import (
    BM25Score,
    FacetQuery,
    PaperLoader,
    PaperTfIdf,
    Pool,
    TextRetriever,
    TfIdfScore,
)

from .test_contract import input_of, public

MINI = ir_datasets.load("scholarly-mini/all")
ABOUT = {"description": "D", "licence": "CC0"}
MORE = {
    "PaperTfIdf, dimensions": lambda dataset: PaperTfIdf(dataset, dimensions=8),
    "BM25Score, sentences": lambda dataset: BM25Score(dataset, sentences=True),
    "TfIdfScore, pool": lambda dataset: TfIdfScore(dataset, fitted_on="pool"),
    "TextRetriever": lambda dataset: TextRetriever(LSA(dataset), dataset),
}
#: those that read pools or queries, which a library lacks
OF_QUERIES = {
    "Pool": Pool,
    "Pool.restrict": lambda dataset: Pool(dataset).restrict(),
    "fabs_tfidf": lambda dataset: systems(dataset)["fabs_tfidf"],
    "fabs_bm25": lambda dataset: systems(dataset)["fabs_bm25"],
}


def make_steps(dataset, of_queries=OF_QUERIES):
    """Return all transformers that read a dataset, by name."""
    names = set(transformers.__all__) - OF_QUERIES.keys()
    steps = {name: public(name, dataset) for name in names}
    steps |= {name: make(dataset) for name, make in MORE.items()}
    steps |= {name: OF_QUERIES[name](dataset) for name in of_queries}
    del steps["SentenceRetriever"]  # the contract's retriever finds the same for each vector
    return {name: step for name, step in steps.items() if repr(dataset) in repr(step)}


def read_docs(changed=False):
    """Return the embedded collection's documents; changed, each has other sentences and a word."""
    docs = []
    for doc in MINI.docs_iter():
        row = doc._asdict()
        if changed:
            sentences = [f"{sentence} Trees of {doc.doc_id}." for sentence in doc.sentences]
            row["sentences"] = sentences[::-1]
            row["labels"] = doc.labels[::-1]
            row["text"] = " ".join(row["sentences"])
        docs.append(row)
    return docs


def write(name, changed=False):
    """Write a collection with the embedded one's queries; changed, its pools are smaller, too."""
    queries = [
        {"query_id": q.query_id, "query": q.query, "paper_id": q.paper_id, "facet": q.facet}
        for q in MINI.queries_iter()
    ]
    pools = pd.DataFrame(MINI.scoreddocs_iter()).set_axis(["qid", "docno", "score"], axis=1)
    if changed:
        pools = pools[::2]
    docs = read_docs(changed)
    write_collection(name, docs, queries, pools[["qid", "docno"]], overwrite=True, **ABOUT)


def ask(steps, dataset, source=None):
    """Return the steps' rankings for three queries of the embedded collection, by name."""
    queries = [*MINI.queries_iter()][:3]
    topics = pd.DataFrame({"qid": [query.query_id for query in queries]})
    topics["query_docno"] = [query.paper_id for query in queries]
    topics["facet"] = [query.facet for query in queries]
    pool = Pool(dataset if source is None else source)
    papers = pool >> FacetQuery(dataset) >> PaperLoader(dataset)
    results = papers(topics)
    assert len(results)
    text = [" ".join(paper.sentences) for paper in results["paper"]]
    features = [[2.0, 1.0]] * len(results)
    results = results.assign(score=1.0, text=text, title="", features=features)
    return {name: step(input_of(step, results)) for name, step in steps.items()}


def check_equal(answers, expected):
    """Check that answers are the expected ones; numbers up to rounding."""
    assert answers.keys() == expected.keys()
    for name, answer in answers.items():
        pd.testing.assert_frame_equal(answer, expected[name], obj=name)


def check_all_differ(answers, others):
    """Check that each answer differs from another one, so that the comparison says something."""
    assert [name for name, answer in answers.items() if answer.equals(others[name])] == []


@pytest.fixture
def expected(tmp_path, monkeypatch):
    """The answers over changed data, in a home where nothing else ever was."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "apart"))
    write("apart", changed=True)
    return ask(make_steps("made/apart"), "made/apart")


def test_overwriting_a_collection(expected, tmp_path, monkeypatch):
    """Steps that were asked before, and new ones, answer from the new texts and pools."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    write("mine")
    steps = make_steps("made/mine")
    assert {"Pool", "BM25Retriever", "BM25Score", "TfIdfScore", "PaperTfIdf"} <= steps.keys()
    assert {"SentenceMaxSim", "DocumentRetriever", "fabs_tfidf", "fabs_bm25"} <= steps.keys()
    before = ask(steps, "made/mine")
    check_all_differ(before, expected)

    write("mine", changed=True)
    check_equal(ask(steps, "made/mine"), expected)
    check_equal(ask(make_steps("made/mine"), "made/mine"), expected)


def test_another_home(expected, tmp_path, monkeypatch):
    """A name stands for the present home's data, there and back again."""
    for changed, home in enumerate(("one", "other")):
        monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / home))
        write("mine", changed)
    steps = make_steps("made/mine")
    check_equal(ask(steps, "made/mine"), expected)

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "one"))
    one = ask(steps, "made/mine")
    check_all_differ(one, expected)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "other"))
    check_equal(ask(steps, "made/mine"), expected)


def test_papers_are_added(tmp_path):
    """Steps over a library answer from the papers that it has now."""

    def read_papers(changed=False):
        return [
            {"id": doc["doc_id"], "title": doc["title"], "abstract": doc["text"]}
            for doc in read_docs(changed)
        ]

    pool = pd.DataFrame(MINI.scoreddocs_iter()).set_axis(["qid", "docno", "score"], axis=1)
    apart = Papers.build(tmp_path / "apart", read_papers(changed=True), verbose=False)
    expected = ask(make_steps(apart, of_queries=()), apart, pool)

    library = Papers.build(tmp_path / "library", read_papers(), verbose=False)
    steps = make_steps(library, of_queries=())
    check_all_differ(ask(steps, library, pool), expected)
    library.add(read_papers(changed=True), verbose=False)
    check_equal(ask(steps, library, pool), expected)
