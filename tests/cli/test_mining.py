"""`pyterrier-scholarly mine-log`."""

import ir_datasets
import pytest

from pyterrier_scholarly.cli import main
from pyterrier_scholarly.logs import synthetic_log

pytest.importorskip("ibis")


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A small log without a header line, in a home of its own."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    made = synthetic_log(60, 4, 40, 400, seed=3)
    made.write(tmp_path / "log.csv")
    lines = (tmp_path / "log.csv").read_text().splitlines(keepends=True)
    (tmp_path / "log.csv").write_text("".join(lines[1:]))
    return made, str(tmp_path / "log.csv")


def test_it_mines_and_says_what_it_found(log, capsys):
    """The command prints the summary and writes the collection that the options describe."""
    made, path = log
    places = ["--user", "0", "--time", "1", "--doc", "2", "--quiet"]
    numbers = ["--pairs", "50", "--successors", "8", "--relevant", "3", "--queries", "4"]
    assert main(["mine-log", path, "ours", *places, *numbers]) == 0
    said = capsys.readouterr()
    assert f"{made.outcomes['pair']:,} consecutive downloads" in said.out
    assert "download-log/ours" in said.out
    assert ir_datasets.load("download-log/ours/100q").queries_count() == 4
    assert ir_datasets.load("download-log/ours/1m").pairs_count() == 100


def test_a_name_that_looks_like_a_number(log, capsys):
    """A digit that `int` does not read is a column's name."""
    assert main(["mine-log", log[1], "ours", "--user", "²"]) == 2
    assert "no column '²'" in capsys.readouterr().err


def test_an_error_is_a_sentence(log, capsys):
    """A missing column gives exit code 2 and an error that lists the columns."""
    assert main(["mine-log", log[1], "ours", "--user", "reader"]) == 2
    said = capsys.readouterr().err
    assert "no column 'reader'" in said and "with --user." in said


@pytest.mark.parametrize(
    ("option", "value"),
    [(name, str(2**63)) for name in ("--pairs", "--queries", "--successors", "--relevant")]
    + [("--longest", "1e300"), ("--memory", "9" * 30 + "GB")],
)
def test_a_number_that_no_engine_can_hold(log, capsys, option, value):
    """A number beyond the engines' range raises before the log is read."""
    assert main(["mine-log", log[1], "ours", option, value]) == 2
    said = capsys.readouterr().err
    assert f"{option} " in said and "expected" in said
    assert "--traceback" not in said


def test_a_parquet_file_that_is_none(tmp_path, monkeypatch, capsys):
    """An empty, foreign or damaged file raises, with its name and the remedy."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    path = tmp_path / "log.parquet"
    synthetic_log(60, 4, 40, 400, seed=3).write(path)
    whole = path.read_bytes()
    for content in (b"", b"x" * 100, whole[:-50], whole[:4] + b"\0" * 200 + whole[204:]):
        path.write_bytes(content)
        assert main(["mine-log", str(path), "ours", "--quiet"]) == 2
        said = capsys.readouterr().err
        assert "log.parquet: a Parquet file of the log is damaged" in said
        assert "Copy or download it again" in said


def test_an_error_names_options(log, capsys):
    """An error names the command line's options with their values."""
    assert main(["mine-log", log[1], "ours", "--queries", "-1"]) == 2
    assert "--queries -1: expected a whole number of at least 0" in capsys.readouterr().err
    assert main(["mine-log", log[1], "ours", "--memory", "-1"]) == 2
    assert "--memory '-1' is no amount of memory" in capsys.readouterr().err
