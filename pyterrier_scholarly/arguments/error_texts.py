"""The text of an error about an argument: what is wrong, what was expected, what to do."""

from collections.abc import Callable
from pathlib import Path
from reprlib import Repr
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from ..choices import suggest_choice
from ..redaction import redact
from .annotations import COLLECTIONS, ITERABLES, MAPPINGS, REQUIRED, Mismatch, is_record, is_union
from .rules import Rule

LONGEST_SHOWN_VALUE = 80  # characters of a wrong value
SHOWN_ITEMS = 4  # of a wrong list or dict

#: what errors call one value of a type, and several
KIND_NAMES: dict[type, tuple[str, str]] = {
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("True or False", "True or False"),
    str: ("a text", "texts"),
    Path: ("a path", "paths"),
    NoneType: ("None", "None"),
}


def describe_error(mismatch: Mismatch, where: str, name: str, default: object) -> str:
    """Say which argument is wrong, what was expected, and what to do."""
    argument = f"{name}{mismatch.place}={show_value(mismatch.value)}"
    expected = _describe_expected(mismatch.expected)
    remedy = "Pass one." if default is REQUIRED else f"The default is {show_value(default)}."

    options = _list_options(mismatch.expected)
    if options and isinstance(mismatch.value, str):  # perhaps one of them, mistyped
        remedy = suggest_choice(mismatch.value, options, remedy)
    return f"{where}, {argument}: {expected}. {remedy}"


def show_value(value: object) -> str:
    """Return a wrong value for an error: short, on one line, without secrets.

    An argument in the wrong place may hold a key, as ``OpenAIChat("gpt-4o", options="sk-…")``.
    """
    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"  # type: ignore[arg-type]  # frames have a length

    short_repr = Repr()  # works as `repr` does, but shows a list's first items only
    short_repr.maxlist = short_repr.maxtuple = short_repr.maxdict = short_repr.maxset = SHOWN_ITEMS
    # not shorter: half of a secret would not be recognised as one
    short_repr.maxstring = short_repr.maxother = 10_000
    try:
        long_text = short_repr.repr(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return f"<{type(value).__name__} that is too long to show>"

    text = redact(" ".join(long_text.split()))
    if len(text) <= LONGEST_SHOWN_VALUE:
        return text
    return f"{text[:LONGEST_SHOWN_VALUE]}…"


def _describe_expected(expected: Any) -> str:
    """Say what an annotation wants: "expected a whole number or None", "choose one of a, b"."""
    options = _list_options(expected)  # values to choose from
    if not options:
        return f"expected {_name_kind(expected)}"

    # a union may also accept None, or any value of some type, such as a text or an object
    other_kinds = [kind for kind in _list_alternatives(expected) if not _list_options(kind)]
    if NoneType in other_kinds:
        other_kinds.remove(NoneType)
        options = [*options, None]
    choice = f"choose one of {', '.join(str(option) for option in options)}"
    if not other_kinds:
        return choice
    return f"{choice}, or pass {_join([_name_kind(kind) for kind in other_kinds])}"


def _list_alternatives(expected: Any) -> list[Any]:
    """Return the types of a union, also of one within it; or the only type."""
    if not is_union(expected):
        return [expected]
    return [kind for part in get_args(expected) for kind in _list_alternatives(part)]


def _list_options(expected: Any) -> list[object]:
    """Return the values that may be chosen from: of each `Literal`, and of `one_of`."""
    options: list[object] = []
    for alternative in _list_alternatives(expected):
        if get_origin(alternative) is Literal:
            options += get_args(alternative)
        for rule in _list_rules(alternative):
            options += rule.list_options()
    return options


def _list_rules(annotation: Any) -> list[Rule]:
    """Return the rules of ``Annotated[type, Rule(…)]``; none of another annotation."""
    return [part for part in get_args(annotation) if isinstance(part, Rule)]


def _name_kind(expected: Any) -> str:
    """Name what an annotation accepts: "a whole number or None"."""
    origin = get_origin(expected)
    parts = get_args(expected)
    if origin is Annotated:
        return " ".join(rule.meaning for rule in _list_rules(expected))
    if is_union(expected):
        part_names = [_name_kind(part) for part in parts]
        return _join(list(dict.fromkeys(part_names)))  # each once
    if origin is Literal:
        return _join([repr(option) for option in parts])

    kind = origin or expected
    if kind in KIND_NAMES:
        return KIND_NAMES[kind][0]
    if kind in MAPPINGS:
        return "a dict"
    if is_record(expected):
        return f"a list of {len(parts)} values"
    if kind in (*COLLECTIONS, *ITERABLES):
        item_kind = parts[0] if parts else object
        list_name = f"a list of {KIND_NAMES[item_kind][1]}" if item_kind in KIND_NAMES else "a list"
        return list_name if kind in COLLECTIONS else f"{list_name} or another iterable"
    if kind is Callable:
        return "a function"
    return _name_class(kind)


def _name_class(kind: type) -> str:
    """Name a class with its article; one of another library by the library's name, too."""
    library = kind.__module__.partition(".")[0]
    our_package = __name__.partition(".")[0]
    name = kind.__name__
    if library not in ("builtins", our_package):
        name = f"{library}.{name}"

    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name}"


def _join(alternatives: list[str]) -> str:
    """Join with commas, and "or" before the last one."""
    *others, last = alternatives
    return f"{', '.join(others)} or {last}" if others else last
