"""Files, records and datasets of every form: right values, and what is not read by its place."""

import csv
import json
import re
from typing import NamedTuple

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly.papers import PaperRecord, Remark, UnreadRecord, read_source


def read_apart(source):
    """The papers of a source, without their places, and what else was said."""
    found = list(read_source(source))
    records = [record._replace(place="") for record in found if isinstance(record, PaperRecord)]
    return records, [record for record in found if not isinstance(record, PaperRecord)]


def read_text(folder, name, content):
    """The papers of a file of bytes, of a text, or of an object as JSON, and what else was said."""
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return read_apart(folder / name)


TREES = PaperRecord(
    *("smith2019", "Deep Übertrees", "We prune x < y trees. It works & pays.", 2019, "10.1000/abc"),
    *(("Jane Smith", "Kai Müller"), "Journal of Trees", "https://example.org/trees"),
)
CSL = {
    "id": "http://zotero.org/users/1/items/X",
    "citation-key": "smith2019",
    "title": "Deep <i>Übertrees</i>",
    "abstract": "We prune x &lt; y trees. It works &amp;amp; pays.",
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
    "authorships": [{"author": {"display_name": name}} for name in ("Jane Smith", "Kai Müller")],
    "primary_location": {
        "landing_page_url": "https://example.org/trees",
        "source": {"display_name": "Journal of Trees"},
    },
    "abstract_inverted_index": {
        word: [place] for place, word in enumerate("We prune x < y trees. It works & pays.".split())
    },
}
PLAIN = {
    "Key": "smith2019",
    "Title": "Deep Übertrees",
    "Author": "Smith, Jane; Müller, Kai",
    "Publication Year": "2019",
    "Publication.Title": "Journal of Trees",
    "DOI": "10.1000/abc",
    "Url": "https://example.org/trees",
    "Abstract_Note": "We prune x < y trees. It works & pays.",
}


@pytest.mark.parametrize("record", [CSL, SEMANTIC_SCHOLAR, OPENALEX, PLAIN])
def test_records_frames_and_files(tmp_path, record):
    """A record is read by its fields: as a dict, in a frame, in JSON, in a service's answer."""
    assert read_apart([record]) == ([TREES], [])
    assert read_apart(pd.DataFrame([record])) == ([TREES], [])
    assert read_text(tmp_path, "a.json", record) == ([TREES], [])
    assert read_text(tmp_path, "a.json", {"data": [{"citingPaper": record}]}) == ([TREES], [])
    assert read_text(tmp_path, "a.json", {"message": {"items": [record]}}) == ([TREES], [])
    lines = f"\n{json.dumps(record)}\n\n"
    assert read_text(tmp_path, "a.jsonl", lines.encode("utf-16")) == ([TREES], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables(tmp_path, separator):
    """Any usual separator, a byte order mark, Excel's line on it, and a line above the header."""
    for above in ("", f"sep={separator}\n", "Exported today by a service\n"):
        with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8-sig") as file:
            file.write(above)
            writer = csv.DictWriter(file, PLAIN, delimiter=separator)
            writer.writeheader()
            writer.writerow(PLAIN)
        assert read_apart(tmp_path / "a.csv") == ([TREES], [])


def test_datasets():
    """A dataset's id, its object and its documents give the same papers."""
    dataset = ir_datasets.load("scholarly-mini")
    expected, said = read_apart(list(dataset.docs_iter()))
    assert len(expected) == dataset.docs_count() and not said
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


#: a field of a dict, its value, and how it is read; for "year", of one of several fields
VALUES = [
    *(("year", value, 2019) for value in ("2019", 2019.0, "May 1, 2019", "2019///")),
    ("year", pd.Timestamp(2019, 5, 1), 2019),
    *(("year", value, None) for value in ("20190501", None, float("nan"), "n.d.")),
    ("doi", "https://doi.org/10.1000/ABC.", "10.1000/abc"),
    ("doi", "doi:10.1000%2Fabc (see there)", "10.1000/abc"),
    ("doi", "https://a.org/doi/epdf/10.1000/abc?download=true#page", "10.1000/abc"),
    ("doi", "https://a.org/10.1000/abc.full.pdf+html", "10.1000/abc.full.pdf+html"),
    (
        "doi",
        "https://a.org/content/10.1101/2020.01.02.123456v2.full.pdf",
        "10.1101/2020.01.02.123456",
    ),
    (
        "doi",
        "10.1002/(SICI)1(1998)17:15&lt;1661::AID-A1&gt;3.0.CO;2-2",
        "10.1002/(sici)1(1998)17:15<1661::aid-a1>3.0.co;2-2",
    ),
    ("doi", "10.1000/one; 10.1000/two", "10.1000/one"),
    ("doi", "arXiv:2110.12345/v2", ""),
    ("title", "On <b>oaks</b>, <i>in vivo</i>: CO<sub>2</sub><br/>", "On oaks, in vivo: CO2"),
    ("title", "a <b and c> d, x <i> y, <http://a.org>", "a <b and c> d, x <i> y, <http://a.org>"),
    ("title", "<jats:p>One.</jats:p><jats:p>Two &amp;lt; three.</jats:p>", "One. Two < three."),
    ("abstract", "[No abstract available]", ""),
    ("venue", "\\N", ""),
    ("authors", "Oak A, Elm B.-C., van Fig D", ("Oak A", "Elm B.-C.", "van Fig D")),
    ("authors", "Oak, A., Elm, B. C.", ("A. Oak", "B. C. Elm")),
    ("authors", "Smith, Jane and van Oak, Bo and others", ("Jane Smith", "Bo van Oak")),
    (
        "authors",
        ["Oak, Jr., Ann", "NA", {"name": "Ministry of Trees, Roots"}],
        ("Ann Oak, Jr.", "Ministry of Trees, Roots"),
    ),
    ("authors", "['Oak, Ann', 'Elm, Bo']", ("Ann Oak", "Bo Elm")),
]


@pytest.mark.parametrize(("name", "value", "expected"), VALUES)
def test_values(name, value, expected):
    """A value is read in the same way from each form of source."""
    ((record,), _) = read_apart([{"title": "T", "abstract": "", name: value}])
    assert getattr(record, name) == expected


def bibtex(fields):
    """An entry with these fields."""
    return f"@article{{a, {fields}}}\n"


def ris(*lines):
    """A record with these lines."""
    return "\n".join(["TY  - JOUR", *lines, "ER  - ", ""])


#: name of the file, its content, and of each paper what is expected of it, in order
RIGHT = {
    "percent signs": (
        "a.bib",
        bibtex("title = {A 50% cut}, abstract = {By 12% in\n spring & 12\\% more. # of roots.}"),
        [{"title": "A 50% cut", "abstract": "By 12% in spring & 12% more. # of roots."}],
    ),
    "verbatim": (
        "a.bib",
        bibtex("title = {T}, url = {https://a.org/x\\_y?q=x%20y&z=1}, doi = {10.1002/a%3Cb$>$c}"),
        [{"url": "https://a.org/x_y?q=x%20y&z=1", "doi": "10.1002/a<b>c"}],
    ),
    "commands": (
        "a.bib",
        bibtex(
            r"title = {{\"U}ber {{CO$_2$}} \& $\gamma$-rays of \emph{Sphagnum} in \LaTeX{}},"
            r" abstract = {See \href{https://a.org}{our site}: \newmacro{words} of S\o ren stay,"
            r" \unknown too, for $5 or $10, x \textless{} y.}, howpublished = {\href {u} {v}}"
        ),
        [
            {
                "title": "Über CO2 & γ-rays of Sphagnum in LaTeX",
                "abstract": "See our site: words of Søren stay, unknown too, for $5 or $10, x < y.",
            }
        ],
    ),
    "entities": (
        "a.bib",
        bibtex(
            r"title = {Search &amp; Find \&amp; Keep}, abstract = {&lt;i&gt;caf&eacute;s&lt;/i&gt;}"
        ),
        [{"title": "Search & Find & Keep", "abstract": "cafés"}],
    ),
    "strings and parents": (
        "a.bib",
        '@string{t = "Proc. Trees"}\n@comment{x, @misc{no, title = {No}}}\n% @misc{o, title={No}}\n'
        '@inproceedings(a, title = "Trees" # " and {"}roots", booktitle = t # { 2019}, month = jul'
        ")\n"
        "@inproceedings{b, title = {B}, crossref = {C}}\n"
        "@proceedings{c, title = {All Trees}, year = 2020}\n",
        [
            {"title": 'Trees and "roots', "venue": "Proc. Trees 2019", "year": None},
            {"title": "B", "venue": "All Trees", "year": 2020},
            {"title": "All Trees"},
        ],
    ),
    "commands without a text": (
        "a.bib",
        bibtex(
            r"title = {\href{https://a.org/{x}}{Our {B}ig site} \cite[see][p. 2]{k}of \unknown{y}},"
            r" abstract = {\dots\LaTeX, {\it Sphagnum} at 37$^\circ$C, \item[x] \caption[s]{long}}"
        ),
        [{"title": "Our Big site of y", "abstract": "…LaTeX, Sphagnum at 37°C, long"}],
    ),
    "braces in braces, names with and": (
        "a.bib",
        bibtex("title = {A {B {C {D {E}}}}}, author = {{Oak and Elm, Inc.} and {\\'E}lm, Ann}"),
        [{"title": "A B C D E", "authors": ("Oak and Elm, Inc.", "Ann Élm")}],
    ),
    "notes": (
        "a.bib",
        bibtex("title = {T}, note = {DOI: 10.1000/abc}")
        + bibtex("title = {U}, note = {Erratum in 10.1000/other}"),
        [{"doi": "10.1000/abc"}, {"doi": ""}],
    ),
    "keys, fields twice": (
        "a.bib",
        "@misc{x, title = {One}, title = {No}}\n@misc{x, title = {Two {A}}}",
        [{"paper_id": "x", "title": "One"}, {"paper_id": "x", "title": "Two A"}],
    ),
    "wrapped lines": (
        "a.ris",
        ris(
            "TI  - On",
            "UV - light",
            "AB  - NA",
            "SP  -",
            "N2  - We prune",
            "oaks.",
            "DA  - 2019/05/",
        ),
        [{"title": "On UV - light", "abstract": "We prune oaks.", "year": 2019}],
    ),
    "repeated tags": (
        "a.ris",
        ris("T1  - T", "AB  - One.", "AB  - (c) A.", "UR  - https://arxiv.org/abs/2110.12345")
        + ris(
            "TI  - U", "UR  - https://a.org", "L2  - https://a.org/10.1000/u.pdf", "AU  - Oak, A"
        ),
        [
            {"abstract": "One.", "doi": "", "url": "https://arxiv.org/abs/2110.12345"},
            {"doi": "10.1000/u", "url": "https://a.org", "authors": ("A Oak",)},
        ],
    ),
    "TY in the middle, or nowhere": (
        "a.ris",
        "TI  - One\nAB  - A.\nTY  - JOUR\nER  - \n\nAU  - Elm, B\nTI  - Two\nER  - \n",
        [{"title": "One", "abstract": "A."}, {"title": "Two", "authors": ("B Elm",)}],
    ),
    "neither TY nor ER": (
        "a.ris",
        "TI  - One\nAB  - A.\n\nTI  - Two\n",
        [{"title": "One"}, {"title": "Two"}],
    ),
    "without ER": (
        "a.ris",
        "TY  - JOUR\nTI  - One\nTY  - JOUR\nTI  - Two\n",
        [{"title": "One"}, {"title": "Two"}],
    ),
    "columns without a name": (
        "a.csv",
        ',Article Title,abstract\n7,One,\n8,"Two\nlines",A\u2028b\x0cc\x85d.\n',
        [
            {"paper_id": "", "title": "One", "abstract": "", "venue": "", "authors": ()},
            {"title": "Two lines", "abstract": "A b c d."},
        ],
    ),
    "services": (
        "a.csv",
        'PMID,Title,Authors,Journal/Book,Create Date\n1,One,"Oak A, Elm B.",J. Trees,2019/05/01\n',
        [{"paper_id": "1", "authors": ("Oak A", "Elm B."), "venue": "J. Trees", "year": 2019}],
    ),
    "dates": (
        "a.json",
        [
            {
                "title": "A",
                "issued": {"date-parts": [[None]]},
                "created": {"date-parts": [[2019, 6]]},
            },
            {"title": "B", "issued": [{"date-parts": [2005, 4, 12]}]},
            {"title": "C", "issued": {"date-parts": ["2018", "3"]}},
            {"title": "D", "issued": {"date-parts": [[]], "literal": "Spring 2017"}},
            {"title": "E", "issued": {"date-parts": [[]]}},
        ],
        [{"year": 2019}, {"year": 2005}, {"year": 2018}, {"year": 2017}, {"year": None}],
    ),
    "lists of Crossref": (
        "a.json",
        {
            "message": {
                "DOI": "10.1000/A",
                "title": ["A"],
                "container-title": ["J. Trees"],
                "abstract": "<jats:p>We.</jats:p>",
            }
        },
        [{"doi": "10.1000/a", "title": "A", "venue": "J. Trees", "abstract": "We."}],
    ),
    "UTF-16 without a mark": ("a.tsv", "title\nBäume\n".encode("utf-16-le"), [{"title": "Bäume"}]),
    "UTF-16 of big ends": ("a.tsv", "title\nBäume\n".encode("utf-16-be"), [{"title": "Bäume"}]),
    "lines with lists": (
        "a.jsonl",
        '{"title": "A", "data": {"x": 1}}\n{"docno": "d", "text": "Body"}\n'
        '{"title": "B", "message": {"title": "x"}}\n',
        [{"title": "A"}, {"paper_id": "d", "abstract": "Body"}, {"title": "B"}],
    ),
    "a note in a far column": (
        "a.tsv",
        "Title\tAbstract\nA\tx" + "\t" * 40 + "\nB\ty\n",
        [{"title": "A", "abstract": "x"}, {"title": "B"}],
    ),
    "a header of two lines": (
        "a.csv",
        '"Article\nTitle","Publication\nYear"\nA,2019\n',
        [{"title": "A", "year": 2019}],
    ),
    "names in braces": (
        "a.bib",
        bibtex("title = {T}, author = {A Oak AND {The A and {B {C}} group} and Elm, Jr.,Bo}"),
        [{"authors": ("A Oak", "The A and B C group", "Bo Elm, Jr.")}],
    ),
    "formulas of other marks": (
        "a.bib",
        bibtex(r"title = {The \(\alpha\)-level was \(p<0.05\)}"),
        [{"title": "The α-level was p<0.05"}],
    ),
}


@pytest.mark.parametrize(("name", "content", "expected"), RIGHT.values(), ids=RIGHT.keys())
def test_right_values(tmp_path, name, content, expected):
    """Real exports' peculiarities: all papers are read, and nothing has to be said."""
    records, said = read_text(tmp_path, name, content)
    assert said == []
    found = [record._asdict() for record in records]
    assert [
        {field: record[field] for field in fields} for record, fields in zip(found, expected)
    ] == expected
    assert len(records) == len(expected)


#: name of the file, its content, titles that are read, and of what is said: line and words.
#: "!" before the words: a paper is lost
FLAWS = {
    "an entry that is not closed": (
        "a.bib",
        "@article{x,\n title = {No end\n@article{y, title = {Next}}\n",
        ["Next"],
        [("line 1", "!not closed")],
    ),
    "a brace that is missing": (
        "a.bib",
        "@article{x, title = {One}\n\n@article{y, title = {Next}\n",
        ["One"],
        [("line 1", "not closed"), ("line 3", "!not closed")],
    ),
    "no key, no commas": (
        "a.bib",
        "@article{title = {T} year = 2019}\n@article{y, title = {Next}}",
        ["T", "Next"],
        [("line 1", "it has no key; a comma is missing before year")],
    ),
    "an entry without a key is no parent": (
        "a.bib",
        "@book{title = {One}, year = 2019}\n@misc{x, note = {a}, title = {Two}}",
        ["One", "Two"],
        [("line 1", "it has no key")],
    ),
    "quotes in quotes": (
        "a.bib",
        '@article{x, title = "The "best" tree"}\n@article{y, title = {Next}}',
        ["Next"],
        [("line 1", "!cannot be read from 'best")],
    ),
    "LaTeX that is not closed": (
        "a.bib",
        r"@misc{x, title = {One \begin{y} two}}",
        [r"One \begin{y} two"],
        [("line 1", "title has LaTeX that cannot be read")],
    ),
    "an entry without title and abstract": (
        "a.bib",
        "@misc{x, year = {2019}}",
        [],
        [("line 1", "!neither a title nor an abstract")],
    ),
    "a RIS file that is cut off": (
        "a.ris",
        ris("TI  - One") + "TY  - JOUR\nTI  - Two\nAB  - We pru",
        ["One"],
        [("line 4", "!truncated")],
    ),
    "lines between records": (
        "a.ris",
        f"1.\n{ris('TI  - One')}NL  - T.\n\nLink: x\n2.\n{ris('TI  - Two')}",
        ["One", "Two"],
        [("line 1", "lines outside of records are skipped, the first: '1.'")],
    ),
    "bytes of Windows": (
        "a.ris",
        ris("TI  - Müll").encode("cp1252") + ris("TI  - Übel").encode(),
        ["Müll", "Übel"],
        [("", "not UTF-8: read as Windows-1252")],
    ),
    "bytes of Russian": (
        "a.csv",
        "title,abstract\nО деревьях и листьях,Мы обрезаем деревья весной\n".encode("cp1251"),
        ["О деревьях и листьях"],
        [("", "not UTF-8: read as cp1251")],
    ),
    "a line that is no JSON": (
        "a.jsonl",
        '{"title": "One"}\n{"ti\n7\nnull',
        ["One"],
        [("line 2", "!no JSON"), ("line 3", "!7 is no paper"), ("line 4", "null")],
    ),
    "a JSON file that is cut off": ("a.json", json.dumps([CSL])[:-9], [], [("", "!no JSON")]),
    "JSON without a list": ("a.json", {"error": "too many"}, [], [("", "!no list of papers")]),
    "nested too deeply": ("a.json", "[" * 100_000, [], [("", "!no JSON")]),
    "unknown papers, wrong types": (
        "a.json",
        {
            "data": [
                None,
                {"title": {"en": "One"}},
                {"title": "One", "abstract": ["We.", "They."]},
                {"title": "One", "authors": 7},
                {**OPENALEX, "abstract_inverted_index": {"We": "0"}},
                {"title": "Two", "authors": [None, "A"]},
            ]
        },
        ["Two"],
        [
            ("paper 1", "null"),
            ("paper 2", "!title is .*: expected a text"),
            ("paper 3", "!expected a text: join the sentences"),
            ("paper 4", "!authors is 7"),
            ("paper 5", "!'We': '0'"),
        ],
    ),
    "rows of other lengths": (
        "a.csv",
        'title,abstract\nOne,a,b\n"Two\nlines",c\n\nThree,d,\nFour\n',
        ["Two lines", "Three"],
        [("line 2", "!3 cells: expected 2"), ("line 7", "!1 cells")],
    ),
    "quotes that are not closed": (
        "a.csv",
        'title,abstract\nOne,a\n"Two,b\nThree,c\n"Four","d" e\nFive"\nSix,f\n',
        ["One", '"Two', "Three", "Six"],
        [
            ("line 3", "quotes within a cell"),
            ("line 5", "!damaged quotes in lines: 2; the row is lost"),
        ],
    ),
    "stray quotes, and other numbers of cells": (
        "a.csv",
        'title,abstract\n"One" x,a\nb\n"Two",b,c\n"Three\n3",c,d\n"Four",d\n',
        ['"One" x', "Four"],
        [
            ("line 2", "quotes within a cell"),
            ("line 3", "!1 cells: expected 2"),
            ("line 4", "!damaged quotes in lines: 1"),
            ("line 5", "!damaged quotes in lines: 2"),
        ],
    ),
    "a run of accents": (
        "a.csv",
        "title\nÄÖÜÉ: façade naïve\nForêts à Müller où\n".encode("cp1252"),
        ["ÄÖÜÉ: façade naïve", "Forêts à Müller où"],
        [("", "not UTF-8: read as Windows-1252")],
    ),
    "a table without a header": ("a.csv", "One,a\n", [], [("line 1", "!no header")]),
    "an empty file": ("a.csv", "", [], [("line 1", "!no header")]),
}


@pytest.mark.parametrize(("name", "content", "titles", "said"), FLAWS.values(), ids=FLAWS.keys())
def test_flawed_exports(tmp_path, name, content, titles, said):
    """What can be read is read; all else is named once, by its place and what is wrong."""
    records, found = read_text(tmp_path, name, content)
    assert [record.title for record in records] == titles
    by_line = sorted(found, key=lambda remark: remark.place)
    assert len(by_line) == len(said)
    for (place, words), remark in zip(said, by_line):
        assert remark.place == f"{name}, {place}".removesuffix(", ")
        assert re.search(words.removeprefix("!"), remark.reason)
        assert isinstance(remark, UnreadRecord if words.startswith("!") else Remark)


def test_folders_missing_files_and_unknown_forms(tmp_path):
    """Files of known forms are read by name, but no hidden ones; errors name the known forms."""
    with pytest.raises(FileNotFoundError, match=r"no file or dataset .*none\.bib.*\.bib, \.ris"):
        read_apart(tmp_path / "none.bib")
    with pytest.raises(ValueError, match=r"a\.xml is not one of \.jsonl"):
        read_text(tmp_path, "a.xml", "<a/>")
    (tmp_path / "._a.bib").write_bytes(b"\0\5\x16\7Mac OS X")
    with pytest.raises(ValueError, match="has no file of papers"):
        read_apart(tmp_path)
    for name, content in (("b.bib", bibtex("title = {B}")), ("a.ris", ris("TI  - A"))):
        (tmp_path / name).write_text(content)
    records, said = read_apart(tmp_path)
    assert [record.title for record in records] == ["A", "B"] and not said
