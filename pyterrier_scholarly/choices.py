"""Choose an option by its name; an error says which was meant, and which there are.

::

    check_option("field", name, fields, of="the queries")  # a name that must be among others
    prompt = choose_preset("preset", prompt, PROMPTS)      # a name, or an object of the caller's
    raise ValueError(f"unknown: {some(names)}")            # the first of many names

Everything in the house that is chosen by name goes through these, so errors read alike. Arguments
whose annotation lists the names (`Literal`, `one_of`) end their errors in the same way.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

Option = TypeVar("Option")


def check_option(
    what: str,
    name: object,
    options: Collection[str],
    remedy: str | None = None,
    *,
    of: str = "",
) -> None:
    """Raise ValueError unless `name` is one of the options; see `describe_unknown`."""
    is_name = isinstance(name, str)  # a list has no hash, so it cannot be looked up in a dict
    if not is_name or name not in options:
        raise ValueError(describe_unknown(what, name, options, remedy, of=of))


def choose_preset(what: str, value: str | Option, presets: Mapping[str, Option]) -> Option:
    """Return the preset with that name, or `value` itself if it is of the presets' class.

    Args:
        what: the argument that is checked, for the error.
        value: the name of a preset, or an object of the caller's in place of one.
        presets: dict from names to objects of one class; at least one.

    Raises:
        ValueError: it is neither.
    """
    first_preset = next(iter(presets.values()))
    preset_class = type(first_preset)
    if isinstance(value, preset_class):
        return value

    names = ", ".join(repr(name) for name in presets)
    remedy = f"Choose one of: {names}; or pass a {preset_class.__name__} of your own."
    check_option(what, value, presets, remedy)
    return presets[str(value)]


def describe_unknown(
    what: str,
    name: object,
    choices: Iterable[object],
    remedy: str | None = None,
    *,
    of: str = "",
    suggestions: int = 1,
) -> str:
    """Return the message of an error about an unknown name.

    >>> describe_unknown("baseline", "bm52", ["bm25", "tf_idf"])
    "Unknown baseline 'bm52'. Did you mean 'bm25'? Choose one of: bm25, tf_idf."

    Args:
        what: what is unknown ("baseline", "field").
        name: the unknown name.
        choices: the known names.
        remedy: what to do, as a sentence; None to list all choices.
        of: what has such names ("the queries of litsearch"); "" if `what` says it.
        suggestions: how many similar choices are named, at most; 0 for numbers.
    """
    owner = f" of {of}" if of else ""
    suggestion = suggest_choice(name, choices, remedy, suggestions)
    return f"Unknown {what} {name!r:.100}{owner}. {suggestion}"


def suggest_choice(
    name: object, choices: Iterable[object], remedy: str | None = None, suggestions: int = 1
) -> str:
    """Return what an error about an unknown name ends in: similar choices, and what to choose.

    >>> suggest_choice("litsaerch", ["csfcube", "litsearch"])
    "Did you mean 'litsearch'? Choose one of: csfcube, litsearch."
    """
    known_names = [str(choice) for choice in choices]
    sentences = []

    similar_names = find_similar(name, known_names, suggestions) if suggestions else []
    if similar_names:
        quoted_names = [repr(similar) for similar in similar_names]
        sentences.append(f"Did you mean {' or '.join(quoted_names)}?")

    if remedy is None:
        remedy = f"Choose one of: {', '.join(known_names) or 'none'}."
    sentences.append(remedy)
    return " ".join(sentences)


def find_similar(name: object, known_names: Iterable[str], most: int = 1) -> list[str]:
    """Return the known names that look like `name`, the most similar first; case is ignored."""
    name_by_lower_case: dict[str, str] = {}
    for known in known_names:
        name_by_lower_case.setdefault(known.lower(), known)

    matches = get_close_matches(str(name).lower(), name_by_lower_case, n=most)
    return [name_by_lower_case[match] for match in matches]


def some(values: Iterable[object], count: int = 5) -> str:
    """Join the first few values, and say how many more there are."""
    texts = list(map(str, values))
    more = f" and {len(texts) - count} more" if len(texts) > count else ""
    return ", ".join(texts[:count]) + more
