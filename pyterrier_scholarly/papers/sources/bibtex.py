"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

An entry is read field by field, so that a missing comma, key or closing brace costs no more than it
must. Only the fields that are used are decoded.
"""

import re
from collections.abc import Iterator

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, read_record
from .latex import decode_address, decode_latex

#: text in braces, and in it as many within each other; each piece is read once ("++")
BRACED = r"\{[^{}]*+\}"
for _ in range(20):
    BRACED = rf"\{{(?:[^{{}}]++|{BRACED})*+\}}"
WORD = r'[^\s=,{}()"#%]+'
#: a word is a number, or the name of an `@string`
PART = rf'{BRACED}|"(?:[^"{{}}]++|{BRACED})*+"|{WORD}'
#: an entry that somebody took out, or that is none; the beginning of an entry
ENTRY = re.compile(
    r"(?m)^[ \t]*%[^\n@]*@[ \t]*[A-Za-z]\w*\s*[{(]"
    rf"|@[ \t]*(?i:comment|preamble)\s*(?:{BRACED}|\([^)]*\))"
    rf'|@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{{(](?:\s*(?P<key>[^,={{}}"\n]*?)\s*,)?'
)
FIELD = re.compile(
    rf"(?P<before>[\s,]*)(?P<name>(?!@){WORD})\s*="
    rf"\s*(?P<value>(?:{PART})(?:\s*#\s*(?:{PART}))*)"
)
END = re.compile(r"[\s,]*([)}]|(?=@))")
#: a value that is none, or has a field in it, because a brace is missing
BROKEN_VALUE = re.compile(r"(?s)$|.*,\s*[\w-]+\s*=")

#: fields in LaTeX; LaTeX in other fields is taken out as from an address
TEXT_FIELDS = [
    name for field in ("title", "abstract", "year", "venue") for name in NAMES["BibTeX"][field]
]


def read_bibtex(text: str) -> Iterator[Found]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    entries = list(_parse_entries(text))
    # a citation key is the same in upper and lower case
    values_of_key = {values["key"].lower(): values for _, values, _ in entries if values}
    for place, values, flaws in entries:
        parent_key = values.get("crossref") or values.get("xdata") or "no key"
        parent = values_of_key.get(parent_key.strip().lower(), {})
        inherited = {name: parent[name] for name in parent.keys() & NAMES["BibTeX"]["inherited"]}
        # proceedings have their name as a title
        fields: dict[str, object] = {"booktitle": parent.get("title", ""), **inherited, **values}
        for name, value in fields.items():
            try:
                fields[name] = _decode_value(name, str(value))
            # pylatexenc raises errors of many kinds for what is no LaTeX
            except Exception as error:
                flaws.append(f"{name} has LaTeX that cannot be read: it stays ({error!r:.60})")
        if flaws:
            kind = Remark if values else UnreadRecord
            yield kind(place, "; ".join(flaws))
        if values:
            yield read_record(place, fields, "BibTeX")


def _parse_entries(text: str) -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """Yield the place, the values and the flaws of each entry; no values if it cannot be parsed.

    Values are by the names of their fields, the citation key is "key".
    """
    macros: dict[str, str] = {}
    position = 0
    while entry := ENTRY.search(text, position):
        position = entry.end()
        if not entry["kind"]:
            continue

        line_number = text.count("\n", 0, entry.start()) + 1
        place = f"line {line_number}"
        values = {"key": entry["key"] or ""}
        flaws = ["it has no key"] if entry["key"] is None else []
        value = ""
        while field := FIELD.match(text, position):
            position = field.end()
            name = field["name"].lower()
            if "," not in field["before"] and len(values) > 1:
                flaws.append(f"a comma is missing before {name}")
            value = _join_parts(field["value"], macros)
            values.setdefault(name, value)  # of a field twice, the first

        end = END.match(text, position)
        if end is None or (not end[1] and BROKEN_VALUE.match(value)):
            reason = (
                "an entry that is not closed, or cannot be read from "
                f"{text[position : position + 60].strip()!r} on: is a comma or a brace missing?"
            )
            yield place, {}, [reason]
            position = entry.end()  # the rest of the file may be inside of an open brace
            continue
        position = end.end()
        if not end[1]:
            flaws.append("it is not closed")
        if entry["kind"].lower() == "string":
            macros.update(values)
        else:
            yield place, values, flaws


def _join_parts(value: str, macros: dict[str, str]) -> str:
    """Return the text of a value, which has its parts between "#"."""
    parts = [
        part[1:-1] if part[0] in '{"' else macros.get(part.lower(), part)
        for part in re.findall(PART, value)
    ]
    return "".join(parts)


def _decode_value(name: str, value: str) -> object:
    """Return a field's value as plain text; a list of names for authors."""
    if name in TEXT_FIELDS:
        return decode_latex(value)
    if name not in NAMES["BibTeX"]["authors"]:
        return decode_address(value)

    # "and" in braces is of a name
    pieces = re.sub(rf"({BRACED})|\s+(?i:and)\s+", lambda found: found[1] or "\0", value)
    return [
        # in braces as a whole, such as a company's name
        {"name": author[1:-1]} if re.fullmatch(r"\{[^{}\\]*\}", author) else decode_latex(author)
        for author in pieces.split("\0")
    ]
