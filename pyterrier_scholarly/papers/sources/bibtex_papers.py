"""Records of a BibTeX file, as Zotero, JabRef and publishers write it."""

import html
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..paper_record import UnreadRecord
from .record_places import PlacedRecord, read_file_text

if TYPE_CHECKING:
    from bibtexparser import Library
    from bibtexparser.model import Block, Entry

#: character -> the command that Zotero writes for it in markup; the decoder would drop it
COMMAND_OF_CHARACTER = {
    "<": re.compile(r"\\textless(\{\}|\b)"),
    ">": re.compile(r"\\textgreater(\{\}|\b)"),
}
#: such as "&amp;", which publishers leave in BibTeX
ENTITY = re.compile(r"\\?&(?:[a-zA-Z]+|#\d+|#x[0-9a-fA-F]+);")


def read_bibtex_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the entries of a BibTeX file, placed by their first line, with the key as `id`.

    An entry whose key another one has is read, too. Braces and LaTeX's accents are resolved.
    """
    import bibtexparser
    from bibtexparser.middlewares import ResolveStringReferencesMiddleware
    from bibtexparser.model import ParsingFailedBlock

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # each failure is yielded below
    # Names of strings, such as month = jan or a journal's abbreviation, need the whole file. All
    # else is resolved entry by entry, also in entries that the parser sets aside.
    resolve_names = ResolveStringReferencesMiddleware()
    library = bibtexparser.parse_string(read_file_text(path), parse_stack=[resolve_names])

    for block in library.blocks:
        line = 1 + (block.start_line or 0)  # the parser counts from 0
        place = f"{path.name}, line {line}"
        entry = _find_entry(block)
        if entry is not None:
            yield _read_entry(place, entry, library)
        elif isinstance(block, ParsingFailedBlock):
            yield UnreadRecord(place, "an entry that is not closed, or has no key or no commas")


def _find_entry(block: "Block") -> "Entry | None":
    """Return the entry of a block of a BibTeX file; None for a comment, or what cannot be parsed.

    The parser reports an entry whose key, or a field's, stands there twice as failed, with the
    entry as `ignore_error_block`: it can be read.
    """
    from bibtexparser.model import Entry, ParsingFailedBlock

    if isinstance(block, ParsingFailedBlock) and block.ignore_error_block is not None:
        block = block.ignore_error_block
    return block if isinstance(block, Entry) else None


def _read_entry(place: str, entry: "Entry", library: "Library") -> PlacedRecord | UnreadRecord:
    """Return an entry with its values resolved; of a field that stands there twice, the first."""
    from bibtexparser import middlewares, model

    for field in entry.fields:
        field.value = _prepare_value(str(field.value))

    without_braces = middlewares.RemoveEnclosingMiddleware().transform_entry(entry, library)
    decoded = middlewares.LatexDecodingMiddleware().transform_entry(without_braces, library)
    if not isinstance(decoded, model.Entry):
        return UnreadRecord(place, "an entry with LaTeX that cannot be decoded")

    fields: dict[str, object] = {"id": decoded.key}
    for field in decoded.fields:
        fields.setdefault(field.key.lower(), str(field.value))
    return PlacedRecord(place, fields)


def _prepare_value(value: str) -> str:
    """Return a field's value with what the decoder of LaTeX would drop as plain characters."""
    value = _resolve_entities(value)
    for character, command in COMMAND_OF_CHARACTER.items():
        value = command.sub(character, value)
    return value


def _resolve_entities(text: str) -> str:
    """Return a text of LaTeX with the characters that entities of HTML stand for."""

    def resolve(match: re.Match[str]) -> str:
        character = html.unescape(match[0].removeprefix("\\"))
        # the decoder of LaTeX drops a bare "&", which separates columns there
        return "\\&" if character == "&" else character

    return ENTITY.sub(resolve, text)
