"""Queries, judgements and candidates."""

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def test_queries_of_a_facet(load):
    """In the file's order, ids are paper ids, and the text is the facet's sentences."""
    queries = list(load("method").queries_iter())
    assert [query.query_id for query in queries] == ["2", "1"]
    query = queries[1]
    assert (query.paper_id, query.facet) == ("1", "method")
    assert query.query == query.default_text() == "meth of 1."
    assert query.query_sentences == ("meth of 1.",)
    assert (query.paper_title, query.paper_year, query.paper_type) == ("Title 1", 1999, "resources")


def test_background_is_background_and_objective(load):
    """Sentences of both labels make the query; what the list of queries lacks is the paper's."""
    (query,) = load("background").queries_iter()
    assert query.query_sentences == ("back of 2.", "obje of 2.")
    assert query.query == "back of 2. obje of 2."
    assert (query.paper_year, query.paper_type) == (2002, "")


def test_judgements_without_the_paper_itself(load):
    """Paper 1 lists itself with relevance 3: it is neither judged nor a candidate."""
    judged = [("2", "1", 3), ("2", "3", 2), ("2", "7", 0), ("1", "2", 2), ("1", "3", 0)]
    assert [tuple(qrel) for qrel in load("method").qrels_iter()] == judged
    candidates = [(query, doc, 0.0) for query, doc, _ in judged]
    assert [tuple(doc) for doc in load("method").scoreddocs_iter()] == candidates


def test_a_query_paper_without_abstract_is_an_error(load, files):
    """The error names the paper."""
    files.papers(1, 3)
    with pytest.raises(ValueError, match="query paper 2: expected one of the documents"):
        list(load("method").queries_iter())


def test_bare_csfcube_says_where_queries_are(load, files):
    """The error for missing queries names the datasets that have some."""
    bare = ir_datasets.load("csfcube")
    for ask in (bare.queries_iter, bare.queries_store):
        with pytest.raises(
            NotImplementedError, match=r"csfcube/background.*/method.*/result.*/all"
        ):
            ask()
    assert bare.queries_count() is None
