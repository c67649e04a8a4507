"""Extend ir_measures' two parsers by strings with ``%`` and by the names of our measures.

ir_measures reads ``Measure(k=v)@c`` only; PyTerrier's experiments read trec_eval's names only.
`install` wraps both parsers. ``NDCG%20`` then works in either, and PyTerrier's also reads the
strings of ir_measures, such as ``nDCG@10``. Other strings mean what they always did.
"""

import ast
import functools
import re
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry

from ._base import BROKEN, RankedMeasure
from .csfcube import NDCG

#: an ``NDCG(...)`` without % is ours if it has a parameter that ir_measures' nDCG lacks
_OUR_NDCG = re.compile(r"\s*(?:NDCG|nDCG)\b.*\b(?:discount|gain|pool|percent)\s*=", re.DOTALL)
#: how ir_measures' parser begins its message about a name of trec_eval that it cannot compute
_NOT_COMPUTED = "known trec name"
_HOW_TO_WRITE = (
    "Write it as in nDCG@10, P(rel=2)@20 or NDCG%20, or as trec_eval does (ndcg_cut_10)."
)


def install() -> None:
    """Add ``%`` and our registered measures to ir_measures' parsers, and ``%`` to its nDCG.

    A second call changes nothing.
    """
    for module in (ir_measures, ir_measures.util):
        _wrap(module, "parse_measure", _with_ours)
        _wrap(module, "parse_trec_measure", _with_ours_and_ir_measures)

    host: Any = type(ir_measures.nDCG)
    if not hasattr(host, "__mod__"):
        host.__mod__ = _percent
    elif host.__mod__.__module__ != __name__:
        warnings.warn(
            f"ir_measures' nDCG already has a % from {host.__mod__.__module__} and keeps it. "
            "Use pyterrier_scholarly.measures.NDCG for ours.",
            stacklevel=4,
        )


def _percent(measure: Measure, percent: int) -> Measure:
    """Return our measure for ``NDCG % 20`` with ir_measures' nDCG, with its parameters."""
    return NDCG(**measure.params, percent=percent)


def _wrap(module: ModuleType, name: str, extend: Callable[[Callable], Callable]) -> None:
    """Replace a parser of ir_measures by ``extend(parser)``, unless that was done before."""
    original = getattr(module, name)
    if getattr(original, "reads_scholarly", False):
        return

    extended = functools.wraps(original)(extend(original))
    vars(extended)["reads_scholarly"] = True
    setattr(module, name, extended)


def _with_ours(parse_measure: Callable[[Any], Measure]) -> Callable[[Any], Measure]:
    """Extend `ir_measures.parse_measure`, which returns one measure."""

    def parse(measure: object) -> Measure:
        if isinstance(measure, str) and _is_ours(measure):
            return parse_ours(measure)
        return parse_measure(measure)

    return parse


def _with_ours_and_ir_measures(
    parse_trec_measure: Callable[[Any], list[Measure]],
) -> Callable[[Any], list[Measure]]:
    """Extend `ir_measures.parse_trec_measure`, which returns a list: ``P_5,10`` are two."""

    def parse(measure: object) -> list[Measure]:
        if isinstance(measure, str) and _is_ours(measure):
            return [parse_ours(measure)]
        try:
            return parse_trec_measure(measure)
        except ValueError as error:
            if not isinstance(measure, str) or str(error).startswith(_NOT_COMPUTED):
                raise
            return [_parse_theirs(measure)]

    return parse


def _parse_theirs(text: str) -> Measure:
    """Parse a string of ir_measures; raise ValueError, with the nearest name, if it is none."""
    try:
        return ir_measures.parse_measure(text)
    except NameError as error:
        name = text.partition("@")[0].partition("(")[0]
        raise ValueError(_describe_unknown(name, _HOW_TO_WRITE)) from error
    except (RecursionError, MemoryError, TypeError) as error:
        raise ValueError(f"cannot parse measure {text!r:.100}. {_HOW_TO_WRITE}") from error


def _describe_unknown(name: str, remedy: str) -> str:
    """Return the message of an error about an unknown measure, with the nearest one."""
    # here, because ir_datasets_ext loads ir_datasets, which who measures may not need
    from ir_datasets_ext.choices import describe_unknown

    return describe_unknown("measure", name, registry, remedy)


def _is_ours(text: str) -> bool:
    name = re.split(r"\W", text.lstrip(), maxsplit=1)[0]
    ours = isinstance(registry.get(name), RankedMeasure)
    # half a surrogate pair would break ir_measures' parser
    return bool("%" in text or ours or _OUR_NDCG.match(text) or BROKEN.search(text))


def parse_ours(text: str) -> Measure:
    """Parse a string such as ``NDCG(discount='log2') % 10``.

    Raises:
        ValueError: the string is no measure, or a parameter is unknown or out of range.
        NameError: the measure is unknown.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Mod)):
            measure, at = _called(node.left), _literal(node.right)
            return measure @ at if isinstance(node.op, ast.MatMult) else _modulo(measure, at)
        return _called(node)
    except (SyntaxError, TypeError, RecursionError, MemoryError, UnicodeEncodeError) as error:
        raise ValueError(
            f"cannot parse measure {text!r:.100}: expected NDCG(k1='v1',k2='v2')%k, such as "
            "NDCG%20 or NDCG(discount='log2')%10, or Measure(k1=v1)@c"
        ) from error


def _called(node: ast.expr) -> Measure:
    """Return the measure of ``Name`` or ``Name(k1=v1, ...)``."""
    if isinstance(node, ast.Name):
        return _named(node.id)
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Name):
        raise SyntaxError("expected a name, or a name with named parameters")
    params = {each.arg: _literal(each.value) for each in node.keywords if each.arg}
    if len(params) < len(node.keywords):
        raise SyntaxError("expected each parameter once, by its name")
    return _named(node.func.id)(**params)


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise SyntaxError("expected a number or a quoted string") from error


def _named(name: str) -> Measure:
    if name in ("NDCG", "nDCG"):
        return NDCG
    if name not in registry:
        raise NameError(_describe_unknown(name, "Only NDCG takes %, as in NDCG%20."))
    return registry[name]


def _modulo(measure: Measure, percent: object) -> Measure:
    if not hasattr(measure, "__mod__"):
        raise ValueError(f"{measure} takes no %: only NDCG does, as in NDCG%20")
    return measure % percent
