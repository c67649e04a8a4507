"""Records of a BibTeX file, as Zotero, JabRef, Mendeley and publishers write it.

`text.bibtex_entries` parses the file. Only the fields that are used are decoded (`text.latex`).
"""

import re
from collections.abc import Iterator, Mapping

from pybtex.bibtex.utils import split_name_list

from ...text.bibtex_entries import Entry, parse_entries
from ...text.latex import decode_address, decode_latex
from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, PlacedRecord

VERBATIM = ("id", "doi", "url", "notes")  # of our fields
#: what an entry takes over from the one that its `crossref` or `xdata` names
INHERITED = ("booktitle", "journal", "journaltitle", "year", "date")


def read_bibtex(text: str) -> Iterator[Found]:
    """Yield the entries of a BibTeX file, placed by their first line."""
    entries = list(parse_entries(text))
    # a citation key is the same in upper and lower case
    values_of_key = {entry.values["key"].lower(): entry.values for entry in entries}
    for entry in entries:
        place = f"line {entry.line}"
        if entry.lost:
            yield UnreadRecord(place, entry.lost)
            continue
        fields, flaws = _read_entry(entry, values_of_key)
        if flaws:
            yield Remark(place, "; ".join(flaws))
        yield PlacedRecord(place, fields, NAMES["BibTeX"])


def _read_entry(
    entry: Entry, values_of_key: Mapping[str, Mapping[str, str]]
) -> tuple[dict[str, object], list[str]]:
    """Return an entry's values, those that are used decoded, and what is wrong with it."""
    values = entry.values
    parent_key = values.get("crossref") or values.get("xdata") or ""
    parent = values_of_key.get(parent_key.strip().lower(), {})
    # proceedings have their name as a title
    parent = {"booktitle": parent.get("title", ""), **parent}
    values = {**{name: parent[name] for name in INHERITED if name in parent}, **values}

    flaws = list(entry.flaws)
    fields: dict[str, object] = dict(values)
    for field, names in NAMES["BibTeX"].items():
        for name in values.keys() & set(names):
            try:
                fields[name] = _decode_value(field, values[name])
            except Exception as error:
                flaws.append(f"{name} has LaTeX that cannot be read: it stays ({error!r:.60})")

    return fields, flaws


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
