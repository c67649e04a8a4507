"""Extend ir_measures' two parsers by strings with ``%`` and by the names of our measures.

ir_measures reads ``Measure(k=v)@c`` only; PyTerrier's experiments read trec_eval's names only.
`install` wraps both parsers. ``NDCG%20`` then works in either, and PyTerrier's also reads the
strings of ir_measures, such as ``nDCG@10``. Other strings mean what they always did.

    >>> ir_measures.util.parse_trec_measure("NDCG%20")
    [NDCG%20]

Our own strings are read in `_grammar`.
"""

import functools
import re
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry

from ._grammar import LONGEST_SHOWN_TEXT, describe_unknown_measure, parse_ours
from ._ranked_measure import HALF_SURROGATE, RankedMeasure
from .ndcg import NDCG

#: an ``NDCG(...)`` without % is ours if it has a parameter that ir_measures' nDCG lacks
OUR_NDCG = re.compile(r"\s*(?:NDCG|nDCG)\b.*\b(?:discount|gain|pool|percent)\s*=", re.DOTALL)
#: how ir_measures' parser begins its message about a name of trec_eval that it cannot compute
NOT_COMPUTED = "known trec name"
HOW_TO_WRITE = "Write it as in nDCG@10, P(rel=2)@20 or NDCG%20, or as trec_eval does (ndcg_cut_10)."


def install() -> None:
    """Add ``%`` and our registered measures to ir_measures' parsers, and ``%`` to its nDCG.

    A second call changes nothing.
    """
    for module in (ir_measures, ir_measures.util):
        _wrap_parser(module, "parse_measure", _extend_parse_measure)
        _wrap_parser(module, "parse_trec_measure", _extend_parse_trec_measure)

    their_class: Any = type(ir_measures.nDCG)
    if not hasattr(their_class, "__mod__"):
        their_class.__mod__ = _take_percent
    elif their_class.__mod__.__module__ != __name__:
        warnings.warn(
            f"ir_measures' nDCG already has a % from {their_class.__mod__.__module__} and keeps "
            "it. Use pyterrier_scholarly.measures.NDCG for ours.",
            stacklevel=4,
        )


def _take_percent(measure: Measure, percent: int) -> Measure:
    """Return our measure for ``NDCG % 20`` with ir_measures' nDCG, with its parameters."""
    return NDCG(**measure.params, percent=percent)


def _wrap_parser(module: ModuleType, name: str, extend: Callable[[Callable], Callable]) -> None:
    """Replace a parser of ir_measures by ``extend(parser)``, unless that was done before."""
    original = getattr(module, name)
    if getattr(original, "reads_scholarly", False):
        return

    extended = functools.wraps(original)(extend(original))
    vars(extended)["reads_scholarly"] = True
    setattr(module, name, extended)


def _extend_parse_measure(parse_measure: Callable[[Any], Measure]) -> Callable[[Any], Measure]:
    """Return a parser that reads our measures, and all that `ir_measures.parse_measure` reads."""

    def parse(measure: object) -> Measure:
        """Return the measure that a string names; ir_measures' parser reads all but ours."""
        if isinstance(measure, str) and _is_ours(measure):
            return parse_ours(measure)
        return parse_measure(measure)

    return parse


def _extend_parse_trec_measure(
    parse_trec_measure: Callable[[Any], list[Measure]],
) -> Callable[[Any], list[Measure]]:
    """Return a parser of trec_eval's names that reads our measures and ``nDCG@10``, too.

    parse_trec_measure: ir_measures' parser of trec_eval's names. It returns a list, because one
        name may stand for several measures: ``P_5,10`` are two.
    """

    def parse(measure: object) -> list[Measure]:
        """Return the measures that a string names: ours, trec_eval's, or those of ir_measures."""
        if not isinstance(measure, str):
            return parse_trec_measure(measure)
        if _is_ours(measure):
            return [parse_ours(measure)]

        try:
            return parse_trec_measure(measure)
        except ValueError as error:
            is_name_of_trec_eval = str(error).startswith(NOT_COMPUTED)
            if is_name_of_trec_eval:
                raise  # ir_measures knows the name, and cannot compute the measure

        # no name of trec_eval, so perhaps a string of ir_measures, such as nDCG@10
        return [_parse_theirs(measure)]

    return parse


def _is_ours(text: str) -> bool:
    """Return whether a string is read here: one with ``%``, or with a measure of ours."""
    name = re.split(r"\W", text.lstrip(), maxsplit=1)[0]
    if isinstance(registry.get(name), RankedMeasure):
        return True
    if OUR_NDCG.match(text):
        return True

    # half a surrogate pair would break ir_measures' parser; ours raises a clear error
    return "%" in text or bool(HALF_SURROGATE.search(text))


def _parse_theirs(text: str) -> Measure:
    """Parse a string of ir_measures; raise ValueError, with the nearest name, if it is none."""
    try:
        return ir_measures.parse_measure(text)
    except NameError as error:
        name = text.partition("@")[0].partition("(")[0]
        raise ValueError(describe_unknown_measure(name, HOW_TO_WRITE)) from error
    except (RecursionError, MemoryError, TypeError) as error:
        shown_text = f"{text!r:.{LONGEST_SHOWN_TEXT}}"
        raise ValueError(f"cannot parse measure {shown_text}. {HOW_TO_WRITE}") from error
