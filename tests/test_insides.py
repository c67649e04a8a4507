"""A house rule: tests reach the code by what a user reaches, so that it can be written anew.

No test imports a private module or name of ours, reads a private attribute, or puts something of
its own in the place of a constant, function or method of ours. What comes from outside (network,
disk, clock, other packages) may be replaced.
"""

import ast
import re
from pathlib import Path
from textwrap import dedent

import pytest

TESTS = Path(__file__).parent
OURS = {"pyterrier_scholarly", "ir_datasets_ext", "_scholarly_hook"}
REPLACING = {"setattr", "delattr", "setitem", "delitem", "patch", "object"}
IMPORTING = {"import_module", "resolve_name", "find_spec", "importorskip"}
#: of named tuples, notebooks, and Python itself
PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_repr_html_", "_exit", "_getframe"}

#: file -> why nothing outside shows what it tests
EXCEPTIONS = {}


def private(name):
    """Whether a dotted name of ours goes through something private."""
    first, *parts = name.split(".")
    return first in OURS and any(p.startswith("_") and not p.startswith("__") for p in parts)


def root(node):
    """The name that an expression begins with: `a` of ``a.b(c)[d]``; "" if it is no name."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred, ast.Await)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_of(tree):
    """Names that are imported, and those of them, or made of them, that are ours."""
    imported, ours = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", None)
            own = getattr(node, "level", 0)  # of the tests
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                imported.add(name)
                if not own and (module or alias.name).split(".")[0] in OURS:
                    ours.add(name)
    for _ in range(2):  # what is made of what was made
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=targets, value=value):
                    pass
                case (
                    ast.For(target=target, iter=value)
                    | ast.comprehension(target=target, iter=value)
                ):
                    targets = [target]
                case ast.withitem(context_expr=value, optional_vars=ast.Name() as target):
                    targets = [target]
                case _:
                    continue
            if root(value) in ours:
                ours |= {t.id for target in targets for t in bound(target)}
    return imported, ours


def bound(target):
    """The names that an assignment to `target` makes."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [part for part in parts if isinstance(part, ast.Name)]


def faults(tree):
    """Yield (line, what) for each thing that reaches inside; also in code for another process."""
    imported, ours = names_of(tree)
    for node in ast.walk(tree):
        found = []
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names if private(alias.name)]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                dotted = [f"{module}.{alias.name}" for alias in names]
                found = [name for name in dotted if private(name)]
            case ast.Attribute(attr=name) if name.startswith("_") and not name.startswith("__"):
                of = root(node)
                known = name in PUBLIC or of in {"self", "cls"} | (imported - ours)
                found = [] if known else [ast.unparse(node)]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[target, *_]):
                named = getattr(target, "value", None)
                named = named if isinstance(named, str) else ""
                replaced = root(target) in ours or named.split(".")[0] in OURS
                if (name in REPLACING and replaced) or (name in IMPORTING and private(named)):
                    found = [ast.unparse(node)]
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                reached = [t for t in targets if isinstance(t, (ast.Attribute, ast.Subscript))]
                found = [ast.unparse(t) for t in reached if root(t) in ours & imported]
            case ast.Constant(value=str(code)) if "import " in code and "\n" in code:
                try:
                    found = [what for _, what in faults(ast.parse(dedent(code)))]
                except SyntaxError:
                    continue
        yield from ((node.lineno, what) for what in found)


@pytest.mark.slow
def test_the_rule():
    """Of all files but a few, each with its reason."""
    found = {}
    for path in sorted({*TESTS.rglob("*.py")} - {Path(__file__)}):  # which has examples below
        inside = list(faults(ast.parse(path.read_text(encoding="utf-8"))))
        if inside:
            name = path.relative_to(TESTS).as_posix()
            found[name] = [f"{name}:{line}: {what}" for line, what in inside]
    assert [line for name in found.keys() - EXCEPTIONS.keys() for line in found[name]] == []
    assert EXCEPTIONS.keys() <= found.keys() and len(EXCEPTIONS) <= 10


@pytest.mark.parametrize(
    "code",
    [
        "import pyterrier_scholarly._java",
        "from ir_datasets_ext import _json",
        "from pyterrier_scholarly.encoders.tokens import _load",
        "import pyterrier_scholarly as p; p._java",
        "def test(fitted): fitted._fitted.cache_clear()",
        "patch.setattr('pyterrier_scholarly.similarity.maxsim_blocks.ROWS', 1)",
        "from pyterrier_scholarly.similarity import maxsim_blocks as m; patch.setattr(m, 'X', 1)",
        "from pyterrier_scholarly import VectorCache as V; v = V(); patch.setattr(v, 'get', 1)",
        "from pyterrier_scholarly.cli import COMMANDS; COMMANDS['try'] = 1",
        "from ir_datasets_ext.store import entries; entries.MANY = 1",
        "importlib.import_module('ir_datasets_ext._json')",
        "CODE = '''\nimport os\nfrom ir_datasets_ext import _json\n'''",
    ],
)
def test_what_reaches_inside_is_found(code):
    """Imports, attributes and replacements, also by a string, of an object, in another process."""
    assert list(faults(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "import os; patch.setattr(os, 'fsync', f); os._exit(1)",
        "patch.setattr('huggingface_hub.constants.HF_HUB_OFFLINE', True)",
        "from pyterrier_scholarly import LSA; made = LSA('x'); made.cache = None",
        "class Fake:\n    def f(self): self._seen = 1",
        "from ..ir_datasets_ext.conftest import Site; patch.setattr(Site, 'KEPT', 1)",
    ],
)
def test_what_does_not_is_let_be(code):
    """The outside, an object's settings, a test's own fakes."""
    assert not list(faults(ast.parse(code)))


def test_the_floors_are_drawn_as_they_are():
    """CONTRIBUTING shows the layers of the import contract, from the highest down."""
    settings = (
        (Path(__file__).parents[1] / "pyproject.toml")
        .read_text(encoding="utf-8")
        .partition("layers = [")[2]
    )
    layers = re.findall(r'^    "(.*)",$', settings.partition("]")[0], re.M)
    rows = [re.findall(r"\w+", layer) for layer in layers]
    drawn = re.findall(
        r"^ *floor (\d+) +(.*)$", (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(), re.M
    )
    assert [names.split() for _, names in drawn] == rows
    assert [int(floor) for floor, _ in drawn] == [*range(len(rows))][::-1]
