"""Names of authors: one order for all.

>>> order_name("van Oak, Ann"), split_names("Oak A, Elm B")
('Ann van Oak', ['Oak A', 'Elm B'])
"""

import re

NOBODY = re.compile(r"(?i)(?:\bet\.? al\.?|\bothers)$")  # at the end of a list
SUFFIX = re.compile(r"(?i),\s*((?:Jr|Sr|II|III|IV|PhD|M\.?D)\.?)(?=\s*,|$)")
FAMILY_COMMA_INITIALS = re.compile(r"[^, ][^,]*, (?:[A-ZÀ-Þ]\.?[ -]?){1,4}(?=, |$)")
FAMILY_AND_INITIALS = re.compile(r"[^\W\d_][\w'’ -]* (?:[A-ZÀ-Þ]\.?[ -]?){1,4}")
LIST_IN_CELL = re.compile(r"(?<=['\"])[^'\"]*[^\W_][^'\"]*(?=['\"])")
ORGANISATION = re.compile(r"(?i)\b(?:of|for|the|and|&)\b|&")


def order_name(name: str) -> str:
    """Return a person's name with the family name last; "" for "others" and "et al.".

    >>> order_name("van Oak, Ann"), order_name("Oak, Jr., Bo"), order_name("Oak A.")
    ('Ann van Oak', 'Bo Oak, Jr.', 'Oak A.')
    """
    name = NOBODY.sub("", name).strip(" ,")
    if name.count(",") > 2 or ORGANISATION.search(name):
        return name
    family, *given = [part.strip() for part in SUFFIX.sub("", name).split(",")]
    return ", ".join([" ".join([*given, family]), *SUFFIX.findall(name)])


def split_names(text: str) -> list[str]:
    """Return the names in one text, between " and ", semicolons, bars or commas.

    Commas separate names only if no name can have one: "Oak A, Elm B", or "Oak, A., Elm, B.".
    """
    names = re.split(r"\s+and\s+|\s*[;|]\s*", text)
    if text.startswith(("['", '["')):  # a list, as pandas writes one into a cell
        names = LIST_IN_CELL.findall(text)
    elif len(names) == 1:
        parts = text.split(", ")
        pairs = FAMILY_COMMA_INITIALS.findall(text)
        if ", ".join(pairs) == text:
            names = pairs
        elif all(" " in part for part in parts):
            # of two, the second may be the given names of the first: nobody can tell
            if len(parts) == 2 and not all(map(FAMILY_AND_INITIALS.fullmatch, parts)):
                return [text]
            names = parts
    return [order_name(name) for name in names]
