"""Measure strings with ``%``, and those that name our measures, for ir_measures' two parsers.

ir_measures reads ``Measure(k=v)@c`` alone and PyTerrier's experiments read trec_eval's names alone.
`install` wraps both parsers, so that ``NDCG%20`` and the like work in either; every other string
goes to them untouched.
"""

import ast
import functools
import re
import warnings

import ir_measures

_NAME = re.compile(r"\s*(\w+)")
#: what makes an ``NDCG(...)`` without % ours: a parameter that ir_measures' nDCG does not have
_OUR_NDCG = re.compile(r"\s*(?:NDCG|nDCG)\b.*\b(?:discount|gain|pool|percent)\s*=", re.DOTALL)

#: half a surrogate pair, over which ir_measures' parser has an error of its own
_BROKEN = re.compile("[\ud800-\udfff]")

#: names of ours that ir_measures does not have itself -> measure
_ours = {}
#: what NDCG means in a string that is ours
_ndcg = {}


def install(measures, ndcg):
    """Teach ir_measures' parsers and its nDCG about our measures; doing it twice is harmless.

    Args:
        measures: dict from names to measures that the parsers are to know.
        ndcg: what ``NDCG`` and ``nDCG`` mean with ``%`` or with a parameter of ours.
    """
    _ours.update(measures)
    _ndcg.update(NDCG=ndcg, nDCG=ndcg)
    for module in (ir_measures, ir_measures.util):
        _wrap(module, "parse_measure", lambda measure: measure)
        _wrap(module, "parse_trec_measure", lambda measure: [measure])
    host = type(ir_measures.nDCG)
    if not hasattr(host, "__mod__"):
        host.__mod__ = _percent
    elif host.__mod__.__module__ != __name__:
        warnings.warn(
            f"ir_measures' nDCG already has a %, of {host.__mod__.__module__}: it stays. "
            "Ours is that of pyterrier_scholarly.measures.NDCG.",
            stacklevel=4,
        )


def _percent(measure, percent):
    """``NDCG % 20`` with ir_measures' nDCG: our measure, its parameters carried over."""
    return _ndcg["NDCG"](**measure.params, percent=percent)


def _wrap(module, name, give):
    original = getattr(module, name)
    if getattr(original, "reads_scholarly", False):
        return

    @functools.wraps(original)
    def parse(measure):
        return give(parse_ours(measure)) if _is_ours(measure) else original(measure)

    parse.reads_scholarly = True
    setattr(module, name, parse)


def _is_ours(text):
    if not isinstance(text, str):
        return False
    name = _NAME.match(text)
    ours = (name and name[1] in _ours) or _OUR_NDCG.match(text) or _BROKEN.search(text)
    return "%" in text or bool(ours)


def parse_ours(text):
    """Parse a string such as ``NDCG(discount='log2') % 10``.

    Returns:
        The measure.

    Raises:
        ValueError: the string is no measure, or a parameter is unknown or out of range.
        NameError: there is no measure of that name.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Mod)):
            measure, at = _called(node.left), _literal(node.right)
            return measure @ at if isinstance(node.op, ast.MatMult) else _modulo(measure, at)
        return _called(node)
    except (SyntaxError, TypeError, RecursionError, MemoryError, UnicodeEncodeError) as error:
        raise ValueError(
            f"problem parsing measure {text!r:.100}; must be in format NDCG(k1='v1',k2='v2')%k, "
            "such as NDCG%20 or NDCG(discount='log2')%10, or Measure(k1=v1)@c"
        ) from error


def _called(node):
    """The measure of ``Name`` or ``Name(k1=v1, ...)``."""
    if isinstance(node, ast.Name):
        return _named(node.id)
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Name):
        raise SyntaxError("expected a name, or a name with named parameters")
    params = {keyword.arg: _literal(keyword.value) for keyword in node.keywords}
    if len(params) < len(node.keywords):
        raise SyntaxError("expected each parameter once")
    return _named(node.func.id)(**params)


def _literal(node):
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise SyntaxError("expected a number or a quoted string") from error


def _named(name):
    measure = _ndcg.get(name) or _ours.get(name) or ir_measures.measures.registry.get(name)
    if measure is None:
        raise NameError(f"measure not found: {name}; with % there is NDCG alone, as in NDCG%20")
    return measure


def _modulo(measure, percent):
    if not hasattr(measure, "__mod__"):
        raise ValueError(f"{measure} takes no %, only NDCG does, as in NDCG%20")
    return measure % percent
