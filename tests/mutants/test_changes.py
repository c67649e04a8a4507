"""Test that faults are as described, each in one place."""

import ast

import pytest

from .changes import mutants


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", ["a <= b"]),
        ("x is not None", ["x is None"]),
        ("f(a + 1) * c", ["f(a + 1) / c", "f(a - 1) * c", "f(a + 2) * c"]),
        ("not (a and b)", ["a and b", "not (a or b)"]),
        ("max(-a, key=len)", ["max(-a)", "min(-a, key=len)", "max(a, key=len)"]),
        ("def f(x: int = 3): return x.min()", ["= 4): return x.min()", "= 3): return x.max()"]),
        ('"a" + f"{1 + 1}"', ['"a" - f"{1 + 1}"']),
    ],
)
def test_faults_by_hand(source, expected):
    """Comparisons, operators, numbers, `not` and keys change; annotations and messages do not."""
    found = [one.applied(source.encode()).decode() for one in mutants("x.py", source.encode())]
    assert [ast.unparse(ast.parse(one)) for one in found] == [
        ast.unparse(ast.parse(one if "def" not in source else f"def f(x: int {one}"))
        for one in expected
    ]
    assert len({one for one in found}) == len(found)
