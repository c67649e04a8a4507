"""Read a source of papers by its form.

    for record in read_source("export.bib"):
        if isinstance(record, UnreadRecord):
            print(record.place, record.reason)

A file's form is known by its ending, that of a record by its fields. To add a form, write a table
of its names and a function, and add a line to READERS here or to FORMS of `json_records`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, runtime_checkable

import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ... import datasets
from ...arguments import Rule, check_arguments
from ...text.decoding import decode_bytes
from ..paper_record import PaperRecord, Remark, UnreadRecord
from .bibtex import read_bibtex
from .fields import Found, PlacedRecord, read_fields
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
        for number, row in enumerate(source.to_dict("records"), 1):
            yield PlacedRecord(f"row {number}", row)
    elif isinstance(source, HasDocuments) or hasattr(source, "irds_ref"):
        for document in datasets.irds(source).docs_iter():
            yield PlacedRecord(f"document {document.doc_id}", document)
    else:
        for number, record in enumerate(source, 1):
            yield PlacedRecord(f"paper {number}", record)


def find_records_of_name(name: str | os.PathLike) -> Iterator[Found]:
    """Yield the records of a file, of a folder's files, or of a dataset."""
    path = Path(name)
    if path.is_dir():
        # macOS writes "._export.bib" beside a file
        files = sorted(path.glob("[!.]*"))
        files = [file for file in files if file.suffix.lower() in READERS and file.is_file()]
        if not files:
            raise ValueError(f"Folder {path} has no file of papers: expected {EXPECTED}.")
        for file in files:
            yield from read_file(file)
    elif path.is_file():
        yield from read_file(path)
    elif isinstance(name, str) and path.suffix.lower() not in READERS and is_dataset(name):
        for document in datasets.irds(name).docs_iter():
            yield PlacedRecord(f"{name}, document {document.doc_id}", document)
    else:
        raise FileNotFoundError(f"There is no file or dataset {name}: expected {EXPECTED}.")


def is_dataset(name: str) -> bool:
    """Return whether a name is the id of a dataset of ir_datasets."""
    try:
        datasets.irds(name)
    except ValueError:
        return False
    return True


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
        yield Remark(
            path.name, f"not UTF-8: read as {encoding}; save it as UTF-8 if letters differ"
        )
    for found in reader(text):
        yield found._replace(place=f"{path.name}, {found.place}".removesuffix(", "))


def understand_record(found: PlacedRecord) -> PaperRecord | UnreadRecord:
    """Return a record as a paper; else why it is none."""
    try:
        record = _read_content(found)
    except ValueError as error:
        return UnreadRecord(found.place, str(error))
    if not record.title and not record.abstract:
        return UnreadRecord(found.place, "neither a title nor an abstract")
    return record._replace(place=found.place)


def _read_content(found: PlacedRecord) -> PaperRecord:
    """Read a record by the names of its form."""
    content = found.content
    if isinstance(content, tuple):
        content = _list_fields(content)
    if not isinstance(content, Mapping):
        raise ValueError(f"{shortened.repr(content)} is no paper: expected an object with a title")
    if found.names is not None:
        return read_fields(content, found.names)
    return read_fields(*choose_names(content))


def _list_fields(document: tuple) -> dict[str, object]:
    """Return the fields of a document of ir_datasets.

    A document whose type has no field for an abstract, such as one with `doc_id`, `title` and
    `body`, has its default text as abstract.

    Raises:
        ValueError: it is no document of ir_datasets.
    """
    if not hasattr(document, "_asdict"):  # ir_datasets' documents are named tuples
        raise ValueError(
            f"{shortened.repr(document)} is no paper: expected a dict or a document of ir_datasets"
        )
    fields = document._asdict()
    has_abstract_field = any(name in fields for name in PLAIN["abstract"])
    if not has_abstract_field and hasattr(document, "default_text"):
        fields["text"] = document.default_text()  # a name of `PLAIN`
    return fields
