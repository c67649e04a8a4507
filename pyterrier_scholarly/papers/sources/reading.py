"""Read a source of papers by its form.

    for record in read_source("export.bib"):
        if isinstance(record, UnreadRecord):
            print(record.place, record.reason)

A file's form is known by its ending, that of an object by its fields. To add a form, write its
names into ``field_names.yaml``, and a function for READERS.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import pandas as pd

from ... import datasets
from ...arguments import Rule, check_arguments
from ...text import decode_bytes
from ..paper_record import Remark
from .bibtex import read_bibtex
from .fields import Found
from .json_records import read_json, read_json_lines, read_object, read_objects
from .ris import read_ris
from .tables import read_table

#: ending of a file -> what yields the records of its text
READERS = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".bib": read_bibtex,
    ".ris": read_ris,
}


Source: TypeAlias = Annotated[
    datasets.DatasetLike | os.PathLike | pd.DataFrame | Iterable[Mapping | tuple],
    Rule(
        "a file, the id of a dataset, a frame, or a list of records with 'title' and 'abstract'",
        lambda source: not isinstance(source, Mapping | int | None),  # or a single record
    ),
]


@check_arguments
def read_source(source: Source) -> Iterator[Found]:
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
    if isinstance(source, (str, os.PathLike)):
        yield from _read_named(Path(source))
    elif isinstance(source, pd.DataFrame):
        yield from read_objects("row", source.to_dict("records"))
    elif isinstance(source, Iterable):
        yield from read_objects("paper", source)
    else:
        for document in datasets.irds(source).docs_iter():
            yield read_object(f"document {document.doc_id}", document)


def _read_named(path: Path) -> Iterator[Found]:
    """Yield the records of a file, of a folder's files, or of the dataset of this name."""
    if not path.exists():
        try:
            dataset = datasets.irds(str(path))
        except ValueError:
            raise FileNotFoundError(
                f"There is no file or dataset {path}: expected a file ({', '.join(READERS)}), a "
                "folder of them, or the id of a dataset."
            ) from None
        yield from read_source(dataset)
        return

    # macOS writes "._export.bib" beside a file
    files = sorted(path.glob("[!.]*")) if path.is_dir() else [path]
    readable_files = [file for file in files if file.suffix.lower() in READERS]
    if not readable_files:
        raise ValueError(
            f"{path} is not one of {', '.join(READERS)}, and has no file of papers: export it in "
            "one of these forms, or pass dicts."
        )
    for file in readable_files:
        text, encoding = decode_bytes(file.read_bytes())
        if encoding:
            yield Remark(
                file.name, f"not UTF-8: read as {encoding}; save it as UTF-8 if letters differ"
            )
        # a carriage return alone ends lines of old Macs, and else is a character of a cell
        text = text.replace("\r\n", "\n")
        text = text.replace("\r", " " if "\n" in text else "\n")
        for found in READERS[file.suffix.lower()](text):
            yield found._replace(place=f"{file.name}, {found.place}".removesuffix(", "))
