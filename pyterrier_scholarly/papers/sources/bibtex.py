"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

pybtex reads values and resolves `@string`; the way through an entry is ours, so that a missing
comma, key or closing brace costs no more than it must. Only the fields that are used are decoded,
by pylatexenc. "%" and "&" are characters, as they are for BibTeX itself.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pybtex.bibtex.utils import split_name_list
from pybtex.database.input.bibtex import LowLevelParser
from pybtex.scanner import Pattern, PrematureEOF, PybtexSyntaxError
from pybtex.utils import CaseInsensitiveDict

from ...text.latex import decode_address, decode_latex
from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, PlacedRecord

VERBATIM = ("doi", "url", "notes")  # of our fields
#: what an entry takes over from the one that its `crossref` or `xdata` names
INHERITED = ("booktitle", "journal", "journaltitle", "year", "date")

NO_RECORDS = ("comment", "preamble", "string")
START = r"@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{(]"
ENTRY_ON_A_LINE = re.compile(rf"^[ \t]*{START}", re.MULTILINE)
ENTRY = re.compile(rf"(?P<percent>^[ \t]*%[^\n@]*)?{START}", re.MULTILINE)
#: behind a file's text, where the parser looks for "#" or a comma
END = "\n\0"


class Entry(NamedTuple):
    """An entry, with its values as they stand. flaws: what is missing in it."""

    place: str
    values: dict[str, str]
    flaws: list[str]


def read_bibtex(text: str) -> Iterator[Found]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    found = list(_parse_entries(text))
    # a citation key is the same in upper and lower case
    entries = [item for item in found if isinstance(item, Entry)]
    values_of_key = {entry.values["key"].lower(): entry.values for entry in entries}
    for item in found:
        if isinstance(item, Entry):
            yield from _read_entry(item, values_of_key)
        else:
            yield item


def _parse_entries(text: str) -> Iterator[Entry | UnreadRecord]:
    """Yield entries, and what cannot be parsed; the parser goes on with the next entry."""
    parser = _EntryParser(text + END, macros=CaseInsensitiveDict())
    line = 1
    last_start = 0
    while (match := ENTRY.search(text, parser.pos)) is not None:
        line += text.count("\n", last_start, match.start())
        last_start = match.start()
        parser.pos = match.start("kind")
        if match["percent"]:
            continue  # somebody took the entry out
        kind, content = match["kind"], ""
        try:
            if kind.lower() == "comment":  # with the entries in it
                parser.pos = match.end()
                list(parser.parse_string(parser.RBRACE))
            else:
                _, content = parser.parse_command()
        except PybtexSyntaxError as error:
            content = parser.describe(error)
            # the rest of the file may be inside of an open brace
            following = ENTRY_ON_A_LINE.search(text, match.end())
            parser.pos = following.start() if following else len(text)

        if kind.lower() in NO_RECORDS:
            continue
        if isinstance(content, str):
            yield UnreadRecord(f"line {line}", content)
            continue
        values = {"key": content[0]}
        for name, parts in content[1]:
            values.setdefault(name.lower(), "".join(parts))  # of a field twice, the first
        yield Entry(f"line {line}", values, parser.flaws)


class _EntryParser(LowLevelParser):
    """pybtex's parser, which goes on where BibTeX files of today have a flaw."""

    NAME = Pattern(r"[^\s=,{}()\"#%]+", "a name")
    NUMBER = Pattern(r"\d+(?=[\s,#})])", "a number")
    KEY = Pattern(r"[^,={}\"\n]*?(?=\s*,)", "a key")
    FIELD = Pattern(r"[^\s=,{}()\"#%@][^\s=,{}()\"#%]*(?=\s*=)", "a field")

    # attributes of pybtex's parser, which has no types
    text: str  # type: ignore[assignment]
    current_entry_key: str | None  # type: ignore[assignment]
    current_fields: list[tuple[str, list[str]]]  # type: ignore[assignment]
    current_value: list[str]  # type: ignore[assignment]

    flaws: list[str]
    is_in_value = False

    def parse_entry_body(self, body_end: Pattern) -> None:
        """Parse key and fields; a missing key, comma or closing brace is noted as a flaw."""
        self.flaws = []
        self.is_in_value = False
        key = self.optional([self.KEY])
        self.current_entry_key = key.value.strip() if key else ""
        if key is None:
            self.flaws.append("it has no key")

        is_behind_comma = key is None
        while True:
            while self.optional([self.COMMA]):
                is_behind_comma = True
            field = self.optional([self.FIELD])
            if field is None:
                return
            if not is_behind_comma:
                self.flaws.append(f"a comma is missing before {field.value}")
            self.required([self.EQUALS])
            self.is_in_value = True
            self.parse_value()
            self.is_in_value = False
            self.current_fields.append((field.value, self.current_value))
            is_behind_comma = False

    def substitute_macro(self, name: str) -> str:
        """Return the text of an `@string`; an unknown one leaves its name, such as a month's."""
        return self.macros.get(name, name)

    def handle_error(self, error: PybtexSyntaxError) -> None:
        """Go on if nothing but an entry's closing brace is missing."""
        line_start = self.text.rfind("\n", 0, self.pos) + 1
        is_on_new_line = not self.text[line_start : self.pos].strip()
        is_at_next_entry = is_on_new_line and re.match(START, self.text[self.pos : self.pos + 99])
        is_at_end = self.text.startswith(END.strip(), self.pos)
        # the brace may be missing in the last value, which then has the fields behind it
        last_value = "".join(self.current_value)
        is_complete = self.current_fields and not re.search(r",\s*[\w-]+\s*=", last_value)
        if self.is_in_value or not is_complete or not (is_at_next_entry or is_at_end):
            raise error
        self.flaws.append("it is not closed")

    def describe(self, error: PybtexSyntaxError) -> str:
        """Say why an entry is not read."""
        if isinstance(error, PrematureEOF):
            return "an entry that is not closed"
        found = " ".join(self.text[self.pos : self.pos + 60].split())
        return f"an entry that cannot be read from {found!r} on: is a comma or a brace missing?"


def _read_entry(
    entry: Entry, values_of_key: Mapping[str, Mapping[str, str]]
) -> Iterator[PlacedRecord | Remark]:
    """Yield an entry with its used values decoded, and a remark on what is wrong with it."""
    values = entry.values
    parent_key = values.get("crossref") or values.get("xdata") or ""
    parent = values_of_key.get(parent_key.strip().lower(), {})
    inherited = {name: parent[name] for name in INHERITED if name in parent}
    if "title" in parent:  # proceedings have their name as a title
        inherited.setdefault("booktitle", parent["title"])
    values = {**inherited, **values}

    flaws = list(entry.flaws)
    fields: dict[str, object] = dict(values)
    for field, names in NAMES["BibTeX"].items():
        for name in values.keys() & set(names):
            try:
                fields[name] = _decode_value(field, values[name])
            except Exception as error:
                flaws.append(f"{name} has LaTeX that cannot be read: it stays ({error!r:.60})")

    if flaws:
        yield Remark(entry.place, "; ".join(flaws))
    yield PlacedRecord(entry.place, fields, NAMES["BibTeX"])


def _decode_value(field: str, value: str) -> object:
    """Return a value of our field as plain text; a list of names for authors."""
    if field in VERBATIM:
        return decode_address(value)
    if field != "authors":
        return value if field == "id" else decode_latex(value)

    names: list[object] = []
    for author in split_name_list(" ".join(value.split())):
        is_whole = re.fullmatch(r"\{[^{}\\]*\}", author)  # such as a company's name
        names.append({"name": author[1:-1]} if is_whole else decode_latex(author))
    return names
