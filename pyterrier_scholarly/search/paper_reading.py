"""Read your own papers: records, or a file of JSON, JSON lines, CSV or BibTeX.

    >>> read_papers([{"id": 7, "title": "Trees", "abstract": "We prune trees."}])
      docno  title             text
    0     7  Trees  We prune trees.

A record is a dict, or a document of ir_datasets; `paper_records` says which fields it may have.
"""

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, runtime_checkable

import pandas as pd

from ir_datasets_ext.typed_records import Json

from ..arguments import Rule, check_arguments
from ..frames import some
from .paper_records import Paper, Record, read_record

#: where OpenAlex and Semantic Scholar put their records
LIST_FIELDS = ("results", "data", "papers")


@runtime_checkable
class HasDocuments(Protocol):
    """A dataset of ir_datasets."""

    def docs_iter(self) -> Iterator[tuple]:
        """Yield the documents."""


Papers: TypeAlias = Annotated[
    str | os.PathLike | pd.DataFrame | Iterable[Record] | HasDocuments,
    Rule(
        "a file, a frame, or a list of records with 'title' and 'abstract'",
        lambda papers: not isinstance(papers, Mapping),  # a single record
    ),
]


@check_arguments
def read_papers(source: Papers) -> pd.DataFrame:
    """Read papers, whatever they come from.

    Args:
        source: dicts, documents of ir_datasets, a frame; or a file: JSON lines (``.jsonl``), JSON
            (``.json``: a list, or an answer of Semantic Scholar or OpenAlex), CSV (``.csv``) or
            BibTeX (``.bib``). Each record has a title, an abstract and, perhaps,
            an id (`docno`, `paperId`, `id`, `doi` …); without an id it is called by its number,
            from 1.

    Returns:
        Frame with `docno`, `title` and `text` (the abstract), all str, U+FFFD in place of half a
        surrogate pair. Papers without an abstract are left out, with a warning that names them.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: an unknown kind of source or file, a damaged record, duplicate ids, no paper
            with an abstract; names them.
    """
    papers = _read_frame(source)

    duplicate_ids = papers["docno"][papers["docno"].duplicated()]
    if len(duplicate_ids):
        named = some(dict.fromkeys(duplicate_ids))
        raise ValueError(f"Duplicate ids: {named}. Give each paper its own.")

    is_empty = papers["text"] == ""
    if is_empty.all():
        raise ValueError(
            f"None of the {len(papers)} papers has an abstract: expected records with 'title' and "
            "'abstract'."
        )
    if is_empty.any():
        warnings.warn(
            f"{is_empty.sum()} of {len(papers)} papers have no abstract and are left out: "
            f"{some(papers['docno'][is_empty])}.",
            stacklevel=3,
        )
    return papers[~is_empty].reset_index(drop=True)


def _read_frame(source: Papers) -> pd.DataFrame:
    """Return the papers of a source, also those without an abstract."""
    records = _find_records(source)
    papers = [read_record(number, record) for number, record in enumerate(records, 1)]
    return pd.DataFrame(papers, columns=list(Paper._fields), dtype=object)


def _find_records(source: Papers) -> Iterable[Record]:
    """Return the records of a source."""
    if isinstance(source, (str, os.PathLike)):
        return _read_file(Path(source))
    if isinstance(source, pd.DataFrame):
        return source.to_dict("records")

    if isinstance(source, HasDocuments):
        return source.docs_iter()
    return source


def _read_file(path: Path) -> list[Mapping]:
    """Read the records of a file, by its ending."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.suffix not in READERS:
        raise ValueError(f"{path} is not one of {', '.join(READERS)}: convert it, or pass dicts.")

    read = READERS[path.suffix]
    try:
        return list(read(path))
    except ValueError as error:  # UnicodeError is one, too
        raise ValueError(f"{path} cannot be read: {error}") from error


def _read_json(path: Path) -> list[Mapping]:
    """Read a list of records, or the list in an answer of OpenAlex or Semantic Scholar."""
    content = _parse_json(path.read_text(encoding="utf-8"), "the file")
    if isinstance(content, dict):
        present = [name for name in LIST_FIELDS if name in content]
        content = content[present[0]] if present else None

    if not isinstance(content, list):
        raise ValueError(f"expected a list of papers, or one under {', '.join(LIST_FIELDS)}")
    return content


def _read_json_lines(path: Path) -> Iterator[Mapping]:
    """Read a record per line; blank lines are skipped."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parse_json(line, f"line {number}")


def _parse_json(text: str, place: str) -> Json:
    """Parse JSON; ValueError names the place if it is none, or deeper than Python can read."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{place} is no JSON ({error})") from error
    except RecursionError:
        raise ValueError(f"{place} is nested too deeply: expected records of texts") from None


def _read_csv(path: Path) -> list[Mapping]:
    """Read a record per row; all values are texts."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    return list(rows.to_dict("records"))


def _read_bibtex(path: Path) -> list[Mapping]:
    """Read a record per entry, with the entry's key as `id`; fields are in lower case."""
    import bibtexparser
    from bibtexparser.middlewares import LatexDecodingMiddleware

    library = bibtexparser.parse_string(
        path.read_text(encoding="utf-8"), append_middleware=[LatexDecodingMiddleware()]
    )
    if library.failed_blocks:
        lines = [str(1 + (block.start_line or 0)) for block in library.failed_blocks]
        raise ValueError(f"damaged entries begin at line {', '.join(lines)}: mend or remove them")

    records: list[Mapping] = []
    for entry in library.entries:
        fields = {field.key.lower(): str(field.value) for field in entry.fields}
        records.append({"id": entry.key, **fields})
    return records


#: ending of a file -> what reads its records
READERS = {
    ".jsonl": _read_json_lines,
    ".json": _read_json,
    ".csv": _read_csv,
    ".bib": _read_bibtex,
}
