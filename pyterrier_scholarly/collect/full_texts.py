"""Read full texts in S2ORC's layouts: paragraphs, and the citations in them.

::

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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from ir_datasets_ext.files import explaining, read_lines

REMEDY = "Correct the file, or leave it out"
SUFFIXES = (".jsonl", ".gz", ".json")
Position = Annotated[int, msgspec.Meta(ge=0)]
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


class Span(msgspec.Struct):
    """A mention in a paragraph, and the key of its entry in the bibliography."""

    start: int
    end: int
    ref_id: str | None = None


class ParsedParagraph(msgspec.Struct):
    """A paragraph of a parsed paper."""

    text: str
    section: str | None = None
    cite_spans: list[Span] = []


class Entry(msgspec.Struct):
    """An entry of a bibliography."""

    title: str | None = None
    link: str | int | None = None


class Parse(msgspec.Struct):
    """A parsed paper."""

    body_text: list[ParsedParagraph] = []
    bib_entries: dict[str, Entry] = {}


class Annotation(msgspec.Struct):
    """A span of a text, and what is said of it."""

    start: Position
    end: Position
    attributes: dict[str, Any] | None = None

    def attribute(self, name: str) -> str:
        """Return an attribute as text; "" if there is none."""
        value = (self.attributes or {}).get(name)
        return "" if value is None else str(value)


class Content(msgspec.Struct):
    """A text, and its annotations by kind: JSON as text, a list, or null."""

    text: str | None = None
    annotations: dict[str, str | list[Any] | None] = {}


class PaperLayout(msgspec.Struct):
    """A paper in any of the layouts, as far as it is read."""

    paper_id: str | int | None = None
    corpusid: int | None = None
    acl_id: str | None = None
    externalids: dict[str, Any] | None = None
    body_text: list[ParsedParagraph] | None = None
    bib_entries: dict[str, Entry] | None = None
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
    items = [source] if isinstance(source, (str, Path)) else source
    for number, item in enumerate(items):
        if isinstance(item, (str, Path)):
            for path in _list_files(Path(item)):
                yield from _read_file(path)
        else:
            place = f"the papers, paper {number}"
            with explaining(place, REMEDY):
                full_text = _convert_paper(msgspec.convert(item, PaperLayout))
            yield full_text


def _list_files(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
    if not files:
        raise FileNotFoundError(f"{path} has no file of {', '.join(SUFFIXES)}: pass another.")
    return files


def _read_file(path: Path) -> Iterator[FullText]:
    """Yield the papers of a file."""
    if path.suffix == ".json":
        content = path.read_bytes()
        with explaining(path, REMEDY):
            full_text = _convert_paper(msgspec.json.decode(content, type=PaperLayout))
        yield full_text
        return

    open_file = gzip.open if path.suffix == ".gz" else open
    with open_file(path, "rb") as lines, explaining(path, REMEDY):
        for number, paper in enumerate(read_lines(path, lines, PaperLayout, REMEDY), 1):
            with explaining(f"{path}, line {number}", REMEDY):
                full_text = _convert_paper(paper)
            yield full_text


def _convert_paper(paper: PaperLayout) -> FullText:
    """Return a paper of any layout as one record; ValueError if its id or texts are missing."""
    paper_id = paper.corpusid if paper.paper_id is None else paper.paper_id
    if paper_id is None:
        raise ValueError("expected paper_id or corpusid, got neither")

    if paper.content is not None:
        paragraphs = _read_annotated_paragraphs(paper.content)
    else:
        paragraphs = _read_parsed_paragraphs(_find_parse(paper))
    return FullText(str(paper_id), _find_acl_id(paper), tuple(paragraphs))


def _find_acl_id(paper: PaperLayout) -> str:
    """Return the paper's id in the ACL Anthology, from wherever the layout has it; "" if none."""
    if paper.acl_id:
        return paper.acl_id

    external_ids = paper.externalids or {}
    for kind, external_id in external_ids.items():
        if kind.lower() == "acl" and external_id:
            return str(external_id)
    return ""


def _find_parse(paper: PaperLayout) -> Parse:
    """Return a paper's paragraphs and bibliography, from wherever the layout has them."""
    if paper.pdf_parse is not None:
        return paper.pdf_parse
    if paper.latex_parse is not None:
        return paper.latex_parse
    if paper.body_text is not None:
        return Parse(paper.body_text, paper.bib_entries or {})
    raise ValueError("expected body_text, pdf_parse, latex_parse or content, got none of them")


def _read_parsed_paragraphs(parse: Parse) -> Iterator[TextParagraph]:
    """Yield the paragraphs of a parsed paper, each with the citations that its spans mark."""
    for number, paragraph in enumerate(parse.body_text):
        citations = []
        for span in paragraph.cite_spans:
            entry = parse.bib_entries.get(span.ref_id or "", Entry())
            citations.append(_make_citation(span.start, span.end, entry))
        yield TextParagraph(number, paragraph.section or "", paragraph.text, tuple(citations))


def _make_citation(start: int, end: int, entry: Entry) -> Citation:
    """Return the citation at a place in its paragraph, of an entry of the bibliography."""
    link = "" if entry.link is None else str(entry.link)
    return Citation(start, end, link, entry.title or "")


def _read_annotated_paragraphs(content: Content) -> Iterator[TextParagraph]:
    """Yield the paragraphs that annotations of a text mark, with the mentions inside of each."""
    text = content.text or ""
    headers = _read_annotations(content, "sectionheader")
    paragraphs = _read_annotations(content, "paragraph")
    mentions = _read_annotations(content, "bibref")
    entries = _read_annotations(content, "bibentry")
    titles = _read_annotations(content, "bibtitle")

    bibliography = _read_bibliography(text, entries, titles)
    mention_starts = [mention.start for mention in mentions]

    for number, paragraph in enumerate(paragraphs):
        # both are sorted, so the mentions that start inside of the paragraph are neighbours
        first_mention = bisect.bisect_left(mention_starts, paragraph.start)
        end_of_mentions = bisect.bisect_left(mention_starts, paragraph.end)
        citations = []
        for mention in mentions[first_mention:end_of_mentions]:
            entry = bibliography.get(mention.attribute("ref_id"), Entry())
            start_in_paragraph = mention.start - paragraph.start
            end_in_paragraph = mention.end - paragraph.start
            citations.append(_make_citation(start_in_paragraph, end_in_paragraph, entry))

        section = _find_section(text, headers, paragraph.start)
        paragraph_text = text[paragraph.start : paragraph.end]
        yield TextParagraph(number, section, paragraph_text, tuple(citations))


def _read_annotations(content: Content, kind: str) -> list[Annotation]:
    """Return the annotations of a kind, sorted by their spans; [] if there are none."""
    value = content.annotations.get(kind) or []
    try:
        if isinstance(value, str):
            value = msgspec.json.decode(value)
        # not strict, because positions may be texts
        annotations = msgspec.convert(value, list[Annotation], strict=False)
    except msgspec.MsgspecError as error:
        raise ValueError(f"annotations.{kind}: {error}") from error
    return sorted(annotations, key=lambda annotation: (annotation.start, annotation.end))


def _find_section(text: str, headers: list[Annotation], start: int) -> str:
    """Return the last header that ends before `start`; "" without one."""
    headers_above = bisect.bisect_right(headers, start, key=lambda header: header.end)
    if headers_above == 0:
        return ""
    header = headers[headers_above - 1]
    return text[header.start : header.end].strip()


def _read_bibliography(
    text: str, entries: list[Annotation], titles: list[Annotation]
) -> dict[str, Entry]:
    """Return the entries of a bibliography by their ids, each with its title and link.

    Args:
        text: the paper's text.
        entries: where entries are in the text.
        titles: where titles are, in the text's order; each is within its entry.
    """
    title_starts = [title.start for title in titles]
    bibliography = {}
    for entry in entries:
        # the first title behind the entry's start is its own, unless it is behind its end too
        next_number = bisect.bisect_left(title_starts, entry.start)
        has_title = next_number < len(titles) and titles[next_number].start < entry.end
        title_text = ""
        if has_title:
            title = titles[next_number]
            title_text = text[title.start : title.end].strip()

        link = entry.attribute("matched_paper_id") or None
        bibliography[entry.attribute("id")] = Entry(title=title_text, link=link)
    return bibliography
