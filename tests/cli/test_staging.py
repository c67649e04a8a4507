"""`pyterrier-scholarly stages`."""

import pytest

from pyterrier_scholarly import compare
from pyterrier_scholarly.cli import main

SYSTEM = ["stages", "scholarly-mini/method", "fabs_tfidf"]


def test_the_page_is_written(tmp_path, capsys):
    """The command writes the page, and prints the stages in 80 columns."""
    path = tmp_path / "stages.html"
    measures = ["--measure", "NDCG%20", "--measure", "R@5"]
    assert main([*SYSTEM, *measures, "--html", str(path)]) == 0
    assert "fabs_tfidf on scholarly-mini/method" in path.read_text(encoding="utf-8")
    lines = capsys.readouterr().out.splitlines()
    assert "fabs_tfidf on scholarly-mini/method" in lines[0]
    assert lines[1].split() == ["stage", "name", *measures[1::2], "recall", "lost", "seconds"]
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1] == f"Page written to {path}"


def test_no_page_is_written_unasked(tmp_path, monkeypatch, capsys):
    """Without --html there is no file; the measure is the one that `compare` takes."""
    monkeypatch.chdir(tmp_path)
    assert main(SYSTEM) == 0
    lines = capsys.readouterr().out.splitlines()
    assert list(tmp_path.iterdir()) == []
    assert not any("written" in line for line in lines)
    compared = compare("fabs_tfidf", "fabs_bm25", "scholarly-mini/method")
    assert str(compared.measure) in lines[1].split()


@pytest.mark.parametrize("name", ["a.trec", "./runs/a"])
def test_a_run_has_no_stages(name, capsys):
    """A file of results is no system, and the error names the command that takes it."""
    assert main([*SYSTEM[:2], name]) == 2
    assert f"{name}: a run has no stages: `compare` compares runs" in capsys.readouterr().err


def test_unjudged_papers_are_shown_on_request(tmp_path):
    """The page says what unjudged papers may hide if that was asked for."""
    path = tmp_path / "stages.html"
    assert main([*SYSTEM, "--no-check", "--unjudged", "--html", str(path)]) == 0
    assert "What unjudged papers may hide" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measure", "NDGC%20"], "'NDGC%20' is no measure"),
        (["--relevant", "0"], "--relevant 0"),
        (["--html", "no/folder.html"], "folder no is missing"),
    ],
)
def test_what_is_refused(arguments, said, capsys):
    """Errors name what was typed."""
    assert main([*SYSTEM, *arguments]) == 2
    assert said in capsys.readouterr().err
