"""`pyterrier-scholarly explain`."""

import shutil
from pathlib import Path

import pytest

from pyterrier_scholarly.cli import main
from pyterrier_scholarly.datasets import irds


@pytest.fixture
def pair():
    """A query of the embedded collection and a candidate of it."""
    first = next(irds("scholarly-mini/method").scoreddocs_iter())
    return first.query_id, first.doc_id


def explain(*arguments):
    """Run the command with the light encoder."""
    return main(["explain", "scholarly-mini/method", *arguments, "--encoder", "lsa"])


def test_the_page_is_written(pair, tmp_path, capsys):
    """The command writes the page and prints its path."""
    path = tmp_path / "why.html"
    assert explain("sentence_maxsim", *pair, "--html", str(path)) == 0
    assert "<!doctype html>" in path.read_text(encoding="utf-8").lower()
    assert f"in {path}" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:.*was not compared")
def test_systems_of_the_querys_text(tmp_path, monkeypatch, unreachable):
    """For DORIS-MAE the page shows the sentences of the query's text."""
    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    (tmp_path / "doris-mae").mkdir()
    shutil.copyfile(small, tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    page = tmp_path / "why.html"
    asked = ["explain", "doris-mae", "in_context", "0", "7", "--encoder", "lsa"]
    assert main([*asked, "--html", str(page)]) == 0
    shown = page.read_text(encoding="utf-8")
    assert all(f"{number}." in shown for number in ("First", "Second", "Third", "Fourth"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["no_such_system", "q", "d"],
            "Unknown system 'no_such_system'. Choose one of: fabs_tfidf",
        ),
        (["sentence_maxsim", "q", "d", "--model", "x"], "expected NAME=MODEL"),
        (["sentence_maxsim", "q", "d", "--model", "x=./y"], "'x' is no system's name"),
        (["fabs_tfidf", *["{}"] * 2], "no similarity of sentences"),
        (["sentence_maxsim", "q", "d"], "scholarly-mini/method has no query 'q'. Choose one of: "),
        (["sentence_maxsim", "{}", "no such"], "'no such' is not in the pipeline's output"),
    ],
)
def test_what_cannot_be_explained(pair, capsys, arguments, said):
    """An unknown name is an error that lists the known ones."""
    given = iter(pair)
    filled = [next(given) if argument == "{}" else argument for argument in arguments]
    assert explain(*filled) == 2
    assert said in capsys.readouterr().err


def test_an_unknown_dataset(capsys):
    """The error for a misspelt dataset names similar ones."""
    assert main(["explain", "scholarly-mini/metod", "fabs_tfidf", "q", "d"]) == 2
    said = capsys.readouterr().err
    assert "Unknown dataset 'scholarly-mini/metod'. Did you mean 'scholarly-mini/method'" in said
