"""The layouts of S2ORC's full texts: what the objects in their JSON have, as far as it is read.

::

    paper = decode_json(line, Paper, path)
    paper.body_text   # releases until 2020
    paper.pdf_parse   # s2orc-doc2json; or latex_parse
    paper.content     # releases since 2022

`full_texts` says more of the three layouts, and reads them.
"""

from typing import Any, Dict, List

from msgspec import Struct


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


class Content(Struct):
    """A text, and its annotations by kind: JSON as text, a list, or null."""

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
