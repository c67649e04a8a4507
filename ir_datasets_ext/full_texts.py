"""Read full texts in S2ORC's layouts: paragraphs, and the citations in them.

    for paper in read_full_texts("my-papers/"):
        for paragraph in paper.paragraphs:
            print(paragraph.section, [citation.title for citation in paragraph.citations])

Three layouts are read; a file may mix them:

- the releases until 2020 (``pdf_parses``): `body_text` with `cite_spans`, and `bib_entries`;
- what s2orc-doc2json makes of PDF and LaTeX files: the same inside `pdf_parse` or `latex_parse`;
- the releases since 2022, which LitSearch used: `content` with its `text` and `annotations`, spans
  of that text, as lists or as JSON in a text.

Conventions: positions count characters from 0; an end is behind the last character. Only the main
text is read, without abstracts.
"""

import bisect
import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, TypeAlias

from msgspec import Struct

from ir_datasets_ext.typed_records import checked, decoded, refused

REMEDY = "Correct the file, or leave it out"
SUFFIXES = (".jsonl", ".gz", ".json")
#: a file, a folder, or papers as JSON's objects
Source: TypeAlias = str | Path | Iterable[str | Path | Mapping[str, Any]]


class Citation(NamedTuple):
    """A mention of another paper: its place in the paragraph, and what the bibliography has of it.

    link: the cited paper's id, "" if the layout does not resolve it. title: "" if it has none.
    """

    start: int
    end: int
    link: str
    title: str


class TextParagraph(NamedTuple):
    """A paragraph of the main text; `number` counts from 0 within its paper."""

    number: int
    section: str
    text: str
    citations: tuple[Citation, ...]


class FullText(NamedTuple):
    """A paper with its paragraphs. acl_id: its id in the ACL Anthology, "" if none is stated."""

    paper_id: str
    acl_id: str
    paragraphs: tuple[TextParagraph, ...]


class Span(Struct):
    """A mention in a paragraph, and the key of its entry in the bibliography."""

    start: int
    end: int
    ref_id: str | None = None


class ParsedParagraph(Struct):
    """A paragraph of a parsed paper."""

    text: str
    section: str | None = None
    cite_spans: List[Span] = []


class Entry(Struct):
    """An entry of a bibliography."""

    title: str | None = None
    link: str | int | None = None


class Parse(Struct):
    """A parsed paper."""

    body_text: List[ParsedParagraph] = []
    bib_entries: Dict[str, Entry] = {}


class Annotation(Struct):
    """A span of a text; numbers may be texts."""

    start: int | str
    end: int | str
    attributes: Dict[str, Any] | None = None

    @property
    def is_placed(self) -> bool:
        """Whether start and end are numbers."""
        return str(self.start).isdecimal() and str(self.end).isdecimal()

    @property
    def place(self) -> tuple[int, int]:
        """Start and end as numbers."""
        return int(self.start), int(self.end)

    def attribute(self, name: str) -> str:
        """Return an attribute as text; "" if there is none."""
        value = (self.attributes or {}).get(name)
        return "" if value is None else str(value)


class Content(Struct):
    """A text and its annotations by kind: JSON as text, a list, or null."""

    text: str | None = None
    annotations: Dict[str, str | List[Annotation] | None] = {}


class Paper(Struct):
    """A paper in any of the layouts."""

    paper_id: str | int | None = None
    corpusid: int | None = None
    acl_id: str | None = None
    externalids: Dict[str, Any] | None = None
    body_text: List[ParsedParagraph] | None = None
    bib_entries: Dict[str, Entry] | None = None
    pdf_parse: Parse | None = None
    latex_parse: Parse | None = None
    content: Content | None = None


def read_full_texts(source: Source) -> Iterator[FullText]:
    """Yield papers, one at a time.

    Args:
        source: a file or a folder, several, or papers as dicts. ``.jsonl`` and ``.gz`` have a paper
            in each line, ``.json`` is one paper. A folder's files of these names are read in the
            order of their paths, also those in folders below.

    Raises:
        FileNotFoundError: a file or folder that does not exist, or a folder without such files.
        ValueError: a paper of another layout; names file, record and field.
    """
    if isinstance(source, (str, Path)):
        yield from _read_path(Path(source))
        return

    for number, item in enumerate(source):
        if isinstance(item, (str, Path)):
            yield from _read_path(Path(item))
        else:
            where = f"paper {number}"
            yield _convert(checked(item, Paper, "the papers", where, REMEDY), "the papers", where)


def _read_path(path: Path) -> Iterator[FullText]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
        if not files:
            raise FileNotFoundError(f"{path} has no file of {', '.join(SUFFIXES)}: pass another.")
        for file in files:
            yield from _read_path(file)
        return

    if path.suffix == ".json":
        yield _convert(decoded(path.read_bytes(), Paper, path, "", REMEDY), path, "")
        return

    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"line {number}"
                yield _convert(decoded(line, Paper, path, where, REMEDY), path, where)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise refused(path, "", "", f"expected whole gzip, got {error}", REMEDY) from error


def _convert(paper: Paper, file: str | Path, where: str) -> FullText:
    """Return a paper of any layout as one record."""
    paper_id = paper.corpusid if paper.paper_id is None else paper.paper_id
    if paper_id is None:
        raise refused(file, where, "paper_id", "expected paper_id or corpusid, got neither", REMEDY)

    if paper.content is not None:
        paragraphs = _annotated_paragraphs(paper.content, file, where)
    else:
        parse = paper.pdf_parse or paper.latex_parse
        body = parse.body_text if parse else paper.body_text
        bibliography = parse.bib_entries if parse else paper.bib_entries
        if body is None:
            what = "expected body_text, pdf_parse, latex_parse or content, got none of them"
            raise refused(file, where, "", what, REMEDY)
        paragraphs = _parsed_paragraphs(body, bibliography or {})

    return FullText(str(paper_id), _acl_id(paper), tuple(paragraphs))


def _acl_id(paper: Paper) -> str:
    by_kind = {kind.lower(): value for kind, value in (paper.externalids or {}).items()}
    return str(paper.acl_id or by_kind.get("acl") or "")


def _parsed_paragraphs(
    body: List[ParsedParagraph], bibliography: Dict[str, Entry]
) -> Iterator[TextParagraph]:
    for number, paragraph in enumerate(body):
        citations = []
        for span in paragraph.cite_spans:
            entry = bibliography.get(span.ref_id or "", Entry())
            link = "" if entry.link is None else str(entry.link)
            citations.append(Citation(span.start, span.end, link, entry.title or ""))
        yield TextParagraph(number, paragraph.section or "", paragraph.text, tuple(citations))


def _annotated_paragraphs(
    content: Content, file: str | Path, where: str
) -> Iterator[TextParagraph]:
    """Yield the paragraphs that annotations of a text mark, with the mentions inside of each."""
    text = content.text or ""

    def annotations(kind: str) -> list[Annotation]:
        value = content.annotations.get(kind) or []
        if isinstance(value, str):
            place = f"{where}, annotations.{kind}"
            value = decoded(value.encode(), List[Annotation], file, place, REMEDY)
        for annotation in value:
            if not annotation.is_placed:
                what = f"expected numbers, got {annotation.start!r} to {annotation.end!r}"
                raise refused(file, where, f"annotations.{kind}", what, REMEDY)
        return sorted(value, key=lambda one: one.place)

    bibliography = _annotated_bibliography(text, annotations("bibentry"), annotations("bibtitle"))
    headers = annotations("sectionheader")
    header_ends = [header.place[1] for header in headers]
    mentions = annotations("bibref")
    mention_starts = [mention.place[0] for mention in mentions]

    for number, paragraph in enumerate(annotations("paragraph")):
        start, end = paragraph.place
        citations = []
        first_mention = bisect.bisect_left(mention_starts, start)
        last_mention = bisect.bisect_left(mention_starts, end)
        for mention in mentions[first_mention:last_mention]:
            entry = bibliography.get(mention.attribute("ref_id"), Entry())
            mention_start, mention_end = mention.place
            citations.append(
                Citation(
                    start=mention_start - start,
                    end=mention_end - start,
                    link="" if entry.link is None else str(entry.link),
                    title=entry.title or "",
                )
            )

        headers_above = bisect.bisect_right(header_ends, start)
        section = ""
        if headers_above:
            header_start, header_end = headers[headers_above - 1].place
            section = text[header_start:header_end].strip()
        yield TextParagraph(number, section, text[start:end], tuple(citations))


def _annotated_bibliography(
    text: str, entries: list[Annotation], titles: list[Annotation]
) -> dict[str, Entry]:
    """Return the entries by their ids; a title belongs to the entry in which it stands."""
    title_starts = [title.place[0] for title in titles]
    bibliography = {}
    for entry in entries:
        start, end = entry.place
        title_number = bisect.bisect_left(title_starts, start)
        title = ""
        if title_number < len(titles) and title_starts[title_number] < end:
            title_start, title_end = titles[title_number].place
            title = text[title_start:title_end].strip()
        link = entry.attribute("matched_paper_id") or None
        bibliography[entry.attribute("id")] = Entry(title=title, link=link)
    return bibliography
