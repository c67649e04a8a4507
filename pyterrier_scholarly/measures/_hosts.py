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
import inspect
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry

from ..choices import describe_unknown
from ._ranked_measure import RankedMeasure
from .ndcg import NDCG

# ir_measures' own parsers, which read all other strings. If this module is loaded again, ours stand
# in their place and wrap them
read_measure = inspect.unwrap(ir_measures.parse_measure)
read_trec_measure = inspect.unwrap(ir_measures.parse_trec_measure)

#: an ``NDCG(...)`` without % is ours if it has a parameter that ir_measures' nDCG lacks
OUR_NDCG = re.compile(r"\s*(?:NDCG|nDCG)\b.*\b(?:discount|gain|pool|percent)\s*=", re.DOTALL)
LONGEST_SHOWN_TEXT = 100  # characters of a string that cannot be parsed


def extend_hosts(measure_by_name: Mapping[str, Measure]) -> None:
    """Register our measures, and make the changes that this module describes.

    A second call changes nothing; a name that a host has already keeps its measure.
    """
    if NDCG.NAME in registry:  # as when this package is loaded again
        return

    # the parsers have two places each
    places: tuple[Any, ...] = (ir_measures, ir_measures.util)
    for module in places:
        module.parse_measure = parse_measure
        module.parse_trec_measure = parse_trec_measure

    # NDCG % 20 with their measure of that name is ours
    their_class: Any = type(ir_measures.nDCG)
    if not hasattr(their_class, "__mod__"):
        their_class.__mod__ = lambda measure, percent: NDCG(**measure.params, percent=percent)

    registries = [registry]
    if "pyterrier.measures" in sys.modules:
        registries.append(vars(sys.modules["pyterrier.measures"]))
    for measures_of_host in registries:
        # a host's own measures come last, so that they keep their names
        measures_of_host.update({**measure_by_name, **measures_of_host})


# --- the two parsers, which take the place of the hosts' ------------------------------------------


@functools.wraps(read_measure)
def parse_measure(measure: Any) -> Measure:
    """Return the measure that a string names; ir_measures' parser reads all but ours."""
    if not isinstance(measure, str) or not _is_ours(measure):
        return read_measure(measure)
    if "%" in measure:
        with suppress(ValueError):  # raised if this ir_measures has no %
            return read_measure(measure)

    name, params = _parse_expression(measure)
    if name not in registry:
        remedy = "Only NDCG takes %, as in NDCG%20."
        raise NameError(describe_unknown("measure", name, registry, remedy))
    named_measure = NDCG if name in ("NDCG", "nDCG") else registry[name]
    if "percent" in params and not isinstance(named_measure, type(NDCG)):
        raise ValueError(f"{named_measure} takes no %: only NDCG does, as in NDCG%20")
    return named_measure(**params)


@functools.wraps(read_trec_measure)
def parse_trec_measure(measure: Any) -> list[Measure]:
    """Return the measures that a string names: ours, trec_eval's, or those of ir_measures.

    They are a list, because one name of trec_eval may stand for several: ``P_5,10`` are two.
    """
    if not isinstance(measure, str):
        return read_trec_measure(measure)
    if _is_ours(measure):
        return [parse_measure(measure)]

    with suppress(ValueError):
        return read_trec_measure(measure)
    # no name of trec_eval, so perhaps a string of ir_measures, such as nDCG@10
    try:
        return [read_measure(measure)]
    except NameError as error:
        name = re.split("[@(]", measure)[0]
        remedy = "Write it as in nDCG@10, P(rel=2)@20 or NDCG%20, or as in trec_eval (ndcg_cut_10)."
        raise ValueError(describe_unknown("measure", name, registry, remedy)) from error


def _is_ours(text: str) -> bool:
    """Return whether a string is read here: one with ``%``, or with a measure of ours."""
    name = re.split(r"\W", text.lstrip(), maxsplit=1)[0]
    is_registered = isinstance(registry.get(name), RankedMeasure)
    return is_registered or "%" in text or bool(OUR_NDCG.match(text))


def _parse_expression(text: str) -> tuple[str, dict[str, Any]]:
    """Return name and parameters of ``NDCG(discount='log2') % 10``, of which 10 is `percent`.

    It is an expression of Python, too. So Python's own parser takes it apart; nothing of it is run.
    """
    params = {}
    try:
        node: Any = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp):  # a measure, an operator and a cut-off
            param_of_operator: dict[type, str] = {ast.Mod: "percent", ast.MatMult: "cutoff"}
            params[param_of_operator[type(node.op)]] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:  # a name with parameters
            for keyword in node.keywords:
                if keyword.arg in params:
                    raise SyntaxError("expected each parameter once")
                params[str(keyword.arg)] = ast.literal_eval(keyword.value)
            node = node.func
        return node.id, params  # of anything else than a name, an AttributeError
    except (SyntaxError, ValueError, LookupError, AttributeError, TypeError, MemoryError) as error:
        raise ValueError(
            f"cannot parse measure {text!r:.{LONGEST_SHOWN_TEXT}}: expected NDCG(k1='v1',k2='v2')"
            "%k, such as NDCG%20 or NDCG(discount='log2')%10, or Measure(k1=v1)@c"
        ) from error
