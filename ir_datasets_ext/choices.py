"""Messages of errors about an unknown name: which was meant, and which there are.

::

    if baseline not in rows:
        raise ValueError(describe_unknown("baseline", baseline, rows, of="the table"))
"""

from collections.abc import Iterable
from difflib import get_close_matches


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
    """Return the end of such a message: the most similar choices, and what to choose.

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
