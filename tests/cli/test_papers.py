"""`pyterrier-scholarly papers`."""

import json
import re

import ir_datasets
import pytest

from pyterrier_scholarly.cli import main

DOCS = [*ir_datasets.load("scholarly-mini").docs_iter()]


@pytest.fixture
def export(tmp_path):
    """A file of thirty papers of the embedded collection and of what is none."""
    path = tmp_path / "export.jsonl"
    papers = [
        {"id": doc.doc_id, "title": doc.title, "abstract": doc.text, "doi": f"10.1000/{number}"}
        for number, doc in enumerate(DOCS[:30])
    ]
    lines = [*map(json.dumps, papers), "no JSON", '{"title": "Only a title"}']
    path.write_text("\n".join(lines))
    return path


def run(*words):
    """Run an action."""
    return main(["papers", *map(str, words)])


def test_from_an_export_to_a_page(tmp_path, export, capsys):
    """Build, info, search with a page, add and remove, as the help shows them."""
    library = tmp_path / "library"
    assert run("build", library, export, "--quiet") == 0
    out = capsys.readouterr().out
    assert "31 papers added, 0 changed, 0 unchanged, 0 duplicates, 1 not read; 31 papers in" in out
    assert "  export.jsonl, line 31: no JSON" in out

    page = tmp_path / "found.html"
    query = DOCS[5].doc_id
    assert run("search", library, query, "--facet", "method", "--top", 3, "--html", page) == 0
    out = capsys.readouterr().out
    assert f"Why: {page}" in out
    html = page.read_text(encoding="utf-8")
    assert html.count("Copy BibTeX") == html.count("<iframe ") == 3
    assert len(re.findall(r'href="https://doi\.org/10\.1000/\d+"', html)) == 3
    assert "The pair of sentences that weighs most adds" in html
    assert "best first: 3 of 30 papers" in html and "PaperTfIdf(PaperWords(" not in html
    sums = re.findall(
        r"score (\S+) = pairs of sentences (\S+), words and other parts (\S+), mean of the ranked "
        r"papers ([^<\s]+)<",
        html.replace("\u2212", "-"),
    )
    assert len(sums) == 3
    for score, *parts in sums:
        assert float(score) == pytest.approx(sum(map(float, parts)), abs=0.021)  # rounded
    assert not re.search(r'(?:src|href)="https?://(?!doi\.org)', html)

    assert run("add", library, "scholarly-mini", "--quiet") == 0
    assert "0 duplicates" in capsys.readouterr().out
    assert run("remove", library, query, "--quiet") == 0
    assert f"{len(DOCS)} papers are left" in capsys.readouterr().out
    assert run("info", library) == 0
    out = capsys.readouterr().out
    assert f"{len(DOCS)} papers with" in out and "compared by words" in out
    assert "without an abstract, ranked by title: 1 (only-a-title)" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["info", "{0}/none"], "`pyterrier-scholarly papers build '{0}/none' source`"),
        (["build", "{}/library", "{}/none.bib"], "There is no file or dataset"),
        (["build", "{}/library", "{}/export.jsonl", "--strict"], "export.jsonl, line 31: no JSON"),
        (["build", "{}", "{}/export.jsonl"], "has other files"),
    ],
)
def test_errors_are_sentences(tmp_path, export, capsys, words, said):
    """What is wrong is said on one line, and the exit code tells it."""
    assert run(*(word.format(tmp_path) for word in words)) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if one.startswith("pyterrier")]
    assert said.format(tmp_path) in line
    assert "Papers" not in line


def test_a_library_that_is_there_advises_the_shells_words(tmp_path, export, capsys):
    """Errors and remarks name commands and options, and never calls of Python."""
    library = tmp_path / "library"
    assert run("build", library, export, "--quiet") == 0
    for words, said in [
        (["build", library, export], f"`pyterrier-scholarly papers add '{library}' source`"),
        (["search", library, "x", "--encoder", "a/model"], "Leave `--encoder` out"),
        (["add", library, export, "--strict", "--quiet"], "leave `--strict` out"),
    ]:
        assert run(*words) == 2
        err = capsys.readouterr().err
        assert said in err and "Papers(" not in err

    assert run("search", library, DOCS[5].doc_id) == 0
    assert "encoder=" not in capsys.readouterr().out


@pytest.mark.parametrize("encoder", [[], ["--encoder", "lsa"]])
def test_a_library_by_words_is_searched_as_it_was_built(tmp_path, export, capsys, encoder):
    """The word "lsa" stands for words, when a library is built and when it is searched."""
    library = tmp_path / "library"
    assert run("build", library, export, "--quiet", *encoder) == 0
    rankings = set()
    for searched_with in ([], ["--encoder", "lsa"]):
        capsys.readouterr()
        assert run("search", library, DOCS[5].doc_id, *searched_with) == 0
        rankings.add(capsys.readouterr().out)
    assert len(rankings) == 1
    assert run("info", library) == 0
    assert "compared by words" in capsys.readouterr().out


def test_an_unknown_id_is_near_those_with_its_parts(tmp_path, capsys):
    """An author's name finds the ids that have it, though they are longer."""
    library, export = tmp_path / "library", tmp_path / "export.jsonl"
    ids = ["mueller_trees_2019", "li_stones_2020", "mueller_sand_2021"]
    lines = [json.dumps({"id": paper_id, "title": f"On {paper_id}"}) for paper_id in ids]
    export.write_text("\n".join(lines))
    assert run("build", library, export, "--quiet") == 0
    for query in ("Mueller2019", "trees_2019"):
        assert run("search", library, query) == 2
        assert "Did you mean mueller_trees_2019" in capsys.readouterr().err
