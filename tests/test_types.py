"""Type checkers and editors know the public names: mypy and pyright over all that documents show.

Both see the package as an installed one, by its `py.typed`. They run in the environment of the
tests, without network: the wheel of `pyright[nodejs]` brings what it needs.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import pyterrier_scholarly

from .test_docs import NOTEBOOKS, PAGES, SCRIPTS, code

ROOT = Path(__file__).parents[1]
#: typed packages that our code, but no document, uses: following them takes mypy a minute
LARGE_PACKAGES = ("torch", "transformers", "sentence_transformers")
pytestmark = pytest.mark.slow

#: pattern of an error that stems from another package's types -> why
LIMITS = {
    r'IterDict|"Any \| Iterable\[dict': "PyTerrier's calls return frames, or iterators of rows",
    r"of type \"slice\[|overloads for \"__getitem__\"": "the same, in more words",
    r'"(text_loader|irds_ref)"': "PyTerrier's Dataset does not declare what its datasets have",
    r'base parameter is named "inp"': "PyTerrier's transformers call inp what is results in ours",
    r'"(AP|P|scholarly)"': "PyTerrier's modules get these names while they run",
    r'type "None" cannot be called': "PyTerrier decorates what needs Java without types",
    r'"Experiment"': "PyTerrier's parameter is a dict of systems or results, not of systems alone",
    r"measures_rst.*(\"_nDCG\"|\"int\" not callable)": "ir_measures' NDCG gets its % while it runs",
}

MISTAKES = """
from pyterrier_scholarly import LSA, SentenceMaxSim, explain, fold_mean, search_papers
from pyterrier_scholarly.logs import mine_log

scorer = SentenceMaxSim(LSA("csfcube"), aggregate="mean")
SentenceMaxSim(LSA("csfcube"), agregate="mean")  # wrong
explain(scorer, "104_background", "136").to_html("why.html")
explain("104_background", "136")  # wrong
fold_mean()  # wrong
search_papers([], "117").ranking
search_papers([], b"117")  # wrong
search_papers([], "117").rankin  # wrong
mine_log("log.csv", "ours", verbose=False).documents
mine_log("log.csv", "ours").dokuments  # wrong
"""
LOGS = importlib.import_module("pyterrier_scholarly.logs")
PACKAGES = [
    name for name in pyterrier_scholarly.__all__ if (ROOT / "pyterrier_scholarly" / name).is_dir()
]
NAMES = [
    "import pyterrier_scholarly.logs",
    *(f"reveal_type(pyterrier_scholarly.{name})" for name in pyterrier_scholarly.__all__),
    *(f"reveal_type(pyterrier_scholarly.logs.{name})" for name in LOGS.__all__),
]


@dataclass
class Finding:
    """What a checker says about a line."""

    file: str
    line: int
    severity: str
    message: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.message}"


def run_mypy(folder):
    """Check the files of a folder; the packages without types are no concern of ours."""
    settings = ["ignore_missing_imports", "check_untyped_defs", "strict_equality"]
    lines = ["[mypy]", "implicit_reexport = False", *(f"{setting} = True" for setting in settings)]
    for package in LARGE_PACKAGES:
        lines += [f"[mypy-{package}.*]", "follow_imports = skip"]
    (folder / "mypy.ini").write_text("\n".join(lines))
    for line in run([sys.executable, "-m", "mypy", "--output", "json", "."], folder).splitlines():
        said = json.loads(line)
        yield Finding(Path(said["file"]).stem, said["line"], said["severity"], said["message"])


def run_pyright(folder):
    """Check the files of a folder, without guesses at the types of packages that have none."""
    settings = {
        "typeCheckingMode": "standard",
        "useLibraryCodeForTypes": False,
        "reportMissingModuleSource": False,
        "reportUnusedExpression": False,  # a notebook shows them
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "."]
    for said in json.loads(run(command, folder))["generalDiagnostics"]:
        line = said["range"]["start"]["line"] + 1
        yield Finding(Path(said["file"]).stem, line, said["severity"], said["message"])


def run(command, folder):
    """Return what a checker prints; the tested tree is on its path, as site-packages are."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr + done.stdout
    return done.stdout


RUNS = {"mypy": run_mypy, "pyright": run_pyright}


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """What each checker finds in one run: in documents, in all public names, in mistakes."""
    folder = tmp_path_factory.mktemp("typed")
    documents = [path for path in (*PAGES, *NOTEBOOKS, *SCRIPTS) if code(path)]
    assert len(documents) > 20
    for path in documents:
        name = re.sub(r"\W", "_", path.name)
        (folder / f"{name}.py").write_text(code(path), encoding="utf-8")
    (folder / "public_names.py").write_text("\n".join(NAMES))
    (folder / "mistakes.py").write_text(MISTAKES)
    return {checker: list(run_checker(folder)) for checker, run_checker in RUNS.items()}


def errors_in_documents(findings, checker):
    """The errors of a checker, as text, without those in names and mistakes."""
    errors = [found for found in findings[checker] if found.severity == "error"]
    return [str(found) for found in errors if found.file not in ("public_names", "mistakes")]


@pytest.mark.parametrize("checker", RUNS)
def test_the_code_of_documents_has_no_error_of_ours(checker, findings):
    """What README, pages, notebooks and scripts show can be typed into a checked script."""
    errors = errors_in_documents(findings, checker)
    assert [error for error in errors if not re.search("|".join(LIMITS), error)] == []


def test_each_limit_of_other_packages_is_met(findings):
    """A limit that no document meets any more is removed from the list."""
    errors = "\n".join(
        error for checker in RUNS for error in errors_in_documents(findings, checker)
    )
    assert [pattern for pattern in LIMITS if not re.search(pattern, errors)] == []


@pytest.mark.parametrize("checker", RUNS)
def test_every_public_name_has_its_type(checker, findings):
    """A name at the top, or of `logs`, is the class, function or package, and not just `object`."""
    revealed = {
        found.line: str(found) for found in findings[checker] if found.file == "public_names"
    }
    assert [NAMES[number - 1] for number in revealed] == [n for n in NAMES if "reveal_type" in n]
    vague = re.compile(r' is "(builtins\.)?(object|Any|Unknown)"')
    assert [NAMES[number - 1] for number, said in revealed.items() if vague.search(said)] == []
    modules = {NAMES[number - 1] for number, said in revealed.items() if "Module" in said}
    assert modules == {f"reveal_type(pyterrier_scholarly.{name})" for name in PACKAGES}


@pytest.mark.parametrize("checker", RUNS)
def test_mistakes_are_found(checker, findings):
    """A wrong, missing or misspelt argument or attribute is an error, and the rest is none."""
    errors = {found.line for found in findings[checker] if found.file == "mistakes"}
    lines = MISTAKES.splitlines()
    assert errors == {n for n, line in enumerate(lines, start=1) if line.endswith("# wrong")}
