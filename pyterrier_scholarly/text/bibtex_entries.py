"""Parse BibTeX files into entries, with their values as they stand.

    >>> [entry] = parse_entries('@misc{a, title = "On " # {oaks} year = 2019}')
    >>> entry.values["title"], entry.flaws
    ('On oaks', ['a comma is missing before year'])

pybtex reads values and resolves `@string`; the way through an entry is ours, so that a missing
comma, key or closing brace costs no more than it must.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pybtex.database.input.bibtex import LowLevelParser
from pybtex.scanner import Pattern, PrematureEOF, PybtexSyntaxError
from pybtex.utils import CaseInsensitiveDict

NO_RECORDS = ("comment", "preamble", "string")
START = r"@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{(]"
ENTRY_ON_A_LINE = re.compile(rf"^[ \t]*{START}", re.MULTILINE)
ENTRY = re.compile(rf"(?P<percent>^[ \t]*%[^\n@]*)?{START}", re.MULTILINE)


class Entry(NamedTuple):
    """An entry, with its values as they stand.

    line: its first, from 1.
    values: by the names of fields, and the citation key as "key".
    flaws: what is missing in it.
    lost: why it cannot be read; "" if it can.
    """

    line: int
    values: dict[str, str]
    flaws: list[str]
    lost: str = ""


def parse_entries(text: str) -> Iterator[Entry]:
    """Yield entries, and what cannot be parsed; the parser goes on with the next entry."""
    parser = _EntryParser(text, macros=CaseInsensitiveDict())
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
            yield Entry(line, {"key": ""}, [], content)
            continue
        values = {"key": content[0]}
        for name, parts in content[1]:
            values.setdefault(name.lower(), "".join(parts))  # of a field twice, the first
        yield Entry(line, values, parser.flaws)


class _EntryParser(LowLevelParser):
    """pybtex's parser, which goes on where BibTeX files of today have a flaw."""

    NAME = Pattern(r"[^\s=,{}()\"#%]+", "a name")
    NUMBER = Pattern(r"\d+(?=[\s,#})])", "a number")
    KEY = Pattern(r"[^,={}\"\n]*?(?=\s*,)", "a key")
    FIELD = Pattern(r"[^\s=,{}()\"#%@][^\s=,{}()\"#%]*(?=\s*=)", "a field")

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
        """Go on if nothing but the closing brace is missing before the next entry."""
        line_start = self.text.rfind("\n", 0, self.pos) + 1
        is_on_new_line = not self.text[line_start : self.pos].strip()
        is_at_next_entry = is_on_new_line and re.match(START, self.text[self.pos : self.pos + 99])
        # the brace may be missing in the last value, which then has the fields behind it
        last_value = "".join(self.current_value)
        is_complete = self.current_fields and not re.search(r",\s*[\w-]+\s*=", last_value)
        if self.is_in_value or not is_complete or not is_at_next_entry:
            raise error
        self.flaws.append("it is not closed")

    def describe(self, error: PybtexSyntaxError) -> str:
        """Say why an entry is not read."""
        if isinstance(error, PrematureEOF):
            return "an entry that is not closed"
        found = " ".join(self.text[self.pos : self.pos + 60].split())
        return f"an entry that cannot be read from {found!r} on: is a comma or a brace missing?"
