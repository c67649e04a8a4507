"""Tell ids of papers from texts, and find the id that somebody has mistyped.

>>> find_near_ids("smith201", ["smith2019", "li2020"])
['smith2019']
>>> is_like_id("smith201", ["smith2019", "li2020"]), is_like_id("trees", ["smith2019"])
(True, False)
"""

import re
from collections.abc import Sequence
from numbers import Integral

from ..choices import find_similar, some

LONGEST_ID = 100  # characters; longer texts without a blank are no ids
#: a single word of letters and hyphens, perhaps with a mark at the end
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*[.?!]?")
MOST_NEAR_IDS = 3  # that an error names
#: letters of an id, such as an author's name in "smith2019"; and how many two ids have to share
LETTERS = re.compile(r"[^\W\d_]+")
LEAST_SHARED_LETTERS = 4


def format_id(value: object) -> str | None:
    """Return an id as text, also of a whole number; None if the value can be no id."""
    if isinstance(value, str):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)
    return None


def is_like_id(text: str, ids: Sequence[str]) -> bool:
    """Return whether a text that is no id is probably a mistyped one.

    Such an id has no blank and at most LONGEST_ID characters. And either it has a digit or a mark
    that a word has not, such as "smith2019", or one of `ids` is similar.
    """
    has_blank = re.search(r"\s", text) is not None
    if has_blank or len(text) > LONGEST_ID:
        return False

    # only of ASCII's texts: in languages without blanks, a whole sentence has marks and no blank
    is_no_word = text.isascii() and WORD.fullmatch(text) is None
    if is_no_word:
        return True
    near_ids = find_near_ids(text, ids)
    return len(near_ids) > 0


def find_near_ids(missing_id: str, ids: Sequence[str]) -> list[str]:
    """Return the ids that somebody may have meant, at most MOST_NEAR_IDS, the nearest first."""
    similar = find_similar(missing_id, ids, MOST_NEAR_IDS)
    # such as "W21" for "https://openalex.org/W21", or the other way round
    equal_without_prefix = [
        known_id
        for known_id in ids
        if known_id.endswith(f"/{missing_id}") or missing_id.endswith(f"/{known_id}")
    ]
    near_ids = dict.fromkeys([*equal_without_prefix, *similar])  # each once
    return list(near_ids)[:MOST_NEAR_IDS]


def find_ids_with_part(missing_id: str, ids: Sequence[str]) -> list[str]:
    """Return ids that contain a missing one, or a word of it, at most MOST_NEAR_IDS.

    Neither counts if it is shorter than LEAST_SHARED_LETTERS: "1" is in most numbers.

    >>> find_ids_with_part("smith", ["li2020", "smith_trees_2019"])
    ['smith_trees_2019']
    """
    words = LETTERS.findall(missing_id)
    long_parts = [part for part in [missing_id, *words] if len(part) >= LEAST_SHARED_LETTERS]

    near_ids = []
    for part in long_parts:
        folded_part = part.casefold()
        near_ids += [known_id for known_id in ids if folded_part in known_id.casefold()]
    distinct_ids = list(dict.fromkeys(near_ids))
    return distinct_ids[:MOST_NEAR_IDS]


def suggest_ids(missing_id: str, ids: Sequence[str]) -> str:
    """Return a sentence with the ids that are near a missing one, or else with the first ids."""
    near_ids = find_near_ids(missing_id, ids) or find_ids_with_part(missing_id, ids)
    if near_ids:
        return f"Did you mean {' or '.join(near_ids)}?"
    return f"The ids are {some(ids)}: pass one of them."


def describe_missing_paper(paper_id: str, ids: Sequence[str]) -> str:
    """Say that a library has no such paper, and which ids are near."""
    return f"The library has no paper {paper_id!r}. {suggest_ids(paper_id, ids)}"
