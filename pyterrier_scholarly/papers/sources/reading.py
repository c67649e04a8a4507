"""Read a source of papers by its form.

    for record in read_source("export.bib"):
        if isinstance(record, UnreadRecord):
            print(record.place, record.reason)

A file's form is known by its ending, that of a record by its fields. To add a form, write its row
of ``field_names.csv`` and a function for READERS; for records of JSON, add it to FORMATS there.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import pandas as pd

from ... import datasets
from ...arguments import Rule, check_arguments
from ...typed_records import Record, shortened
from ..paper_record import PaperRecord, Remark, UnreadRecord
from .bibtex import read_bibtex
from .fields import Found, PlacedRecord, read_fields
from .json_records import choose_names, place_records, read_json, read_json_lines
from .ris import read_ris
from .tables import PLAIN, read_table

#: ending of a file -> what yields the records of its text
READERS: dict[str, Callable[[str], Iterator[Found]]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".bib": read_bibtex,
    ".ris": read_ris,
}
EXPECTED = f"a file ({', '.join(READERS)}), the id of a dataset, a frame, or dicts or documents"


Source: TypeAlias = Annotated[
    datasets.DatasetLike | os.PathLike | pd.DataFrame | Iterable[Mapping | tuple],
    Rule(
        "a file, the id of a dataset, a frame, or a list of records with 'title' and 'abstract'",
        lambda source: not isinstance(source, Mapping),  # a single record
    ),
]


@check_arguments
def read_source(source: Source) -> Iterator[PaperRecord | UnreadRecord | Remark]:
    """Yield the papers of a source, what of it is none, and remarks on how it was read.

    Args:
        source: a file, or a folder of such files: JSON lines (``.jsonl``), JSON (``.json``: a list,
            CSL-JSON, or an answer of Crossref, OpenAlex or Semantic Scholar), CSV (``.csv``),
            BibTeX (``.bib``) or RIS (``.ris``); the id of a dataset of ir_datasets, such as
            ``"litsearch"``, or the dataset; a data frame; dicts; documents of ir_datasets.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a file of an unknown ending, or another kind of source.
    """
    for found in find_records(source):
        yield understand_record(found) if isinstance(found, PlacedRecord) else found


def find_records(source: Source) -> Iterator[Found]:
    """Yield the records of a source with their places, before they are understood."""
    if isinstance(source, pd.DataFrame):
        yield from place_records("row", source.to_dict("records"))
    elif hasattr(source, "docs_iter") or hasattr(source, "irds_ref"):
        for document in datasets.irds(source).docs_iter():
            yield PlacedRecord(f"document {document.doc_id}", document)
    elif not isinstance(source, (str, os.PathLike)):
        if not isinstance(source, Iterable):
            raise ValueError(f"source={source!r:.80}: expected {EXPECTED}.")
        yield from place_records("paper", source)
    elif Path(source).is_dir():
        # macOS writes "._export.bib" beside a file
        files = [f for f in sorted(Path(source).glob("[!.]*")) if f.suffix.lower() in READERS]
        if not files:
            raise ValueError(f"Folder {source} has no file of papers: expected {EXPECTED}.")
        for file in files:
            yield from read_file(file)
    elif Path(source).is_file():
        yield from read_file(Path(source))
    else:
        try:
            dataset = datasets.irds(str(source))
        except ValueError:
            raise FileNotFoundError(
                f"There is no file or dataset {source}: expected {EXPECTED}."
            ) from None
        yield from _prefix_places(str(source), find_records(dataset))


def read_file(path: Path) -> Iterator[Found]:
    """Yield the records of a file, by its ending; places begin with its name."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(
            f"{path} is not one of {', '.join(READERS)}: export it in one of these forms, or pass "
            "dicts."
        )
    text, encoding = decode_bytes(path.read_bytes())
    if encoding:
        reason = f"not UTF-8: read as {encoding}; save it as UTF-8 if letters differ"
        yield Remark(path.name, reason)
    yield from _prefix_places(path.name, reader(text))


def _prefix_places(name: str, records: Iterable[Found]) -> Iterator[Found]:
    """Yield records, their places behind the name of their file or dataset."""
    for found in records:
        yield found._replace(place=f"{name}, {found.place}".removesuffix(", "))


def decode_bytes(content: bytes) -> tuple[str, str]:
    r"""Return a file's text, with "\n" at the ends of lines, and its encoding if it is a guess.

    Without a mark at its beginning, it is UTF-8, or UTF-16 if it has zero bytes. Bytes that are not
    UTF-8 are Windows-1252, as of most files of Latin letters. Where words have no Latin letter,
    charset-normalizer says.

    >>> decode_bytes("Müll".encode("cp1252"))
    ('Müll', 'Windows-1252')
    """
    encoding = ""
    if b"\0" in content[:1000]:
        text = content.decode("utf-16-be" if content[0] == 0 else "utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text, encoding = _decode_by_guess(content)

    text = text.replace("\r\n", "\n")
    # a carriage return alone ends lines of old Macs, and else is a character of a cell
    return text.replace("\r", " " if "\n" in text else "\n"), encoding


def _decode_by_guess(content: bytes) -> tuple[str, str]:
    """Return the text of bytes that are not UTF-8, and the encoding."""
    bytes_in_words = b"".join(re.findall(rb"[\x80-\xff]{3,}", content))
    if len(bytes_in_words) > len(re.findall(rb"[\x80-\xff]", content)) / 2:
        from charset_normalizer import from_bytes

        best = from_bytes(content).best()
        if best is not None:
            return str(best), best.encoding

    # a file may be put together from several: what is UTF-8 in it, is read so
    text = content.decode("utf-8-sig", "surrogateescape")

    def decode_rest(escaped: re.Match[str]) -> str:
        return escaped[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")

    return re.sub("[\udc80-\udcff]+", decode_rest, text), "Windows-1252"


def understand_record(found: PlacedRecord) -> PaperRecord | UnreadRecord | Remark:
    """Return a record as a paper; else why it is none."""
    content = found.content
    if content is None:  # a paper that a service does not know
        return Remark(found.place, "null: no paper")
    try:
        if hasattr(content, "_asdict"):  # ir_datasets' documents are named tuples
            content = _list_fields(content)
        if not isinstance(content, Mapping):
            raise ValueError(
                f"{shortened.repr(content)} is no paper: expected an object with a title"
            )
        fields, names = (content, found.names) if found.names else choose_names(content)
        record = read_fields(fields, names)
    except ValueError as error:
        return UnreadRecord(found.place, str(error))

    if not record.title and not record.abstract:
        return UnreadRecord(found.place, "neither a title nor an abstract")
    return record._replace(place=found.place)


def _list_fields(document: Record) -> dict[str, object]:
    """Return the fields of a document of ir_datasets.

    A document whose type has no field for an abstract, such as one with `doc_id`, `title` and
    `body`, has its default text as abstract.
    """
    fields = document._asdict()
    if fields.keys().isdisjoint(PLAIN["abstract"]) and hasattr(document, "default_text"):
        fields["text"] = document.default_text()  # a name of `PLAIN`
    return fields
