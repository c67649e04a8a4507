"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

pybtex reads values and resolves `@string`; the way through an entry is ours, so that a missing
comma, key or closing brace costs no more than it must. Only the fields that are used are decoded,
by pylatexenc. "%" and "&" are characters, as they are for BibTeX itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from pybtex.bibtex.utils import split_name_list
from pybtex.database.input.bibtex import LowLevelParser
from pybtex.scanner import Pattern, PrematureEOF, PybtexSyntaxError
from pybtex.utils import CaseInsensitiveDict

from ..paper_record import Remark, UnreadRecord
from .fields import Names, PlacedRecord

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexMacroNode

NAMES: Names = {
    "id": ("key",),  # of the entry
    "title": ("title",),
    "abstract": ("abstract", "abstractnote", "summary"),
    "year": ("year", "date", "issued", "pubdate"),
    "doi": ("doi", "eprint"),
    "notes": ("note", "annote", "annotation", "howpublished", "addendum"),
    "authors": ("author", "authors"),
    "venue": ("venue", "journal", "journaltitle", "booktitle"),
    "url": ("url", "link", "links", "ee", "bdsk-url-1"),
}
AUTHORS = NAMES["authors"]
VERBATIM = (*NAMES["doi"], *NAMES["url"], *NAMES["notes"])
DECODED = (*NAMES["title"], *NAMES["abstract"], *NAMES["year"], *NAMES["venue"])
#: what an entry takes over from the one that its `crossref` or `xdata` names
INHERITED = ("booktitle", "journal", "journaltitle", "year", "date")

ENTRY = re.compile(r"@[ \t]*(?P<kind>[A-Za-z]\w*)\s*[{(]")
ENTRY_ON_A_LINE = re.compile(rf"^[ \t]*{ENTRY.pattern}", re.MULTILINE)
#: behind a file's text, where the parser looks for "#" or a comma
END = "\n\0"


class Entry(NamedTuple):
    """An entry, with its values as they stand. flaws: what is missing in it."""

    place: str
    key: str
    values: dict[str, str]
    flaws: list[str]


def read_bibtex(text: str) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    found = list(_parse_entries(text))
    # a citation key is the same in upper and lower case
    values_of_key = {item.key.lower(): item.values for item in found if isinstance(item, Entry)}
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
        line_start = text.rfind("\n", 0, match.start()) + 1
        parser.pos = match.start() + 1
        if text[line_start : match.start()].lstrip().startswith("%"):
            continue  # somebody took the entry out

        line += text.count("\n", last_start, match.start())
        last_start = match.start()
        kind = match["kind"].lower()
        parser.flaws = []
        try:
            if kind == "comment":
                parser.skip_comment()
                continue
            _, content = parser.parse_command()
        except PybtexSyntaxError as error:
            reason = parser.describe(error)
            # the rest of the file may be inside of an open brace
            following = ENTRY_ON_A_LINE.search(text, match.end())
            parser.pos = following.start() if following else len(text)
            if kind not in ("comment", "string", "preamble"):
                yield UnreadRecord(f"line {line}", reason)
            continue

        if kind not in ("string", "preamble"):
            key, fields = content
            values: dict[str, str] = {}
            for name, parts in fields:
                values.setdefault(name.lower(), "".join(parts))  # of a field twice, the first
            yield Entry(f"line {line}", key or "", values, parser.flaws)


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

    flaws: list[str]
    is_in_value = False

    def skip_comment(self) -> None:
        """Skip a comment in braces, with the entries in it."""
        self.skip_to([self.LBRACE, self.LPAREN])
        for _ in self.parse_string(self.RBRACE):
            pass

    def parse_entry_body(self, body_end: Pattern) -> None:
        """Parse key and fields; a missing key, comma or closing brace is noted as a flaw."""
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
        is_at_next_entry = is_on_new_line and ENTRY.match(self.text, self.pos) is not None
        is_at_end = self.text.startswith(END.strip(), self.pos)
        if self.is_in_value or not self.current_fields or not (is_at_next_entry or is_at_end):
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
    """Yield an entry with its values decoded, and a remark on what is missing in it."""
    values = dict(entry.values)
    parent_key = values.get("crossref") or values.get("xdata") or ""
    parent = values_of_key.get(parent_key.strip().lower(), {})
    for name in INHERITED:
        if name in parent:
            values.setdefault(name, parent[name])
    if "title" in parent:  # proceedings have their name as a title
        values.setdefault("booktitle", parent["title"])

    flaws = list(entry.flaws)
    fields: dict[str, object] = {"key": entry.key}
    for name in values.keys() & {*VERBATIM, *DECODED, *AUTHORS}:
        try:
            fields[name] = _decode_value(name, values[name])
        except Exception as error:
            fields[name] = values[name]
            flaws.append(
                f"{name} has LaTeX that cannot be read, and stays as it is ({error!r:.80})"
            )

    if flaws:
        yield Remark(entry.place, "; ".join(flaws))
    yield PlacedRecord(entry.place, fields, NAMES)


def _decode_value(name: str, value: str) -> object:
    """Return a field's value as plain text; a list of names for authors."""
    if name in VERBATIM:
        return decode_address(value)
    if name not in AUTHORS:
        return decode_latex(value)

    names: list[object] = []
    for author in split_name_list(" ".join(value.split())):
        is_whole = re.fullmatch(r"\{[^{}\\]*\}", author) is not None  # such as a company's name
        names.append({"name": author[1:-1]} if is_whole else decode_latex(author))
    return names


# LaTeX

#: what is no LaTeX in an address: escapes, braces, "\url", and "<" of an old DOI as a formula
ADDRESS_MARKS = re.compile(r"\\url\b|\\(?=[_%&#~{}$^])|[{}]|\$(?=[<>]\$)|(?<=[<>])\$")
ADDRESS_COMMANDS = {r"\textless": "<", r"\textgreater": ">", r"\textasciitilde": "~"}
#: a command; a character that is none; a formula. Without a command or an index, it is one as for
#: pandoc: no "$5 and $10"
CHARACTERS = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+|.|$))|(?P<plain>[%&#])"
    r"|(?P<formula>\$\$?(?:[^$\s]*[\\^_](?:\\.|[^$\\])*?|[^\w\s$])\$\$?"
    r"|\$\$?(?=\S)(?:\\.|[^$\\])+?(?<=\S)\$\$?(?!\d))|\$",
    re.DOTALL,
)
#: commands that pylatexenc drops, or shows otherwise -> their text
TEXT_OF_COMMAND = {
    **{"textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "slash": "/"},
    **{"textquotedbl": '"', "textasciicircum": "^", "LaTeX": "LaTeX", "TeX": "TeX"},
    **dict.fromkeys(("item", "newline", "par", "linebreak", "quad", "qquad", "hfill"), " "),
    **dict.fromkeys(("-", "allowbreak"), ""),
}
#: commands whose arguments are no text
DROPPED = ("cite", "citep", "citet", "ref", "label", "noopsort", "vspace", "hspace")
#: commands that change the letters behind them
DECLARATIONS = (
    *("it", "bf", "em", "rm", "tt", "sc", "sl", "sf", "itshape", "bfseries", "upshape", "scshape"),
    *("small", "large", "tiny", "normalfont", "displaystyle", "textstyle", "boldmath", "relax"),
    *("left", "right", "big", "Big", "bigl", "bigr", "noindent", "centering", "ignorespaces"),
)
#: commands with more arguments than their text, which is the last; and how many they have
LAST_ARGUMENT = {
    **{"url": "{", "section": "*[{", "subsection": "*[{", "paragraph": "*[{", "footnote": "[{"},
    **{"href": "{{", "textcolor": "[{{", "foreignlanguage": "[{{"},
}


def decode_address(value: str) -> str:
    r"""Return an address or a DOI without LaTeX's escapes.

    >>> decode_address(r"\url{https://a.org/b\_c?d=%20}")
    'https://a.org/b_c?d=%20'
    """
    for command, character in ADDRESS_COMMANDS.items():
        value = value.replace(command, character)
    return ADDRESS_MARKS.sub("", value)


def decode_latex(value: str) -> str:
    r"""Return LaTeX as plain text; "%", "&" and "#" are characters, with a backslash or without.

    >>> decode_latex(r"{\"U}ber 5% of CO$_2$ \& \unknown{more}")
    'Über 5% of CO2 & more'
    """
    if not re.search(r"[\\{}$~%&#]|--|``|''", value):
        return value
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return _load_decoder()(CHARACTERS.sub(_escape_character, value))
    except LatexWalkerError:  # no formulas, but amounts of money
        without_formulas = re.sub(r"(?<!\\)\$", r"\\$", value)
        return _load_decoder()(CHARACTERS.sub(_escape_character, without_formulas))


def _escape_character(match: re.Match[str]) -> str:
    """Return a match of CHARACTERS as LaTeX has to have it."""
    if match["command"]:
        return match[0]
    if match["formula"]:
        formula = re.sub(r"\^\{?\\circ\b\}?", "°", match[0])
        without_subscripts = re.sub(r"(?<!\\)_", "", formula)
        return re.sub(r"(?<!\\)[%&#]", r"\\\g<0>", without_subscripts)
    return f"\\{match[0]}"


@cache
def _load_decoder() -> Callable[[str], str]:
    """Return pylatexenc's decoder, which leaves the arguments of commands that it does not know."""
    from pylatexenc import latex2text, latexwalker, macrospec

    def show_arguments(node: "LatexMacroNode", l2tobj: "LatexNodes2Text") -> str:
        if node.macroname in (*DROPPED, *DECLARATIONS):
            return " " if node.macroname in DROPPED else ""
        arguments = [argument for argument in node.nodeargd.argnlist if argument is not None]
        if node.macroname in LAST_ARGUMENT:
            arguments = arguments[-1:]
        if arguments:
            return " ".join(l2tobj.nodelist_to_text([argument]) for argument in arguments)
        source = node.parsing_state.s
        has_braces = source.startswith("{", node.pos + node.len)
        text = TEXT_OF_COMMAND.get(node.macroname, "" if has_braces else node.macroname)
        return text + str(node.macro_post_space)

    own_names = (*TEXT_OF_COMMAND, *DECLARATIONS, *LAST_ARGUMENT, *DROPPED)
    shown = [latex2text.MacroTextSpec(name, show_arguments) for name in own_names]
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category("papers", prepend=True, macros=shown)
    texts.set_unknown_macro_spec(latex2text.MacroTextSpec("", show_arguments))

    parsed = [macrospec.std_macro(name, arguments) for name, arguments in LAST_ARGUMENT.items()]
    commands = latexwalker.get_default_latex_context_db()
    commands.add_context_category("papers", prepend=True, macros=parsed)
    decoder = latex2text.LatexNodes2Text(latex_context=texts)
    return partial(decoder.latex_to_text, latex_context=commands, tolerant_parsing=False)
