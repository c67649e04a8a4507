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
    from bibtexparser.model import Entry

#: commands that Zotero writes for markup, and that the decoder drops
DROPPED_COMMANDS = {
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
    from bibtexparser.model import Entry, ParsingFailedBlock

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # each failure is yielded below
    # such as month = jan, or a journal's abbreviation; the rest is done entry by entry, so that
    # entries that the parser sets aside are read like the others
    resolve_names = ResolveStringReferencesMiddleware()
    library = bibtexparser.parse_string(read_file_text(path), parse_stack=[resolve_names])

    for block in library.blocks:
        place = f"{path.name}, line {1 + (block.start_line or 0)}"
        if isinstance(block, ParsingFailedBlock) and block.ignore_error_block is not None:
            entry = block.ignore_error_block  # only its key, or a field's, stands there twice
        else:
            entry = block

        if isinstance(entry, Entry):
            yield _read_entry(place, entry, library)
        elif isinstance(block, ParsingFailedBlock):
            yield UnreadRecord(place, "an entry that is not closed, or has no key or no commas")


def _read_entry(place: str, entry: "Entry", library: "Library") -> PlacedRecord | UnreadRecord:
    """Return an entry with its values resolved; of a field that stands there twice, the first."""
    from bibtexparser.middlewares import LatexDecodingMiddleware, RemoveEnclosingMiddleware
    from bibtexparser.model import Entry

    for field in entry.fields:
        field.value = _resolve_entities(str(field.value))
        for character, command in DROPPED_COMMANDS.items():
            field.value = command.sub(character, field.value)
    for middleware in (RemoveEnclosingMiddleware(), LatexDecodingMiddleware()):
        decoded = middleware.transform_entry(entry, library)
        if not isinstance(decoded, Entry):
            return UnreadRecord(place, "an entry with LaTeX that cannot be decoded")
        entry = decoded

    fields: dict[str, object] = {"id": entry.key}
    for field in entry.fields:
        fields.setdefault(field.key.lower(), str(field.value))
    return PlacedRecord(place, fields)


def _resolve_entities(text: str) -> str:
    """Return a text of LaTeX with the characters that entities of HTML stand for."""

    def resolve(match: re.Match[str]) -> str:
        character = html.unescape(match[0].removeprefix("\\"))
        # the decoder of LaTeX drops a bare "&", which separates columns there
        return "\\&" if character == "&" else character

    return ENTITY.sub(resolve, text)
