"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

pybtex reads values and resolves `@string`; the way through an entry is ours, so that a missing
comma, key or closing brace costs no more than it must. Only the fields that are used are decoded.
"""

import re
from collections.abc import Iterator

from pybtex.bibtex.utils import split_name_list
from pybtex.database.input.bibtex import LowLevelParser
from pybtex.scanner import Pattern, PrematureEOF, PybtexSyntaxError

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, PlacedRecord
from .latex import decode_address, decode_latex

ENTRY = re.compile(
    r"(?P<percent>^[ \t]*%[^\n@]*)?@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{(]", re.MULTILINE
)
KEY = Pattern(r"[^,={}\"\n]*?(?=\s*,)", "a key")
FIELD = Pattern(r"[\s,]*[^\s=,{}()\"#%@][^\s=,{}()\"#%]*\s*=", "a field")  # with commas before it
COMMAS = Pattern(r"[\s,]+", "commas")
FIELD_IN_VALUE = re.compile(r",\s*[\w-]+\s*=")

VERBATIM = ("id", "doi", "url", "notes")  # of our fields
#: what an entry takes over from the one that its `crossref` or `xdata` names
INHERITED = ("booktitle", "journal", "journaltitle", "year", "date")


class _ValueParser(LowLevelParser):
    """pybtex's parser, for which more characters are of a name, and an unknown macro is its name.

    Such as a month's.
    """

    NAME = Pattern(r"[^\s=,{}()\"#%]+", "a name")
    NUMBER = Pattern(r"\d+(?=[\s,#})])", "a number")

    def substitute_macro(self, name: str) -> str:
        """Return the text of an `@string`."""
        return self.macros.get(name.lower(), name)


def read_bibtex(text: str) -> Iterator[Found]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    entries = list(_parse_entries(text))
    # a citation key is the same in upper and lower case
    values_of_key = {values["key"].lower(): values for _, values, _ in entries if values}
    for place, values, flaws in entries:
        if not values:
            yield UnreadRecord(place, flaws[0])
            continue

        parent_key = values.get("crossref") or values.get("xdata") or ""
        parent = values_of_key.get(parent_key.strip().lower(), {})
        fields, undecoded = _decode_fields({**_list_inherited(parent), **values})
        flaws.extend(undecoded)

        if flaws:
            yield Remark(place, "; ".join(flaws))
        yield PlacedRecord(place, fields, NAMES["BibTeX"])


def _list_inherited(parent: dict[str, str]) -> dict[str, str]:
    """Return the values that an entry takes over from its parent, which may have none."""
    # proceedings have their name as a title
    named_parent = {"booktitle": parent.get("title", ""), **parent}
    return {name: named_parent[name] for name in INHERITED if name in named_parent}


def _decode_fields(values: dict[str, str]) -> tuple[dict[str, object], list[str]]:
    """Return an entry's values as plain texts, and the flaws of those that stay as they are."""
    fields: dict[str, object] = {**values}
    flaws = []
    for field, names in NAMES["BibTeX"].items():
        for name in names:
            if name not in values:
                continue
            try:
                fields[name] = _decode_value(field, values[name])
            # pylatexenc raises errors of many kinds for what is no LaTeX
            except Exception as error:
                flaws.append(f"{name} has LaTeX that cannot be read: it stays ({error!r:.60})")
    return fields, flaws


def _parse_entries(text: str) -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """Yield the place, the values and the flaws of each entry; no values if it cannot be parsed."""
    parser = _ValueParser(text, macros={})
    while (match := ENTRY.search(text, parser.pos)) is not None:
        parser.pos = match.end()
        if match["percent"]:
            continue  # somebody took the entry out
        kind = match["kind"].lower()
        line = text.count("\n", 0, match.start("kind")) + 1
        try:
            if kind in ("comment", "preamble"):  # with what looks like entries in it
                list(parser.parse_string(parser.RBRACE))
            elif kind == "string":
                macros, _ = _parse_fields(parser)
                parser.macros.update(macros)
            else:
                yield f"line {line}", *_parse_fields(parser)
        except PybtexSyntaxError as error:
            yield f"line {line}", {}, [_describe_error(error, parser)]
            # the rest of the file may be inside of an open brace
            parser.pos = match.end()


def _parse_fields(parser: _ValueParser) -> tuple[dict[str, str], list[str]]:
    """Return an entry's values by the names of fields, the citation key as "key", and its flaws."""
    key = parser.optional([KEY])
    values = {"key": key.value.strip() if key else ""}
    flaws = [] if key else ["it has no key"]

    value = ""
    while field := parser.optional([FIELD]):
        name = field.value.strip("=, \t\n").lower()
        if "," not in field.value and len(values) > 1:
            flaws.append(f"a comma is missing before {name}")

        parser.parse_value()
        value = "".join(parser.current_value)
        values.setdefault(name, value)  # of a field twice, the first
    parser.optional([COMMAS])

    # the brace may be missing in the last value, which then has the fields behind it
    is_complete = value and not FIELD_IN_VALUE.search(value)
    if is_complete and ENTRY.match(parser.text, parser.pos):
        flaws.append("it is not closed")
    else:
        parser.required([parser.RBRACE, parser.RPAREN])
    return values, flaws


def _describe_error(error: PybtexSyntaxError, parser: _ValueParser) -> str:
    """Say why an entry is not read."""
    if isinstance(error, PrematureEOF):
        return "an entry that is not closed"
    found = " ".join(parser.text[parser.pos : parser.pos + 60].split())
    return f"an entry that cannot be read from {found!r} on: is a comma or a brace missing?"


def _decode_value(field: str, value: str) -> object:
    """Return a value of our field as plain text; a list of names for authors."""
    if field in VERBATIM:
        return decode_address(value)
    if field != "authors":
        return decode_latex(value)

    names: list[object] = []
    for author in split_name_list(" ".join(value.split())):
        is_whole = re.fullmatch(r"\{[^{}\\]*\}", author)  # such as a company's name
        names.append({"name": author[1:-1]} if is_whole else decode_latex(author))
    return names
