"""`pyterrier-scholarly list-local`."""

import json

import pytest

from pyterrier_scholarly.cli import main
from pyterrier_scholarly.collect import write_collection

SAID = {"description": "D", "licence": "CC0-1.0"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of ir_datasets with one collection of two datasets."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    queries = [{"query_id": "q", "query": "?"}]
    docs = [{"doc_id": str(number)} for number in range(1500)]
    write_collection("x", docs, queries, parts={"dev": {"queries": queries}}, **SAID)
    return tmp_path


def test_every_dataset_has_a_line(capsys):
    """A dataset's line has its id, contents and licence."""
    assert main(["list-local", "--check"]) == 0
    held = "1,500 documents, 1 queries\tCC0-1.0\tchecked\n"
    assert capsys.readouterr().out == f"made/x\t{held}made/x/dev\t{held}"


def test_a_manifest_by_hand_is_counted_when_it_is_checked(home, capsys):
    """Rows that a manifest does not count are counted by --check, and marked unknown without."""
    path = home / "made" / "x" / "collection.json"
    manifest = json.loads(path.read_text())
    for tables in ({"docs": manifest["docs"]}, *manifest["parts"].values()):
        for table in tables.values():
            del table["rows"], table["sha256"]
    path.write_text(json.dumps(manifest))
    assert main(["list-local"]) == 0
    assert "made/x\t? documents, ? queries\tCC0-1.0\n" in capsys.readouterr().out
    assert main(["list-local", "--check"]) == 0
    assert "made/x\t1,500 documents, 1 queries\tCC0-1.0\tchecked\n" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["list-local"], ["list-local", "--check"]])
def test_a_damaged_manifest_is_named(home, arguments, capsys):
    """A damaged manifest gives exit code 2; the other collections are still listed."""
    (home / "download-log" / "y").mkdir(parents=True)
    (home / "download-log" / "y" / "collection.json").write_text("{")
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert f"{home / 'download-log' / 'y'}\tdamaged: " in said.out
    assert "made/x\t" in said.out
    assert str(home / "download-log" / "y") in said.err


def test_damaged_files_are_found_when_asked_for(home, capsys):
    """Only --check, which reads everything, finds a changed byte."""
    (path,) = home.rglob("docs.jsonl")
    path.write_text(path.read_text().replace("7", "8"))
    assert main(["list-local"]) == 0
    assert main(["list-local", "--check"]) == 2
    assert f"{path} is damaged" in capsys.readouterr().out


def test_a_home_without_any(home, monkeypatch, capsys):
    """Without collections the list is empty."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(home / "none"))
    assert main(["list-local"]) == 0
    assert capsys.readouterr().out == ""
