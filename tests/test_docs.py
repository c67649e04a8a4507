"""Documents run: README, pages, docstrings and the script; they name all that is public."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import pyterrier_scholarly

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "pyterrier_scholarly" / "pt_docs").glob("*.rst"))]
FENCED = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
EXAMPLE = re.compile(r"^ *>>> ", re.M)
DOCUMENTED = re.compile(r"^\.\. auto(?:class|data|function):: (\S+)", re.M)
DIRECTIVE = re.compile(r"^\.\. code-block:: python\n\n((?:(?: {4}.*)?\n)+)", re.M)


def examples():
    """Modules of both packages whose docstrings show examples, with the number of statements."""
    for package in ("pyterrier_scholarly", "ir_datasets_ext"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if shown := EXAMPLE.findall(path.read_text(encoding="utf-8")):
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                yield pytest.param(name, len(shown), id=name)


def code_of(page):
    """The Python blocks of a page, joined: they are one session."""
    text = page.read_text(encoding="utf-8")
    indented = [re.sub("^ {4}", "", block, flags=re.M) for block in DIRECTIVE.findall(text)]
    return "\n".join(FENCED.findall(text) + indented)


@pytest.mark.java
@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path):
    """The blocks of a page, pasted one after the other into a fresh interpreter, run."""
    script = tmp_path / "page.py"
    script.write_text(code_of(page), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("name", "shown"), [*examples()])
def test_docstrings_run(name, shown):
    """Every example of a docstring is found, and gives what it shows."""
    done = doctest.testmod(importlib.import_module(name))
    assert (done.attempted, done.failed) == (shown, 0)


def test_every_public_name_is_documented():
    """Each has a docstring of its own, stands as code in the README, and is itself on a page."""
    readme = PAGES[0].read_text(encoding="utf-8")
    code = {*re.findall(r"(?<![\w.])[A-Za-z]\w*", "\n".join(re.findall("`+([^`]+)`+", readme)))}
    paths = [name for page in PAGES[1:] for name in DOCUMENTED.findall(page.read_text("utf-8"))]
    split = {last: place for place, _, last in (path.rpartition(".") for path in paths)}
    for name in pyterrier_scholarly.__all__:
        assert getattr(pyterrier_scholarly, name).__doc__, name
        assert name in code, f"{name}: not in the README, as code"
        on_page = getattr(pkgutil.resolve_name(split[name]), name)
        assert on_page is getattr(pyterrier_scholarly, name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_calls_in_a_text_are_possible(page):
    """``Name(argument, option=…)`` in a sentence or table: it takes these, where they stand."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    wrong = []
    for code in re.findall(r"`+([^`]+)`+", text):
        with suppress(SyntaxError):
            wrong += [code for call in calls(code) if not possible(call)]
    assert wrong == []


def calls(code):
    """Calls of public names in an expression; … is left out, which stands for anything."""
    for node in ast.walk(ast.parse(code.strip().replace(", …", "").replace("…", "..."))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in pyterrier_scholarly.__all__:
                yield node


def possible(call):
    """Each argument is taken; one that is called as a parameter is that parameter."""
    signature = inspect.signature(getattr(pyterrier_scholarly, call.func.id))
    options = {keyword.arg: ... for keyword in call.keywords if keyword.arg}
    try:
        taken = signature.bind_partial(*map(ast.unparse, call.args), **options).arguments
    except TypeError:
        return False
    return not any(
        name != value
        for name, value in taken.items()
        if isinstance(value, str) and value in signature.parameters
    )


@pytest.mark.java
def test_the_script_compares_on_the_embedded_collection(tmp_path):
    """`examples/compare.py` prints a row per system, Terrier's too, for each facet and all."""
    script = [sys.executable, ROOT / "examples" / "compare.py"]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("on test")[1].splitlines()
    assert table[1].split() == ["subset", "all", "background", "method", "result"]
    systems = {line.rsplit(maxsplit=4)[0] for line in table[3:]}
    assert systems == {"fabs_tfidf", "fabs_bm25", "sentence_maxsim", "terrier_bm25"}
