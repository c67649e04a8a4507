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
PATH = r"(?:ir_datasets_ext|pyterrier_scholarly)/[\w/]+\.\w+"
BLOCK = re.compile(rf"^`({PATH})` .+?^```\w+\n(.+?)^```$", re.M | re.S)
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


SEARCH = """
import json
from pyterrier_scholarly import systems
bm25 = systems("tiny")["bm25"]
print(json.dumps(sorted(bm25.search("two three")["docno"][:2])))
"""


@pytest.fixture
def code(tmp_path):
    """A folder with a copy of our packages, to which the example's files are added."""
    folder = tmp_path / "code"
    for package in ("ir_datasets_ext", "pyterrier_scholarly"):
        without_caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=without_caches)

    section = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## A new benchmark\n")[2]
    blocks = dict(BLOCK.findall(section.partition("\n## ")[0]))
    assert len(blocks) == 5
    files = "ir_datasets_ext/data/files.json"
    listed = json.loads((folder / files).read_text())
    blocks[files] = json.dumps(listed | json.loads(blocks[files]))
    for name, content in blocks.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)

    module = folder / "ir_datasets_ext" / "__init__.py"
    named = "from . import tiny\n\nBENCHMARKS = (tiny, "
    module.write_text(module.read_text().replace("BENCHMARKS = (", named))
    return folder


@pytest.fixture
def release(home):
    """The file of Tiny's release, in the folder where users put it."""
    (home / "tiny").mkdir(parents=True)
    lines = "".join(json.dumps(paper) + "\n" for paper in PAPERS)
    (home / "tiny" / "papers.jsonl").write_text(lines)


def run_python(code, *arguments):
    """Run Python beside the copied packages, and return what it printed, read as JSON."""
    environment = {**os.environ, "PYTHONPATH": str(code)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=code, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_example_is_a_benchmark(code, release):
    """Its datasets are registered, read, looked up and described."""
    found = run_python(code, "-W", "error", "-c", "import ir_datasets_ext\n" + LOAD)
    assert found == {
        "docs": [["1", "One", []], ["2", "Two", ["1"]], ["3", "Three", ["1", "2"]]],
        "queries": [["2", "Two"], ["3", "Three"]],
        "qrels": [["2", "1", 1], ["3", "1", 1], ["3", "2", 1]],
        "two": "Two",
        "count": 3,
        "name": "Tiny",
        "defs": {"1": "cited"},
    }


def test_the_example_has_systems(code, release):
    """Its protocol's BM25 finds the papers whose titles have a word of the question first."""
    assert run_python(code, "-c", SEARCH) == ["2", "3"]
