"""The files of the release, sound and spoilt."""

import pytest

from ir_datasets_ext.csfcube import RELEASE
from ir_datasets_ext.csfcube.release import read_docs, read_pool, read_query_papers

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def test_a_paper(files):
    """Sentences and labels stay side by side, the text is the sentences, the suffix _label goes."""
    doc = next(read_docs(RELEASE))
    assert doc.doc_id == "1"
    assert doc.sentences == ("back of 1.", "obje of 1.", "meth of 1.")
    assert doc.labels == ("background", "objective", "method")
    assert doc.text == "back of 1. obje of 1. meth of 1."
    assert doc.default_text() == "Title 1 back of 1. obje of 1. meth of 1."
    assert (doc.year, doc.authors, doc.venue, doc.doi) == (2001, (), "", "")


def test_what_else_a_paper_may_have(files):
    """Authors as strings or in parts; a year, venue or doi of null is 0 or nothing."""
    parts = {"first": "Ada", "middle": ["K."], "last": "Lovelace", "suffix": ""}
    metadata = {"year": None, "venue": None, "doi": "10.1/x", "authors": ["Alan Turing", parts]}
    files.papers(1, metadata=metadata)
    doc = next(read_docs(RELEASE))
    assert doc.authors == ("Alan Turing", "Ada K. Lovelace")
    assert (doc.year, doc.venue, doc.doi) == (0, "", "10.1/x")


def test_a_paper_without_sentences(files):
    """An empty abstract is a paper all the same."""
    files.papers(1, abstract=[], pred_labels=[])
    doc = next(read_docs(RELEASE))
    assert (doc.text, doc.sentences, doc.labels) == ("", (), ())


def test_pool_sources(files):
    """One record per paper of a pool, with the names that the release gives its sources."""
    assert list(read_pool(RELEASE)) == [
        ("1", "2", ("cited",)),
        ("1", "9", ("specter", "cited")),
    ]


def test_query_papers(files):
    """Year and type by paper and facet; a year that is not given is 0."""
    assert read_query_papers(RELEASE) == {
        ("1", "method"): (1999, "resources"),
        ("2", "method"): (0, "survey"),
    }
