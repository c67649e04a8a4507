"""Read a source of papers by its form.

    for record in read_source("export.bib"):
        if isinstance(record, UnreadRecord):
            print(record.place, record.reason)

A file's form is known by its ending, that of a record by its fields. To add a form, write its row
of ``field_names.csv`` and a function for READERS; for records of JSON, add it to FORMATS there.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, runtime_checkable

import pandas as pd

from ir_datasets_ext.typed_records import Record, shortened

from ... import datasets
from ...arguments import Rule, check_arguments
from ...text.decoding import decode_bytes
from ..paper_record import PaperRecord, Remark, UnreadRecord
from .bibtex import read_bibtex
from .fields import Found, PlacedRecord, place_records, read_fields
from .json_records import choose_names, read_json, read_json_lines
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


@runtime_checkable
class HasDocuments(Protocol):
    """A dataset of ir_datasets."""

    def docs_iter(self) -> Iterator[tuple]:
        """Yield the documents."""


Source: TypeAlias = Annotated[
    str | os.PathLike | pd.DataFrame | Iterable[Mapping | tuple] | HasDocuments,
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
        if isinstance(found, PlacedRecord):
            yield understand_record(found)
        else:
            yield found


def find_records(source: Source) -> Iterator[Found]:
    """Yield the records of a source with their places, before they are understood."""
    if isinstance(source, (str, os.PathLike)):
        yield from find_records_of_name(source)
    elif isinstance(source, pd.DataFrame):
        yield from place_records("row", source.to_dict("records"))
    elif isinstance(source, HasDocuments) or hasattr(source, "irds_ref"):
        for document in datasets.irds(source).docs_iter():
            yield PlacedRecord(f"document {document.doc_id}", document)
    else:
        yield from place_records("paper", source)


def find_records_of_name(name: str | os.PathLike) -> Iterator[Found]:
    """Yield the records of a file, of a folder's files, or of a dataset."""
    path = Path(name)
    if path.is_dir():
        # macOS writes "._export.bib" beside a file
        files = [file for file in sorted(path.glob("[!.]*")) if file.suffix.lower() in READERS]
        if not files:
            raise ValueError(f"Folder {path} has no file of papers: expected {EXPECTED}.")
        for file in files:
            yield from read_file(file)
    elif path.is_file():
        yield from read_file(path)
    else:
        try:
            dataset = datasets.irds(str(name))
        except ValueError:
            raise FileNotFoundError(
                f"There is no file or dataset {name}: expected {EXPECTED}."
            ) from None
        yield from _prefix_places(str(name), find_records(dataset))


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


def understand_record(found: PlacedRecord) -> PaperRecord | UnreadRecord:
    """Return a record as a paper; else why it is none."""
    content = found.content
    try:
        if hasattr(content, "_asdict"):  # ir_datasets' documents are named tuples
            content = _list_fields(content)
        if not isinstance(content, Mapping):
            is_tuple = isinstance(content, tuple)
            expected = (
                "a dict or a document of ir_datasets" if is_tuple else "an object with a title"
            )
            raise ValueError(f"{shortened.repr(content)} is no paper: expected {expected}")
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
