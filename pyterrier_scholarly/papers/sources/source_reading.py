"""Read a source of papers by its form: the choice between the modules of this package.

    for record in read_source("export.bib"):
        if isinstance(record, UnreadRecord):
            print(record.place, record.reason)

A file's form is known by its ending, that of a record by its fields. To add a form, write its
module, and add a line to READERS or to FORMS.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, runtime_checkable

import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ... import datasets
from ...arguments import Rule, check_arguments
from ..paper_record import PaperRecord, UnreadRecord
from .bibtex_papers import read_bibtex_file
from .csl_papers import is_csl, read_csl
from .csv_papers import read_csv_file
from .dataset_papers import read_document
from .field_values import Fields
from .json_lines_papers import read_json_lines_file
from .json_papers import read_json_file
from .openalex_papers import is_openalex, read_openalex
from .plain_papers import read_plain
from .record_places import PlacedRecord
from .ris_papers import read_ris_file
from .semantic_scholar_papers import is_semantic_scholar, read_semantic_scholar

#: ending of a file -> what yields its records
READERS: dict[str, Callable[[Path], Iterator[PlacedRecord | UnreadRecord]]] = {
    ".jsonl": read_json_lines_file,
    ".ndjson": read_json_lines_file,
    ".json": read_json_file,
    ".csv": read_csv_file,
    ".tsv": read_csv_file,
    ".bib": read_bibtex_file,
    ".ris": read_ris_file,
}
#: whether a record is of a form -> what reads it; others have plain fields
FORMS: dict[Callable[[Fields], bool], Callable[[Fields], PaperRecord]] = {
    is_semantic_scholar: read_semantic_scholar,
    is_openalex: read_openalex,
    is_csl: read_csl,
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
def read_source(source: Source) -> Iterator[PaperRecord | UnreadRecord]:
    """Yield the papers of a source, and what of it is none.

    Args:
        source: a file, or a folder of such files: JSON lines (``.jsonl``), JSON (``.json``: a list,
            CSL-JSON, or an answer of Semantic Scholar or OpenAlex), CSV (``.csv``), BibTeX
            (``.bib``) or RIS (``.ris``); the id of a dataset of ir_datasets, such as
            ``"litsearch"``, or the dataset; a data frame; dicts; documents of ir_datasets.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a file of an unknown ending, or another kind of source.
    """
    for found in find_records(source):
        if isinstance(found, UnreadRecord):
            yield found
        else:
            yield understand_record(found)


def find_records(source: Source) -> Iterator[PlacedRecord | UnreadRecord]:
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


def find_records_of_name(name: str | os.PathLike) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the records of a file, of a folder's files, or of a dataset."""
    path = Path(name)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in READERS)
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


def read_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the records of a file, by its ending."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(
            f"{path} is not one of {', '.join(READERS)}: export it in one of these forms, or pass "
            "dicts."
        )
    yield from reader(path)


def understand_record(found: PlacedRecord) -> PaperRecord | UnreadRecord:
    """Return a record as a paper; else why it is none."""
    try:
        record = _read_content(found.content)
    except ValueError as error:
        return UnreadRecord(found.place, str(error))

    if not record.title and not record.abstract:
        return UnreadRecord(found.place, "neither a title nor an abstract")
    return record._replace(place=found.place)


def _read_content(content: object) -> PaperRecord:
    """Read a record by the form that it has."""
    if isinstance(content, tuple):
        return read_document(content)
    if not isinstance(content, Mapping):
        raise ValueError(f"{shortened.repr(content)} is no paper: expected an object with a title")
    for is_form, read in FORMS.items():
        if is_form(content):
            return read(content)
    return read_plain(content)
