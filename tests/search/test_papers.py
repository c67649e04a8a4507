"""Own papers from records of many kinds, and damaged ones."""

import json
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.search import read_papers, search_papers

GOOD = {"id": "good", "title": "T", "abstract": "One two."}
INDEX = "abstract_inverted_index"
DEEP = 100_000


def nested(depth):
    """A list in a list in a list …"""
    value = []
    for _ in range(depth):
        value = [value]
    return value


class Titled(NamedTuple):
    """A document whose abstract has another name, as some of ir_datasets have."""

    doc_id: str
    title: str
    body: str

    def default_text(self):
        """Title and abstract."""
        return f"{self.title} {self.body}"


def test_documents_of_ir_datasets():
    """Documents, as an iterator or a list, and their dataset, are the papers of their fields."""
    dataset = ir_datasets.load("scholarly-mini")
    expected = [
        {"docno": doc.doc_id, "title": doc.title, "text": doc.text} for doc in dataset.docs_iter()
    ]
    for source in (dataset, dataset.docs_iter(), list(dataset.docs_iter())):
        assert read_papers(source).to_dict("records") == expected
    assert len(search_papers(dataset, "117").ranking) == len(expected) - 1


def test_a_document_without_a_field_of_the_abstract():
    """Its default text is taken."""
    papers = read_papers([Titled("a", "Titled", "One two."), GOOD])
    assert papers["text"].tolist() == ["Titled One two.", "One two."]


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "  "])
def test_missing_values(missing):
    """None, NaN, pandas.NA and blanks are no id, title or abstract; other fields count."""
    papers = [
        {"id": missing, "title": missing, "display_name": "T", "abstract": "One two."},
        {"id": "b", "title": "B", "abstract": missing, INDEX: missing},
    ]
    assert read_papers(papers).to_dict("records") == [
        {"docno": "1", "title": "T", "text": "One two."},
        {"docno": "b", "title": "B", "text": ""},
    ]


def test_a_frame_with_missing_values():
    """Columns of pandas' own types hold pandas.NA."""
    columns = {"id": [1, None, 3], "title": ["A", "B", "C"], "abstract": ["x.", "y.", None]}
    found = read_papers(pd.DataFrame(columns).convert_dtypes())
    assert found["docno"].tolist() == ["1", "2", "3"]
    assert found["text"].tolist() == ["x.", "y.", ""]


@pytest.mark.parametrize(
    ("index", "wrong"),
    [
        ({"One": [0], "two.": "1"}, "'two.': '1'"),
        ({"One": [0], "two.": ["1"]}, r"'two.': \['1'\]"),
        ({"One": [0], "two.": [1, None]}, r"'two.': \[1, None\]"),
        ({"One": [0], "two.": 1}, "'two.': 1"),
        ({"One": [0], 2: [1]}, r"2: \[1\]"),
        ({"One": [0], "two.": nested(DEEP)}, r"'two.': \[\[\["),
        ([["One", 0]], r"is \[\['One', 0\]\]: expected a text"),
    ],
    ids=["text", "texts", "none", "number", "key", "deep", "list"],
)
def test_mixed_inverted_indexes(index, wrong):
    """The error names the paper, the word and its positions, and what was expected."""
    with pytest.raises(ValueError, match=f"paper 2: {INDEX} .*{wrong}"):
        read_papers([GOOD, {"id": "a", INDEX: index}])


def test_an_inverted_index_of_arrays():
    """Positions may be an array, as Parquet files give them."""
    index = {"two.": np.array([1, 3]), "One": np.array([0, 2])}
    assert read_papers([{INDEX: index}])["text"].tolist() == ["One two. One two."]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "a", "title": nested(DEEP), "abstract": "x."}, r"paper 2: title is \[\[\["),
        ({"id": nested(DEEP), "abstract": "x."}, r"paper 2: id is \[\[\["),
        ({"id": {"a": 1}, "abstract": "x."}, r"paper 2: id is \{'a': 1\}: expected a text"),
        ({"id": "a", "abstract": nested(DEEP)}, r"paper 2: abstract is \[\[\["),
        (nested(DEEP), r"paper 2: \[\[\[.* is no paper"),
        (("a", "T", "x."), r"paper 2: \('a', 'T', 'x.'\) is no paper: expected an object"),
    ],
    ids=["title", "id", "dict as id", "abstract", "record", "tuple"],
)
def test_values_of_wrong_types(record, message):
    """However deep they are, the error names the paper and the field, and shows the beginning."""
    with pytest.raises(ValueError, match=message):
        read_papers([GOOD, record])


@pytest.mark.parametrize("source", [None, 7, {"title": "T", "abstract": "x."}])
def test_sources_that_are_no_papers(source):
    """The error names the value, and what is read."""
    with pytest.raises(ValueError, match=r"source=.*: expected a file.*the id of a dataset, a fra"):
        read_papers(source)


@pytest.mark.parametrize("field", ["title", "other"])
def test_deep_json(tmp_path, field):
    """The error names the file, of JSON lines also the line."""
    deep = f'{{"id": "a", "abstract": "x.", "{field}": {"[" * DEEP}{"]" * DEEP}}}'
    lines, whole = tmp_path / "papers.jsonl", tmp_path / "papers.json"
    lines.write_text(f"{json.dumps(GOOD)}\n{deep}\n")
    whole.write_text(f"[{deep}]")
    with pytest.raises(ValueError, match=r"papers\.jsonl, line 2: no JSON"):
        read_papers(lines)
    with pytest.raises(ValueError, match=r"papers\.json: no JSON"):
        read_papers(whole)
