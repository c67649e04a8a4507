"""Read a measure from a string such as ``NDCG(discount='log2')%10``.

    >>> parse_ours("NDCG(discount='log2') % 10")
    NDCG(discount='log2')%10

Such a string is an expression of Python, too: a name, perhaps called, with ``@`` or ``%`` behind
it. So Python's own parser takes it apart, and nothing of it is run.
"""

import ast

from ir_measures import Measure
from ir_measures.measures import registry

from .ndcg import NDCG

LONGEST_SHOWN_TEXT = 100  # characters of a string that cannot be parsed


def parse_ours(text: str) -> Measure:
    """Parse a string such as ``NDCG(discount='log2') % 10``.

    Raises:
        ValueError: the string is no measure, or a parameter is unknown or out of range.
        NameError: the measure is unknown.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        return _read_measure(node)
    except (SyntaxError, TypeError, RecursionError, MemoryError, UnicodeEncodeError) as error:
        raise ValueError(
            f"cannot parse measure {text!r:.{LONGEST_SHOWN_TEXT}}: expected NDCG(k1='v1',k2='v2')"
            "%k, such as NDCG%20 or NDCG(discount='log2')%10, or Measure(k1=v1)@c"
        ) from error


def describe_unknown_measure(name: str, remedy: str) -> str:
    """Return the message of an error about an unknown measure, with the nearest one."""
    # here, because ir_datasets_ext loads ir_datasets, which who measures may not need
    from ir_datasets_ext.choices import describe_unknown

    return describe_unknown("measure", name, registry, remedy)


def _read_measure(node: ast.expr) -> Measure:
    """Return the measure that is written ``Name`` or ``Name(k1=v1)``, maybe with ``@`` or ``%``.

    node: the parsed string. ``nDCG@10`` and ``NDCG%20`` are operators between a measure, which is
        not cut off by itself, and a number.
    """
    if not isinstance(node, ast.BinOp):
        return _read_uncut_measure(node)

    if isinstance(node.op, ast.MatMult):
        return _read_uncut_measure(node.left) @ _read_literal(node.right)
    if isinstance(node.op, ast.Mod):
        measure = _read_uncut_measure(node.left)
        percent = _read_literal(node.right)
        return _apply_percent(measure, percent)
    raise SyntaxError("expected @ or %")


def _read_uncut_measure(node: ast.expr) -> Measure:
    """Return the measure of ``Name`` or ``Name(k1=v1, ...)``."""
    if isinstance(node, ast.Name):
        return _find_measure(node.id)
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Name):
        raise SyntaxError("expected a name, or a name with named parameters")

    params = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in params:  # None: of **
            raise SyntaxError("expected each parameter once, by its name")
        params[keyword.arg] = _read_literal(keyword.value)
    return _find_measure(node.func.id)(**params)


def _read_literal(node: ast.expr) -> object:
    """Return the value of a number or a quoted string."""
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise SyntaxError("expected a number or a quoted string") from error


def _find_measure(name: str) -> Measure:
    """Return a measure by its name: ours for NDCG, else what is registered."""
    if name in ("NDCG", "nDCG"):
        return NDCG
    if name not in registry:
        raise NameError(describe_unknown_measure(name, "Only NDCG takes %, as in NDCG%20."))
    return registry[name]


def _apply_percent(measure: Measure, percent: object) -> Measure:
    """Return ``measure % percent``; ValueError if the measure takes no ``%``."""
    if not hasattr(measure, "__mod__"):
        raise ValueError(f"{measure} takes no %: only NDCG does, as in NDCG%20")
    return measure % percent
