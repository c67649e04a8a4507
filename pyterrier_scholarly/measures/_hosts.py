"""What we change in ir_measures and in PyTerrier, and why. Nothing else of ours changes a host.

- Our measures are registered in ir_measures.
- `ir_measures.parse_measure` reads ``Measure(k=v)@c`` only. It learns ``%`` and our parameters, so
  that ``NDCG%20`` is a measure in Python and in the command ``ir_measures``.
- `ir_measures.parse_trec_measure`, by which PyTerrier's experiments read strings, reads names of
  trec_eval only. It learns our strings, and those of ir_measures, such as ``nDCG@10``.
- The `nDCG` of ir_measures learns the operator ``%``, because its alias `NDCG` has our measure's
  name.
- `pt.measures` copies ir_measures' registry, and PyTerrier imports us later: ours are added.

Each steps aside where a newer host does it itself: a host's own ``%`` stays, and so does what a
host's parser reads. Other strings mean what they always did.

    >>> ir_measures.util.parse_trec_measure("NDCG%20")
    [NDCG%20]
"""

import ast
import functools
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry

from ..choices import describe_unknown
from ._ranked_measure import RankedMeasure
from .ndcg import NDCG

#: an ``NDCG(...)`` without % is ours if it has a parameter that ir_measures' nDCG lacks
OUR_NDCG = re.compile(r"\s*(?:NDCG|nDCG)\b.*\b(?:discount|gain|pool|percent)\s*=", re.DOTALL)
#: operator between a measure and its cut-off -> the parameter that it stands for
CUT_PARAMS: dict[type, str] = {ast.MatMult: "cutoff", ast.Mod: "percent"}
LONGEST_SHOWN_TEXT = 100  # characters of a string that cannot be parsed


def extend_hosts(measure_by_name: Mapping[str, Measure]) -> None:
    """Register our measures, and make the changes that this module describes.

    A second call changes nothing; a name that a host has already keeps its measure.
    """
    if NDCG.NAME in registry:  # as when this package is loaded again
        return

    for module in (ir_measures, ir_measures.util):
        for extend in (parse_measure, parse_trec_measure):
            original = getattr(module, extend.__name__)
            extended = functools.wraps(original)(functools.partial(extend, original))
            setattr(module, extend.__name__, extended)

    their_class: Any = type(ir_measures.nDCG)
    if not hasattr(their_class, "__mod__"):
        their_class.__mod__ = _take_percent

    registries = [registry]
    if "pyterrier.measures" in sys.modules:
        registries.append(vars(sys.modules["pyterrier.measures"]))
    for name, measure in measure_by_name.items():
        for measures_of_host in registries:
            measures_of_host.setdefault(name, measure)


def _take_percent(measure: Measure, percent: int) -> Measure:
    """Return our measure for ``NDCG % 20`` with ir_measures' nDCG, with its parameters."""
    return NDCG(**measure.params, percent=percent)


# --- the two parsers, which take the place of the hosts' ------------------------------------------


def parse_measure(host_parser: Callable[[Any], Measure], measure: object) -> Measure:
    """Return the measure that a string names; ir_measures' parser reads all but ours."""
    if not isinstance(measure, str) or not _is_ours(measure):
        return host_parser(measure)
    if "%" in measure:
        with suppress(ValueError):  # raised if this ir_measures has no %
            return host_parser(measure)
    return parse_ours(measure)


def parse_trec_measure(
    host_parser: Callable[[Any], list[Measure]], measure: object
) -> list[Measure]:
    """Return the measures that a string names: ours, trec_eval's, or those of ir_measures.

    They are a list, because one name of trec_eval may stand for several: ``P_5,10`` are two.
    """
    if not isinstance(measure, str):
        return host_parser(measure)
    if _is_ours(measure):
        return [ir_measures.parse_measure(measure)]

    with suppress(ValueError):
        return host_parser(measure)
    # no name of trec_eval, so perhaps a string of ir_measures, such as nDCG@10
    try:
        return [ir_measures.parse_measure(measure)]
    except NameError as error:
        name = re.split("[@(]", measure)[0]
        remedy = "Write it as in nDCG@10, P(rel=2)@20 or NDCG%20, or as in trec_eval (ndcg_cut_10)."
        raise ValueError(describe_unknown("measure", name, registry, remedy)) from error


def _is_ours(text: str) -> bool:
    """Return whether a string is read here: one with ``%``, or with a measure of ours."""
    name = re.split(r"\W", text.lstrip(), maxsplit=1)[0]
    is_registered = isinstance(registry.get(name), RankedMeasure)
    return is_registered or "%" in text or bool(OUR_NDCG.match(text))


def parse_ours(text: str) -> Measure:
    """Parse a string such as ``NDCG(discount='log2') % 10``.

    It is an expression of Python, too. So Python's own parser takes it apart; nothing of it is run.

    Raises:
        ValueError: the string is no measure, or a parameter is unknown or out of range.
        NameError: the measure is unknown.
    """
    params = {}
    try:
        node: Any = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp):  # a measure, an operator and a cut-off
            params[CUT_PARAMS[type(node.op)]] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:  # a name with parameters
            for keyword in node.keywords:
                if keyword.arg in params:
                    raise SyntaxError("expected each parameter once")
                params[str(keyword.arg)] = ast.literal_eval(keyword.value)
            node = node.func
        name = node.id  # of anything else than a name, an AttributeError
    except (SyntaxError, ValueError, LookupError, AttributeError, TypeError, MemoryError) as error:
        raise ValueError(
            f"cannot parse measure {text!r:.{LONGEST_SHOWN_TEXT}}: expected NDCG(k1='v1',k2='v2')"
            "%k, such as NDCG%20 or NDCG(discount='log2')%10, or Measure(k1=v1)@c"
        ) from error

    if name not in registry:
        remedy = "Only NDCG takes %, as in NDCG%20."
        raise NameError(describe_unknown("measure", name, registry, remedy))
    measure = NDCG if name in ("NDCG", "nDCG") else registry[name]
    if "percent" in params and not isinstance(measure, type(NDCG)):
        raise ValueError(f"{measure} takes no %: only NDCG does, as in NDCG%20")
    return measure(**params)
