"""Read your own papers: records, or a file of JSON, JSON lines, CSV or BibTeX."""

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from ..arguments import check_arguments
from ..frames import some
from ..text import writable

#: fields that may hold a paper's id, title and abstract; the first that has a value counts
IDS = ("docno", "doc_id", "paper_id", "paperId", "corpus_id", "corpusId", "id", "ID", "doi", "DOI")
TITLES = ("title", "Title", "display_name")
ABSTRACTS = ("abstract", "Abstract", "text")
LISTS = ("results", "data", "papers")  # where OpenAlex and Semantic Scholar put their records
INVERTED = "abstract_inverted_index"


@check_arguments
def read_papers(source: str | os.PathLike | pd.DataFrame | Iterable[Mapping]) -> pd.DataFrame:
    """Read papers, whatever they come from.

    Args:
        source: dicts or a frame; or a file: JSON lines (``.jsonl``), JSON (``.json``: a list, or an
            answer of Semantic Scholar or OpenAlex), CSV (``.csv``) or BibTeX (``.bib``, extra
            ``bibtex``). Each record has a title, an abstract and, perhaps, an id (`docno`,
            `paperId`, `id`, `doi` …); without an id it is called by its number, from 1.

    Returns:
        Frame with `docno`, `title` and `text` (the abstract), all str, U+FFFD in place of half a
        surrogate pair. Papers without an abstract are left out, with a warning that names them.

    Raises:
        FileNotFoundError: there is no such file.
        ImportError: BibTeX without its extra.
        ValueError: an unknown kind of file, a damaged record, duplicate ids, no paper with an
            abstract; names them.
    """
    if isinstance(source, pd.DataFrame):
        source = source.to_dict("records")
    records = _of_file(Path(source)) if isinstance(source, (str, os.PathLike)) else source
    papers = pd.DataFrame(
        [[*map(writable, _row(number, record))] for number, record in enumerate(records, 1)],
        columns=["docno", "title", "text"],
        dtype=object,
    )
    twice = papers["docno"][papers["docno"].duplicated()]
    if len(twice):
        raise ValueError(f"Duplicate ids: {some(dict.fromkeys(twice))}. Give each paper its own.")
    empty = papers["text"] == ""
    if empty.all():
        raise ValueError(
            f"None of the {len(papers)} papers has an abstract: expected records with 'title' and "
            "'abstract'."
        )
    if empty.any():
        warnings.warn(
            f"{empty.sum()} of {len(papers)} papers have no abstract and are left out: "
            f"{some(papers['docno'][empty])}.",
            stacklevel=3,
        )
    return papers[~empty].reset_index(drop=True)


def _of_file(path: Path) -> list[Mapping]:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.suffix not in READERS:
        raise ValueError(f"{path} is not one of {', '.join(READERS)}: convert it, or pass dicts.")
    try:
        return list(READERS[path.suffix](path))
    except (ValueError, UnicodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _json(path: Path) -> Iterable[Mapping]:
    found = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(found, dict):
        found = next((found[name] for name in LISTS if name in found), None)
    if not isinstance(found, list):
        raise ValueError(f"expected a list of papers, or one under {', '.join(LISTS)}")
    return found


def _json_lines(path: Path) -> Iterator[Mapping]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield from [json.loads(line)] if line.strip() else []
            except ValueError as error:
                raise ValueError(f"line {number} is no JSON ({error})") from error


def _csv(path: Path) -> Iterable[Mapping]:
    return pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")


def _bibtex(path: Path) -> Iterable[Mapping]:
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
    return [
        {"id": entry.key, **{field.key.lower(): str(field.value) for field in entry.fields}}
        for entry in library.entries
    ]


#: ending of a file -> what reads its records
READERS = {".jsonl": _json_lines, ".json": _json, ".csv": _csv, ".bib": _bibtex}


def _row(number: int, record: Mapping) -> tuple[str, str, str]:
    """Return the id, the title and the abstract of a record."""
    if not isinstance(record, Mapping):
        raise ValueError(f"Paper {number} is {record!r:.60}: expected a dict.")
    title, abstract = _text(number, record, TITLES), _text(number, record, ABSTRACTS)
    if not abstract and isinstance(record.get(INVERTED), Mapping):
        places = [(at, word) for word, own in record[INVERTED].items() for at in own]
        abstract = " ".join(word for _, word in sorted(places))
    _, own = _first(record, IDS)
    return str(own).strip() or str(number), title, abstract


def _first(record: Mapping, names: Iterable[str]) -> tuple[str, object]:
    """Return the first of `names` with a value, and the value; empty texts if none has one."""
    found = ((name, record[name]) for name in names if name in record)
    return next(((n, v) for n, v in found if v is not None and v == v and v != ""), ("", ""))


def _text(number: int, record: Mapping, names: Iterable[str]) -> str:
    name, value = _first(record, names)
    if not isinstance(value, str):
        raise ValueError(f"Paper {number} has {name}={value!r:.60}: expected a text.")
    return " ".join(value.split())
