"""The files of the release, sound and spoilt."""

import pytest

from ir_datasets_ext._csfcube_records import CsfcubePoolSource
from ir_datasets_ext.csfcube import RELEASE

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def test_a_paper(files):
    """Sentences and labels stay side by side, the text is the sentences, the suffix _label goes."""
    doc = next(RELEASE.docs())
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
    doc = next(RELEASE.docs())
    assert doc.authors == ("Alan Turing", "Ada K. Lovelace")
    assert (doc.year, doc.venue, doc.doi) == (0, "", "10.1/x")


def test_a_paper_without_sentences(files):
    """An empty abstract is a paper all the same."""
    files.papers(1, abstract=[], pred_labels=[])
    doc = next(RELEASE.docs())
    assert (doc.text, doc.sentences, doc.labels) == ("", (), ())


@pytest.mark.parametrize("line", ['{"paper_id": "4", "title"', '{"paper_id": "4"}', "[]", "\n"])
def test_a_broken_line_is_named(files, line):
    """The error has the file, the line's number, what is expected and what to do."""
    path = files.folder / "abstracts-csfcube-preds.jsonl"
    path.write_text(path.read_text() + line)
    with pytest.raises(ValueError, match=r"preds\.jsonl, line 5 is no paper.*delete the file"):
        list(RELEASE.docs())


def test_sentences_and_labels_must_pair(files):
    """Two labels for three sentences are refused."""
    files.papers(1, pred_labels=["method_label"] * 2)
    with pytest.raises(ValueError, match="3 sentences and 2 labels"):
        list(RELEASE.docs())


def test_truncated_json_is_named(files):
    """The error has the file and what to do."""
    files.write("test-pid2anns-csfcube-method.json", '{"1": {"cands": ["2"')
    with pytest.raises(ValueError, match=r"method\.json is not valid JSON.*delete the file"):
        RELEASE.annotations("method")


def test_a_column_of_another_length_is_named(files):
    """The error has the file, the query, the column and both lengths."""
    files.annotate("method", {"1": {"cands": ["2", "3"], "relevance_adju": [1]}})
    with pytest.raises(ValueError, match=r"query 1 has 2 candidates and 1 values of relevance_adj"):
        RELEASE.annotations("method")


def test_pool_sources(files):
    """One record per paper of a pool, with the names that the release gives its sources."""
    assert list(RELEASE.pool()) == [
        CsfcubePoolSource("1", "2", ("cited",)),
        CsfcubePoolSource("1", "9", ("specter", "cited")),
    ]


def test_query_papers(files):
    """Year and type by paper and facet; a year that is not given is 0."""
    assert RELEASE.query_papers() == {
        ("1", "method"): (1999, "resources"),
        ("2", "method"): (0, "survey"),
    }
