"""`pyterrier-scholarly stages`."""

import pytest

from pyterrier_scholarly.cli import main

SYSTEM = ["stages", "scholarly-mini/method", "fabs_tfidf"]


def test_the_page_is_written(tmp_path, capsys):
    """The command writes the page, and prints the stages in 80 columns."""
    path = tmp_path / "stages.html"
    measures = ["--measure", "NDCG%20", "--measure", "R@5"]
    assert main([*SYSTEM, *measures, "--html", str(path)]) == 0
    assert "fabs_tfidf on scholarly-mini/method" in path.read_text(encoding="utf-8")
    lines = capsys.readouterr().out.splitlines()
    assert {"stage", "NDCG%20", "recall", "seconds"} <= set(lines[0].split())
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1] == f"The page is in {path}"


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
