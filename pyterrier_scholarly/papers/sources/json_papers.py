"""Records of a JSON file: a list, or an answer of a service with a list in it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..paper_record import UnreadRecord
from . import openalex_papers, semantic_scholar_papers
from .record_places import PlacedRecord, parse_json, read_file_text

LIST_FIELDS = (
    *openalex_papers.LIST_FIELDS,
    *semantic_scholar_papers.LIST_FIELDS,
    *("papers", "items"),
)


def read_json_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        content = parse_json(read_file_text(path))
    except ValueError as error:
        yield UnreadRecord(path.name, str(error))
        return

    records = find_list(content)
    if records is None:
        expected = f"expected a list of papers, or one under {', '.join(LIST_FIELDS)}"
        yield UnreadRecord(path.name, f"no list of papers: {expected}")
        return
    for number, record in enumerate(records, 1):
        yield PlacedRecord(f"{path.name}, paper {number}", record)


def find_list(content: object) -> list | None:
    """Return the list of records in a file's content; a single record is a list of one."""
    if isinstance(content, list):
        return content
    if not isinstance(content, Mapping):
        return None
    for name in LIST_FIELDS:
        if isinstance(content.get(name), list):
            return content[name]
    return [content] if "title" in content else None
