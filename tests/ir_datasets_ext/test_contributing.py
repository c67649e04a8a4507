"""CONTRIBUTING's example of a benchmark, built from its own code blocks."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^`(tiny/[\w.]+)` .+?^```\w+\n(.+?)^```$", re.M | re.S)
PAPERS = [
    {"id": 1, "title": "One", "cites": []},
    {"id": 2, "title": "Two", "cites": [1]},
    {"id": 3, "title": "Three", "cites": [1, 2]},
]
LOAD = """
import json
import ir_datasets
tiny = ir_datasets.load("tiny")
kinds = {kind: list(getattr(tiny, f"{kind}_iter")()) for kind in ("docs", "queries", "qrels")}
found = {**kinds, "two": tiny.docs_store().get("2").title, "count": tiny.docs_count()}
print(json.dumps({**found, "name": tiny.documentation()["pretty_name"], "defs": tiny.qrels_defs()}))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of our package, to which the example's files are added."""
    folder = tmp_path / "code" / "ir_datasets_ext"
    shutil.copytree(ROOT / folder.name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(blocks) == 5
    for name, content in blocks:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_the_example_is_a_benchmark(package, home):
    """A folder is all that it takes: its datasets are registered, read, looked up and described."""
    (home / "tiny").mkdir(parents=True)
    lines = "".join(json.dumps(paper) + "\n" for paper in PAPERS)
    (home / "tiny" / "papers.jsonl").write_text(lines)
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-W", "error", "-c", "import ir_datasets_ext\n" + LOAD]
    done = subprocess.run(
        command, cwd=package.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "docs": [["1", "One", []], ["2", "Two", ["1"]], ["3", "Three", ["1", "2"]]],
        "queries": [["2", "Two"], ["3", "Three"]],
        "qrels": [["2", "1", 1], ["3", "1", 1], ["3", "2", 1]],
        "two": "Two",
        "count": 3,
        "name": "Tiny",
        "defs": {"1": "cited"},
    }
