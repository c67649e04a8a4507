"""Papers of every form of source, and twenty broken exports: each is read, or refused by place."""

import csv
import json
from typing import NamedTuple

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly.papers import PaperRecord, UnreadRecord, read_source

TREES = PaperRecord(
    paper_id="smith2019",
    title="Deep Übertrees",
    abstract="We prune x < y trees. It works & pays.",
    year=2019,
    doi="10.1000/abc",
    authors=("Jane Smith", "Kai Müller"),
    venue="Journal of Trees",
    url="https://example.org/trees",
)

BIBTEX = r"""
@comment{jabref-meta: x}
@string{jot = "Journal of Trees"}
@article{smith2019,
  title = {Deep {{\"U}bertrees}},
  author = {Jane Smith and Kai M{\"u}ller},
  abstract = {<p>We prune x \textless{} y trees.</p>
    It works \& pays.},
  date = {2019-05-01},
  journal = jot,
  doi = {https://doi.org/10.1000/ABC},
  url = {https://example.org/trees},
}
"""
RIS = """TY  - JOUR
ID  - smith2019
TI  - Deep Übertrees
AU  - Jane Smith
AU  - Kai Müller
T2  - Journal of Trees
AB  - <jats:p>We prune x &lt; y trees.</jats:p>
It works &amp; pays.
DA  - 2019/05/01/
PY  - 2019
DO  - 10.1000/ABC
UR  - https://example.org/trees
ER  -

"""
CSL = {
    "id": "http://zotero.org/users/1/items/X",
    "citation-key": "smith2019",
    "type": "article-journal",
    "title": "Deep <i>Übertrees</i>",
    "abstract": "We prune x &lt; y trees. It works &amp; pays.",
    "author": [{"family": "Smith", "given": "Jane"}, {"literal": "Kai Müller"}],
    "issued": {"date-parts": [["2019", 5, 1]]},
    "container-title": "Journal of Trees",
    "DOI": "10.1000/abc",
    "URL": "https://example.org/trees",
}
SEMANTIC_SCHOLAR = {
    "paperId": "smith2019",
    "externalIds": {"DOI": "10.1000/abc", "CorpusId": 1},
    "title": "Deep Übertrees",
    "abstract": "We prune x < y trees. It works & pays.",
    "year": 2019,
    "authors": [{"authorId": "1", "name": "Jane Smith"}, {"authorId": None, "name": "Kai Müller"}],
    "venue": "Journal of Trees",
    "url": "https://example.org/trees",
}
OPENALEX = {
    "id": "https://openalex.org/smith2019",
    "doi": "https://doi.org/10.1000/abc",
    "display_name": "Deep Übertrees",
    "publication_year": 2019,
    "authorships": [
        {"author": {"display_name": "Jane Smith"}},
        {"author": {"display_name": "Kai Müller"}},
    ],
    "primary_location": {
        "landing_page_url": "https://example.org/trees",
        "source": {"display_name": "Journal of Trees"},
    },
    "abstract_inverted_index": {
        **{"We": [0], "prune": [1], "x": [2], "<": [3], "y": [4], "trees.": [5]},
        **{"It": [6], "works": [7], "&": [8], "pays.": [9]},
    },
}
PLAIN = {
    "Key": "smith2019",
    "Title": "Deep Übertrees",
    "Author": "Jane Smith; Kai Müller",
    "Publication Year": "2019",
    "Publication Title": "Journal of Trees",
    "DOI": "10.1000/abc",
    "Url": "https://example.org/trees",
    "Abstract Note": "We prune x < y trees. It works & pays.",
}


def write_csv(path, rows, separator=","):
    """Write rows of one header as a CSV file."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)


def make_file(folder, name, content):
    """Write a file of bytes, of a text, or of an object as JSON; return its path."""
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path


def read_apart(source):
    """The papers of a source, without their places, and what was not read."""
    found = list(read_source(source))
    records = [record._replace(place="") for record in found if isinstance(record, PaperRecord)]
    return records, [record for record in found if isinstance(record, UnreadRecord)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.bib", BIBTEX),
        ("a.ris", RIS),
        ("a.ris", RIS.replace("\n", "\r\n").encode("utf-8-sig")),
        ("a.json", [CSL]),
        ("a.json", CSL),
        ("a.json", {"data": [SEMANTIC_SCHOLAR], "total": 1, "next": 100}),
        ("a.json", {"data": [{"contexts": [], "citingPaper": SEMANTIC_SCHOLAR}]}),
        ("a.json", {"meta": {"count": 1}, "results": [OPENALEX]}),
        ("a.jsonl", f"\n{json.dumps(SEMANTIC_SCHOLAR)}\n\n"),
        ("a.jsonl", json.dumps(OPENALEX).encode("utf-16")),
    ],
)
def test_a_file_of_each_form(tmp_path, name, content):
    """Every form of file gives the same paper, with all its fields."""
    assert read_apart(make_file(tmp_path, name, content)) == ([TREES], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_of_zotero(tmp_path, separator):
    """CSV with any usual separator and a byte order mark gives the same paper."""
    write_csv(tmp_path / "a.csv", [PLAIN], separator)
    assert read_apart(tmp_path / "a.csv") == ([TREES], [])


@pytest.mark.parametrize("record", [CSL, SEMANTIC_SCHOLAR, OPENALEX, PLAIN])
def test_records_and_frames(record):
    """Dicts and rows of a frame are read by their fields, whatever form they have."""
    assert read_apart([record]) == ([TREES], [])
    assert read_apart(pd.DataFrame([record])) == ([TREES], [])


def test_datasets():
    """A dataset's id, its object and its documents give the same papers."""
    dataset = ir_datasets.load("scholarly-mini")
    expected, unread = read_apart(list(dataset.docs_iter()))
    assert len(expected) == dataset.docs_count() and not unread
    assert expected[0].abstract == " ".join(next(dataset.docs_iter()).text.split())
    for source in ("scholarly-mini", "irds:scholarly-mini", dataset):
        assert read_apart(source) == (expected, [])


class Titled(NamedTuple):
    """A document whose abstract has another name, as some of ir_datasets have."""

    doc_id: str
    title: str
    body: str

    def default_text(self):
        """Title and abstract."""
        return f"{self.title} {self.body}"


def test_a_document_without_a_field_of_the_abstract():
    """Its default text is taken."""
    ((record,), _) = read_apart([Titled("a", "T", "One two.")])
    assert (record.paper_id, record.abstract) == ("a", "T One two.")


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ({"year": "2019"}, 2019),
        ({"year": 2019.0}, 2019),
        ({"year": "n.d.", "date": "May 1, 2019"}, 2019),
        ({"date": "1 May 2019"}, 2019),
        ({"date": "2019///"}, 2019),
        ({"date": "20190501"}, None),
        ({"year": None}, None),
        ({"year": float("nan")}, None),
        ({}, None),
    ],
)
def test_years(date, year):
    """A year is found in the usual ways of writing a date; a missing one is None."""
    ((record,), _) = read_apart([{"title": "T", **date}])
    assert record.year == year


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ({"date-parts": [[2019]]}, 2019),
        ({"date-parts": [["2019", "05"]]}, 2019),
        ({"date-parts": [[]]}, None),
        ({"date-parts": []}, None),
        ({"raw": "2019-05"}, 2019),
        ({"literal": "in press"}, None),
        (None, None),
    ],
)
def test_dates_of_csl(issued, year):
    """Dates of CSL-JSON come as numbers, as texts, raw or empty."""
    ((record,), _) = read_apart([{**CSL, "issued": issued}])
    assert record.year == year


def test_a_folder_of_exports(tmp_path):
    """All files of known forms in a folder are read, in the order of their names."""
    make_file(tmp_path, "b.bib", BIBTEX)
    make_file(tmp_path, "a.ris", RIS.replace("Deep", "Flat"))
    make_file(tmp_path, "notes.txt", "no papers")
    records, unread = read_apart(tmp_path)
    assert [record.title for record in records] == ["Flat Übertrees", "Deep Übertrees"]
    assert not unread


#: name of the file, content, titles that are read, and (line or number, words) of what is not
BROKEN = {
    "an entry that is not closed": (
        "a.bib",
        BIBTEX + "@article{x,\n title = {No end\n@article{y, title = {Next}}\n",
        ["Deep Übertrees", "Next"],
        [("line 14", "not closed")],
    ),
    "the last entry cut off": ("a.bib", BIBTEX[:-20], [], [("line 4", "not closed")]),
    "an entry without a key": (
        "a.bib",
        "@article{title = {T}}\n@article{y, title = {Next}}",
        ["Next"],
        [("line 1", "neither a title|no key")],
    ),
    "a key that stands there twice": (
        "a.bib",
        "@misc{x, title = {One}}\n@misc{x, title = {Two {A}}}",
        ["One", "Two A"],
        [],
    ),
    "a field that stands there twice": (
        "a.bib",
        "@misc{x, title = {One}, title = {Two}}",
        ["One"],
        [],
    ),
    "an entry without title and abstract": (
        "a.bib",
        BIBTEX + "@misc{x, year = {2019}}",
        ["Deep Übertrees"],
        [("line 14", "neither a title nor an abstract")],
    ),
    "a record without ER": (
        "a.ris",
        "TY  - JOUR\nTI  - One\nTY  - JOUR\nTI  - Two\nER  - \n",
        ["One", "Two"],
        [],
    ),
    "a RIS file that is cut off": (
        "a.ris",
        RIS + "TY  - JOUR\nTI  - One\nAB  - We pru",
        ["Deep Übertrees"],
        [("line 15", "truncated")],
    ),
    "text before the first record": (
        "a.ris",
        "Downloaded today\nTI  - One\n" + RIS,
        ["Deep Übertrees"],
        [("line 1", "outside of a record"), ("line 2", "outside of a record")],
    ),
    "bytes that are not UTF-8": (
        "a.ris",
        b"TY  - JOUR\nTI  - M\xfcll\nER  - \n" + RIS.encode(),
        ["Deep Übertrees"],
        [("line 1", "not UTF-8")],
    ),
    "a line that is no JSON": (
        "a.jsonl",
        f'{{"title": "One"}}\n{{"title": "Tw\n{json.dumps(CSL)}',
        ["One", "Deep Übertrees"],
        [("line 2", "no JSON")],
    ),
    "a line that is no object": (
        "a.jsonl",
        '7\n{"title": "One"}',
        ["One"],
        [("line 1", "7 is no paper")],
    ),
    "a JSON file that is cut off": ("a.json", json.dumps([CSL])[:-9], [], [("", "no JSON")]),
    "JSON without a list": ("a.json", {"error": "too many"}, [], [("", "no list of papers")]),
    "an answer with unknown papers": (
        "a.json",
        {"data": [None, SEMANTIC_SCHOLAR]},
        ["Deep Übertrees"],
        [("paper 1", "None is no paper")],
    ),
    "nested too deeply": ("a.json", "[" * 100_000, [], [("", "nested too deeply|no JSON")]),
    "an inverted index of texts": (
        "a.json",
        [{**OPENALEX, "abstract_inverted_index": {"We": "0"}}, {"title": "One"}],
        ["One"],
        [("paper 1", "'We': '0'")],
    ),
    "a title of a wrong type": (
        "a.json",
        [{"title": {"en": "One"}}, {"title": "Two"}],
        ["Two"],
        [("paper 1", "title is .*: expected a text")],
    ),
    "an abstract of sentences": (
        "a.json",
        [{"title": "One", "abstract": ["We.", "They."]}, {"title": "Two"}],
        ["Two"],
        [("paper 1", "expected a text: join the sentences")],
    ),
    "authors of a wrong type": (
        "a.json",
        [{"title": "One", "authors": 7}, {"title": "Two", "authors": [None, "A"]}],
        ["Two"],
        [("paper 1", "authors is 7")],
    ),
    "a row with too many cells": (
        "a.csv",
        'title,abstract\nOne,a,b\n"Two\nlines",c\n\nThree,d\nFour\n',
        ["Two lines", "Three"],
        [("line 2", "3 cells: expected 2"), ("line 7", "1 cells")],
    ),
    "a quote that is not closed": (
        "a.csv",
        'title,abstract\nOne,a\n"Two,b\nThree,c\n',
        ["One"],
        [("line 3", "damaged quotes")],
    ),
    "a table without a header": ("a.csv", "One,a\n", [], [("line 1", "no header")]),
    "an empty file": ("a.csv", "", [], [("line 1", "no header")]),
}


@pytest.mark.parametrize(
    ("name", "content", "titles", "refused"), BROKEN.values(), ids=BROKEN.keys()
)
def test_broken_exports(tmp_path, name, content, titles, refused):
    """What can be read is read; the rest is refused with its place and what is wrong."""
    import re

    records, unread = read_apart(make_file(tmp_path, name, content))
    assert [record.title for record in records] == titles
    assert len(unread) == len(refused)
    for (place, words), record in zip(refused, unread):
        assert record.place == f"{name}, {place}".removesuffix(", ")
        assert re.search(words, record.reason)


def test_missing_files_and_unknown_forms(tmp_path):
    """The error names the file and the forms that can be read."""
    with pytest.raises(FileNotFoundError, match=r"no file or dataset .*none\.bib.*\.bib, \.ris"):
        read_apart(tmp_path / "none.bib")
    with pytest.raises(ValueError, match=r"a\.xml is not one of \.jsonl"):
        read_apart(make_file(tmp_path, "a.xml", "<a/>"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no file of papers"):
        read_apart(tmp_path / "empty")


def test_entities_and_further_authors_of_bibtex(tmp_path):
    """Entities of HTML are their characters, escaped or not; "and others" is no author."""
    entry = r"""@article{a,
      title = {Search &amp; Find \&amp; Keep},
      abstract = {We test &lt;i&gt;trees&lt;/i&gt; and caf&eacute;s. It works \& pays.},
      author = {Smith, Jane and Li, Bao and others},
    }"""
    (tmp_path / "a.bib").write_text(entry)
    (record,) = read_source(tmp_path / "a.bib")
    assert record.title == "Search & Find & Keep"
    assert record.abstract == "We test trees and cafés. It works & pays."
    assert record.authors == ("Smith, Jane", "Li, Bao")
