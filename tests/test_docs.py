"""Documents run: README, pages, docstrings and the script; they name all that is public."""

import ast
import doctest
import importlib
import inspect
import json
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
FENCED = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S)
END = "-- end of a block --"
EXAMPLE = re.compile(r"^ *>>> ", re.M)
DOCUMENTED = re.compile(r"^\.\. auto(?:class|data|function):: (\S+)", re.M)
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PACKAGES = ("pyterrier_scholarly", "ir_datasets_ext")
#: packages whose names are all documented
EXPORTING = (
    *(
        "chat",
        "cluster",
        "collect",
        "comparison",
        "document_models",
        "evaluation",
        "figures",
        "logs",
        "papers",
        "pipeline_stages",
    ),
    *("search", "similarity", "stats", "tables", "text", "training", "transformers"),
    "verification",
)
BELOW = {module.name for module in pkgutil.iter_modules(pyterrier_scholarly.__path__)}
#: the names at the top that are no packages
NAMES = [name for name in pyterrier_scholarly.__all__ if name not in BELOW]
INDENTED = r"\n\n((?:(?: {4}.*)?\n)+)"
DIRECTIVE = re.compile(
    rf"^\.\. code-block:: python{INDENTED}(?:\.\. code-block:: text{INDENTED})?", re.M
)


def examples():
    """Modules of both packages whose docstrings show examples, with the number of statements."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if shown := EXAMPLE.findall(path.read_text(encoding="utf-8")):
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                name = name.removesuffix(".__init__")
                yield pytest.param(name, len(shown), id=name)


def blocks(page):
    """The Python blocks of a page, in order, each with the output that the page shows, or None."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return [(code, shown or None) for code, shown in FENCED.findall(text)]
    indented = [
        [re.sub("^ {4}", "", part, flags=re.M) for part in two] for two in DIRECTIVE.findall(text)
    ]
    return [(code, shown or None) for code, shown in indented]


def code_of(page):
    """The Python blocks of a page, joined: they are one session."""
    return "\n".join(code for code, _ in blocks(page))


@pytest.mark.java
@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path):
    """The blocks, pasted one after the other into a fresh interpreter, print what is shown."""
    script = tmp_path / "page.py"
    parts = [f"{code}\nprint({END!r})" for code, _ in blocks(page)]
    script.write_text("\n".join(parts), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for (_, shown), printed in zip(blocks(page), done.stdout.split(END)):
        assert shown is None or shown.split() == printed.split()


@pytest.mark.parametrize(("name", "shown"), [*examples()])
def test_docstrings_run(name, shown):
    """Every example of a docstring is found, and gives what it shows."""
    done = doctest.testmod(importlib.import_module(name))
    assert (done.attempted, done.failed) == (shown, 0)


def test_every_public_name_is_documented():
    """Each has a docstring of its own, and is itself on a page."""
    paths = [name for page in PAGES[1:] for name in DOCUMENTED.findall(page.read_text("utf-8"))]
    split = {last: place for place, _, last in (path.rpartition(".") for path in paths)}
    for name in NAMES:
        assert getattr(pyterrier_scholarly, name).__doc__, name
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
            if node.func.id in NAMES:
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


def code(path):
    """The Python code of a page, a notebook or a script."""
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return path.read_text(encoding="utf-8") if path.suffix == ".py" else code_of(path)


def imported(path):
    """The modules of ours that it imports from, with the names."""
    for node in ast.walk(ast.parse(code(path))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in PACKAGES:
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS, *SCRIPTS], ids=lambda path: path.name)
def test_what_is_imported_is_public(path):
    """Each name is exported by the package, or stands in the public module, that it comes from."""
    for module, name in imported(path):
        assert "._" not in module
        place = importlib.import_module(module)
        names = getattr(place, "__all__", None) or [one for one in dir(place) if one[0] != "_"]
        assert name in names, f"{module} does not export {name}"


def test_the_imports_are_found():
    """The README, a page, a notebook and a script import from us."""
    for path in (PAGES[0], PAGES[0].parent / "pyterrier_scholarly/pt_docs/systems.rst"):
        assert [*imported(path)]
    assert any([*imported(path)] for path in NOTEBOOKS)
    assert any([*imported(path)] for path in SCRIPTS)


def test_what_packages_export_is_on_a_page():
    """Names that are not at the top are found in the documentation by their package."""
    documented = {name for page in PAGES for name in DOCUMENTED.findall(page.read_text("utf-8"))}
    missing = []
    for package in EXPORTING:
        module = importlib.import_module(f"pyterrier_scholarly.{package}")
        for name in module.__all__:
            paths = {f"pyterrier_scholarly.{name}", f"pyterrier_scholarly.{package}.{name}"}
            if not paths & documented:
                missing.append(f"{package}.{name}")
    assert missing == []


def test_every_exported_name_is_in_the_reference():
    """The page lists what each of its packages exports."""
    text = (ROOT / "pyterrier_scholarly/pt_docs/reference.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^ {4}~([\w.]+)$", text, re.M))
    names = {name.rpartition(".")[2] for name in listed}
    for package in (*EXPORTING, "encoders", "explanation", "measures", "protocols", "recipes"):
        assert {*importlib.import_module(f"pyterrier_scholarly.{package}").__all__} <= names
    assert {*NAMES} <= names
    assert all(
        hasattr(pkgutil.resolve_name(name.rpartition(".")[0]), name.rpartition(".")[2])
        for name in listed
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_the_blocks_of_examples_are_indented(package):
    """In each module's docstring, what follows a class, function or loop stands further right."""
    opening = re.compile(
        r"^( *)(?:class \w+.*|def \w+\(.*\)|for \w.* in .*|with \w.* as .*):\n+( *)", re.M
    )
    for path in sorted((ROOT / package).rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
        for first, second in opening.findall(docstring):
            assert len(second) > len(first), f"{path.relative_to(ROOT)} has a block without a body"
