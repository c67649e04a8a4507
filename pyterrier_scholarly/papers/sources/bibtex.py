"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

An entry is read field by field, so that a missing comma, key or closing brace costs no more than it
must. Only the fields that are used are decoded.
"""

import re
from collections.abc import Iterator

from pybtex.bibtex.utils import split_name_list

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, read_record
from .latex import decode_address, decode_latex

#: text in braces, and in it as many within each other; each piece is read once ("++")
BRACED = r"\{[^{}]*+\}"
for _ in range(20):
    BRACED = rf"\{{(?:[^{{}}]++|{BRACED})*+\}}"
WORD = r'[^\s=,{}()"#%]+'
#: a word is a number, or the name of an `@string`
PART = re.compile(rf'{BRACED}|"(?:[^"{{}}]++|{BRACED})*+"|{WORD}')
#: an entry that somebody took out, or that is none; the beginning of an entry
ENTRY = re.compile(
    rf"^[ \t]*%[^\n@]*@[ \t]*[A-Za-z]\w*\s*[{{(]|@[ \t]*(?i:comment|preamble)\s*{BRACED}"
    rf'|@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{{(](?:\s*(?P<key>[^,={{}}"\n]*?)\s*,)?',
    re.MULTILINE,
)
FIELD = re.compile(
    rf"(?P<before>[\s,]*)(?P<name>(?!@){WORD})\s*="
    rf"\s*(?P<value>(?:{PART.pattern})(?:\s*#\s*(?:{PART.pattern}))*)"
)
END = re.compile(r"[\s,]*([)}]|(?=@))")
FIELD_IN_VALUE = re.compile(r",\s*[\w-]+\s*=")

#: fields in LaTeX; what others have of it, is taken out as from an address
TEXT_FIELDS = [
    name for field in ("title", "abstract", "year", "venue") for name in NAMES["BibTeX"][field]
]
#: what an entry takes over from the one that its `crossref` or `xdata` names
INHERITED = ("booktitle", "journal", "journaltitle", "year", "date")


def read_bibtex(text: str) -> Iterator[Found]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    entries = list(_parse_entries(text))
    # a citation key is the same in upper and lower case
    values_of_key = {values["key"].lower(): values for _, values, _ in entries if values}
    for place, values, flaws in entries:
        if not values:
            yield UnreadRecord(place, flaws[0])
            continue

        parent_key = values.get("crossref") or values.get("xdata") or "no key"
        parent = values_of_key.get(parent_key.strip().lower(), {})
        fields: dict[str, object] = {**_list_inherited(parent), **values}
        for name, value in fields.items():
            try:
                fields[name] = _decode_value(name, str(value))
            # pylatexenc raises errors of many kinds for what is no LaTeX
            except Exception as error:
                flaws.append(f"{name} has LaTeX that cannot be read: it stays ({error!r:.60})")
        if flaws:
            yield Remark(place, "; ".join(flaws))
        yield read_record(place, fields, NAMES["BibTeX"])


def _list_inherited(parent: dict[str, str]) -> dict[str, str]:
    """Return the values that an entry takes over from its parent, which may have none."""
    # proceedings have their name as a title
    named_parent = {"booktitle": parent.get("title", ""), **parent}
    return {name: named_parent[name] for name in INHERITED if name in named_parent}


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
        # the brace may be missing in the last value, which then has the fields behind it
        if end is None or (not end[1] and FIELD_IN_VALUE.search(value)):
            found = " ".join(text[position : position + 60].split())
            reason = f"an entry that is not closed, or cannot be read from {found!r} on"
            yield place, {}, [f"{reason}: is a comma or a brace missing?"]
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
    parts = []
    for part in PART.findall(value):
        is_text = part[0] in '{"'
        parts.append(part[1:-1] if is_text else macros.get(part.lower(), part))
    return "".join(parts)


def _decode_value(name: str, value: str) -> object:
    """Return a field's value as plain text; a list of names for authors."""
    if name in TEXT_FIELDS:
        return decode_latex(value)
    if name not in NAMES["BibTeX"]["authors"]:
        return decode_address(value)

    names: list[object] = []
    for author in split_name_list(" ".join(value.split())):
        is_whole = re.fullmatch(r"\{[^{}\\]*\}", author)  # such as a company's name
        names.append({"name": author[1:-1]} if is_whole else decode_latex(author))
    return names
