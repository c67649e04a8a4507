"""Read your own papers: records, or a file of JSON, JSON lines, CSV or BibTeX.

    >>> read_papers([{"id": 7, "title": "Trees", "abstract": "We prune trees."}])
      docno  title             text
    0     7  Trees  We prune trees.

Conventions: a *record* is a dict from field to value, as it comes from its source. A value is
*missing* if it is None, NaN or a blank text. Records are numbered from 1.
"""

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import Json, shortened

from ..arguments import Rule, check_arguments
from ..frames import some
from ..text import writable

#: fields that may hold a paper's id, title and abstract; the first that has a value counts
ID_FIELDS = (
    *("docno", "doc_id", "paper_id", "paperId", "corpus_id", "corpusId"),
    *("id", "ID", "doi", "DOI"),
)
TITLE_FIELDS = ("title", "Title", "display_name")
ABSTRACT_FIELDS = ("abstract", "Abstract", "text")
#: OpenAlex's field of an abstract: a dict from word to the word's positions
INVERTED_INDEX = "abstract_inverted_index"
#: where OpenAlex and Semantic Scholar put their records
LIST_FIELDS = ("results", "data", "papers")

#: a dict, or a named tuple as ir_datasets' documents are
Record: TypeAlias = Mapping | tuple


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


class Paper(NamedTuple):
    """A paper; its abstract may be "", its title too."""

    docno: str
    title: str
    text: str


@check_arguments
def read_papers(source: Papers) -> pd.DataFrame:
    """Read papers, whatever they come from.

    Args:
        source: dicts, documents of ir_datasets, a frame; or a file: JSON lines (``.jsonl``), JSON
            (``.json``: a list, or an answer of Semantic Scholar or OpenAlex), CSV (``.csv``) or
            BibTeX (``.bib``, extra ``bibtex``). Each record has a title, an abstract and, perhaps,
            an id (`docno`, `paperId`, `id`, `doi` …); without an id it is called by its number,
            from 1.

    Returns:
        Frame with `docno`, `title` and `text` (the abstract), all str, U+FFFD in place of half a
        surrogate pair. Papers without an abstract are left out, with a warning that names them.

    Raises:
        FileNotFoundError: there is no such file.
        ImportError: BibTeX without its extra.
        ValueError: an unknown kind of source or file, a damaged record, duplicate ids, no paper
            with an abstract; names them.
    """
    records = find_records(source)
    rows = [read_record(number, record) for number, record in enumerate(records, 1)]
    papers = pd.DataFrame(rows, columns=list(Paper._fields), dtype=object)

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


def find_records(source: Papers) -> Iterable[Record]:
    """Return the records of a source."""
    if isinstance(source, (str, os.PathLike)):
        return read_file(Path(source))
    if isinstance(source, pd.DataFrame):
        return source.to_dict("records")

    if isinstance(source, HasDocuments):
        return source.docs_iter()
    return source


def read_file(path: Path) -> list[Mapping]:
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


def read_json(path: Path) -> list[Mapping]:
    """Read a list of records, or the list in an answer of OpenAlex or Semantic Scholar."""
    content = parse_json(path.read_text(encoding="utf-8"), "the file")
    if isinstance(content, dict):
        present = [name for name in LIST_FIELDS if name in content]
        content = content[present[0]] if present else None

    if not isinstance(content, list):
        raise ValueError(f"expected a list of papers, or one under {', '.join(LIST_FIELDS)}")
    return content


def read_json_lines(path: Path) -> Iterator[Mapping]:
    """Read a record per line; blank lines are skipped."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield parse_json(line, f"line {number}")


def parse_json(text: str, place: str) -> Json:
    """Parse JSON; ValueError names the place if it is none, or deeper than Python can read."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{place} is no JSON ({error})") from error
    except RecursionError:
        raise ValueError(f"{place} is nested too deeply: expected records of texts") from None


def read_csv(path: Path) -> list[Mapping]:
    """Read a record per row; all values are texts."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    return list(rows.to_dict("records"))


def read_bibtex(path: Path) -> list[Mapping]:
    """Read a record per entry, with the entry's key as `id`; fields are in lower case."""
    try:
        import bibtexparser
        from bibtexparser.middlewares import LatexDecodingMiddleware
    except ImportError as error:
        raise ImportError(
            'BibTeX needs bibtexparser: run `pip install "pyterrier-scholarly[bibtex]"`.'
        ) from error

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
    ".jsonl": read_json_lines,
    ".json": read_json,
    ".csv": read_csv,
    ".bib": read_bibtex,
}


def read_record(number: int, record: Record) -> Paper:
    """Return a record as a paper.

    Raises:
        ValueError: a value of an unexpected type; names the record's number, field and value.
    """
    fields = read_fields(number, record)
    docno = read_id(number, fields) or str(number)
    title = read_text(number, fields, TITLE_FIELDS)
    abstract = read_text(number, fields, ABSTRACT_FIELDS) or read_inverted_index(number, fields)
    return Paper(writable(docno), writable(title), writable(abstract))


def read_fields(number: int, record: Record) -> Mapping:
    """Return a record's fields; a document without an abstract gets its default text as `text`."""
    if isinstance(record, Mapping):
        return record
    if not isinstance(record, tuple) or not hasattr(record, "_asdict"):
        raise ValueError(
            f"Paper {number} is {shortened.repr(record)}: expected a dict or a document of "
            "ir_datasets."
        )

    fields = record._asdict()
    has_abstract = any(name in fields for name in (*ABSTRACT_FIELDS, INVERTED_INDEX))
    if not has_abstract and hasattr(record, "default_text"):
        fields["text"] = record.default_text()
    return fields


def read_id(number: int, fields: Mapping) -> str:
    """Return a record's id, or "" if it is missing."""
    name = find_field(fields, ID_FIELDS)
    value = fields.get(name, "")
    if isinstance(value, (Mapping, list, tuple, set, np.ndarray)):
        raise ValueError(
            f"Paper {number} has {name}={shortened.repr(value)}: expected a text or a number."
        )
    return str(value).strip()


def read_text(number: int, fields: Mapping, names: Iterable[str]) -> str:
    """Return the first of the named fields with a value, one blank between words; "" without."""
    name = find_field(fields, names)
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"Paper {number} has {name}={shortened.repr(value)}: expected a text.")
    return " ".join(value.split())


def read_inverted_index(number: int, fields: Mapping) -> str:
    """Return the abstract of OpenAlex's inverted index; "" without one."""
    name = find_field(fields, [INVERTED_INDEX])
    index = fields.get(name, {})
    if not isinstance(index, Mapping):
        raise ValueError(
            f"Paper {number} has {name}={shortened.repr(index)}: expected an object from words to "
            "lists of their positions."
        )

    placed_words = []
    for word, positions in index.items():
        if not isinstance(word, str) or not are_positions(positions):
            raise ValueError(
                f"Paper {number} has {shortened.repr(word)}: {shortened.repr(positions)} in "
                f"{name}: expected a word and a list of its positions, such as [0, 7]."
            )
        placed_words += [(position, word) for position in positions]
    return " ".join(word for _, word in sorted(placed_words))


def are_positions(value: object) -> bool:
    """Return whether a value is a list of whole numbers."""
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a number
    return isinstance(value, (list, tuple)) and all(isinstance(item, Integral) for item in value)


def find_field(fields: Mapping, names: Iterable[str]) -> str:
    """Return the first of the names whose value is not missing; "" if all are."""
    for name in names:
        if name in fields and not is_missing(fields[name]):
            return name
    return ""


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or a blank text."""
    if isinstance(value, str):
        return not value.strip()
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
