"""scholarly-mini: shipped, whole, and of CSFCube's shape."""

from collections import Counter, defaultdict

import ir_datasets
import pytest

from ir_datasets_ext.csfcube import SPLITS
from ir_datasets_ext.facets import FACETS

LABELS = {"background", "objective", "method", "result", "other"}


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"scholarly-mini/{below}".rstrip("/"))


@pytest.fixture(autouse=True)
def _no_warnings(recwarn):
    """Nothing here gives a reason to warn."""
    yield
    assert [str(warning.message) for warning in recwarn] == []


def test_documents():
    """At least 40, with a label of the five for every sentence, and several kinds in each."""
    docs = list(load().docs_iter())
    assert load().docs_count() == len(docs) >= 40
    assert len({doc.doc_id for doc in docs}) == len({doc.text for doc in docs}) == len(docs)
    for doc in docs:
        assert len(doc.sentences) == len(doc.labels) > 1
        assert set(doc.labels) <= LABELS
        assert len(set(doc.labels)) > 1
        assert doc.title
    assert load().docs_iter()[5] == docs[5]
    assert list(load().docs_iter()[7:9]) == docs[7:9]
    assert load().docs_store().get(docs[-1].doc_id) == docs[-1]


def test_queries():
    """Six papers or more with two facets each; each query has sentences of its facet."""
    queries = list(load("all").queries_iter())
    assert load("all").queries_count() == len(queries)
    facets = Counter(query.paper_id for query in queries)
    assert sum(count >= 2 for count in facets.values()) >= 6
    for query in queries:
        doc = load().docs_store().get(query.paper_id)
        labelled = zip(doc.sentences, doc.labels)
        assert query.query_sentences == tuple(
            s for s, name in labelled if name in FACETS[query.facet]
        )
        assert query.query_sentences
        assert query.paper_type


def test_judgements():
    """Pools of 15 or more known papers, graded, without the query paper itself."""
    known = {doc.doc_id for doc in load().docs_iter()}
    pools = defaultdict(dict)
    for qrel in load("all").qrels_iter():
        pools[qrel.query_id][qrel.doc_id] = qrel.relevance
    assert min(map(len, pools.values())) >= 15
    for query_id, pool in pools.items():
        assert pool.keys() <= known - {query_id.rsplit("_", 1)[0]}
        assert max(pool.values()) >= 2
    assert {grade for pool in pools.values() for grade in pool.values()} == {0, 1, 2, 3}
    assert load("all").scoreddocs_count() == sum(map(len, pools.values()))


def test_facets_differ():
    """Some paper is relevant to another in one facet and unrelated in another facet."""
    grades = defaultdict(dict)
    for qrel in load("all").qrels_iter():
        paper, facet = qrel.query_id.rsplit("_", 1)
        grades[paper, qrel.doc_id][facet] = qrel.relevance
    assert any(max(g.values()) >= 2 and min(g.values()) == 0 for g in grades.values())


@pytest.mark.parametrize("facet", [*FACETS, "all"])
def test_splits(facet):
    """A fold's parts are a partition of the queries; one fold's dev is the other's test."""
    ids = {part: {q.query_id for q in load(f"{facet}/{part}").queries_iter()} for part in SPLITS}
    everything = {query.query_id for query in load(facet).queries_iter()}
    assert ids["fold1/dev"] == ids["fold2/test"] == everything - ids["fold1/test"]
    assert ids["fold2/dev"] == ids["fold1/test"] != set()
    assert ids["fold1/dev"]


def test_ratings_and_pool_sources():
    """Both are there, as in CSFCube: two annotators each, and sources for every judged paper."""
    ratings = list(load("all").ratings_iter())
    assert {sum(rating is not None for rating in each[5:]) for each in ratings} == {2}
    pools = {(entry.paper_id, entry.doc_id) for entry in load().pool_sources_iter()}
    papers = {(q.query_id.rsplit("_", 1)[0], q.doc_id) for q in load("all").qrels_iter()}
    assert papers <= pools


def test_namespace():
    """Its ids are its own."""
    assert load().docs_namespace() == load("all").queries_namespace() == "scholarly-mini"


def test_counts_need_no_files_in_the_home(home):
    """Judgements are read from the package: only the documents' store is put into the home."""
    assert load("all").qrels_count() > 0
    assert not home.exists()
    load().docs_count()
    assert [path.name for path in home.iterdir()] == [".stores"]


def test_an_unwritable_home_is_an_error(home):
    """The documents' store needs a home that can be written to."""
    home.write_text("a file in the way")
    with pytest.raises(NotADirectoryError, match=str(home)):
        load().docs_iter()
