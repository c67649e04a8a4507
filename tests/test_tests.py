"""The tests themselves: each asserts something, whatever happens."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

FILES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for path in Path(__file__).parent.rglob("*.py")
}
FUNCTIONS = defaultdict(dict)  # name -> file -> definition; of two in one file the last
for path, tree in FILES.items():
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            FUNCTIONS[node.name][path] = node


def parts(node):
    """What is executed of a function in any case: not what stands under an `if` or `except`."""
    yield node
    skipped = ("body", "orelse") if isinstance(node, ast.If) else ("handlers",)
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from parts(child)


def asserts(function, file, helpers):
    """It has an `assert`, expects an error, or calls or is given one of `helpers`, which assert."""
    for node in parts(function):
        if isinstance(node, ast.Assert):
            return not isinstance(node.test, (ast.Constant, ast.Tuple, ast.JoinedStr))
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.arg(arg=name):
                pass
            case _:
                continue
        if name in ("raises", "warns", "fail") or name.startswith("assert_"):
            return True
        found = {file} & FUNCTIONS.get(name, {}).keys() or FUNCTIONS.get(name, {}).keys()
        if found and all((name, where) in helpers for where in found):
            return True
    return False


@pytest.fixture(scope="module")
def helpers():
    """Names and files of the functions that assert, be it by others."""
    every = {(name, file): node for name, of in FUNCTIONS.items() for file, node in of.items()}
    known, more = set(), True
    while more:
        more = {
            key for key, node in every.items() if key not in known and asserts(node, key[1], known)
        }
        known |= more
    return known


def collected():
    """Files, and the functions in them that pytest runs."""
    for file, tree in FILES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                if file.name.startswith("test_"):
                    yield file, node


def test_each_asserts(helpers):
    """A test without an assertion, or with none but under an `if`, passes whatever is wrong."""
    hollow = [
        f"{file}:{test.lineno}" for file, test in collected() if not asserts(test, file, helpers)
    ]
    assert hollow == []


def test_hollow_tests_are_found(helpers):
    """No assertion, one that is always true, one under an `if`, a helper that asserts nothing."""
    hollow = ["x = 1", "assert 'x'", "if x: assert x == 1", "helper_of_none(x)", "x.sort()"]
    for code in hollow:
        assert not asserts(ast.parse(code), Path(__file__), helpers), code
    for code in ["assert x", "with pytest.raises(E): x()", "for y in x: assert y", "parts_hold(1)"]:
        assert asserts(ast.parse(code), Path(__file__), helpers), code


def parts_hold(number):
    """A helper that asserts."""
    assert number
