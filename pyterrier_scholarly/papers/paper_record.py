"""Papers as they come from a source, and the ids of those that have none.

    >>> record = PaperRecord("", "On Trees", "We prune trees.", year=2019)
    >>> complete_id(record).paper_id
    'on-trees-2019'

Conventions: missing texts are "", a missing year is None.
"""

import html
import re
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote

#: before it no digit, as in "2110.12345/v2"; behind it perhaps another DOI
DOI = re.compile(
    r"(?<![\d.])10\.\d{4,9}(?:/|%2F)[^\s\"]+?(?=[;,|]+(?:https?:|doi:|10\.\d{4})|[\s\"]|$)", re.I
)
#: what an address has behind a DOI
BEHIND_DOI = re.compile(
    r"(?:/(?:full|full-?text|e?pdf|pdfdirect|abstract|abs|html?|epub|meta|summary|references"
    r"|figures|suppl_file/.*)|\.(?:full|pdf|html?|abstract)|/|;jsessionid=.*)+$"
)
PREPRINT_VERSION = re.compile(r"^(10\.1101/[\d.]+)v\d+$")  # of bioRxiv's addresses
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
LONGEST_READABLE_ID = 60  # characters of a title in an id that is made of it


class PaperRecord(NamedTuple):
    """A paper, as a source describes it.

    Attributes:
        paper_id: the source's name for it; "" if it has none, see `complete_id`.
        title, abstract: at least one of them is not "".
        year: of publication.
        doi: normalised, such as ``10.1000/abc``.
        authors: names, the first author first.
        venue: journal or conference.
        url: where it can be read.
        place: where it was found, such as "papers.bib, line 12"; for messages.
    """

    paper_id: str
    title: str
    abstract: str
    year: int | None = None
    doi: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    url: str = ""
    place: str = ""


class UnreadRecord(NamedTuple):
    """Something in a source that is no paper. place: where it is. reason: what is wrong with it."""

    place: str
    reason: str


class Remark(NamedTuple):
    """What was read otherwise than it stands there, merged or skipped; no paper is lost by it.

    place: where it is. reason: what was done.
    """

    place: str
    reason: str


def normalise_doi(text: str) -> str:
    """Return the DOI in a text or an address, in lower case; "" for a text without one.

    It is decoded, and what an address adds is taken off.

    >>> normalise_doi("https://a.org/doi/pdf/10.1000/ABC%3C1%3E.pdf?download=true")
    '10.1000/abc<1>'
    """
    match = DOI.search(html.unescape(text))
    if match is None:
        return ""
    found = re.split(r"[?#]", match[0])[0]
    if "://" in text:
        found = found.split("&")[0]  # the next part of an address's query
    doi = unquote(unquote(found)).casefold().split()[0]

    doi = doi.rstrip(".,;:'\"*|\\")
    for opening, closing in BRACKETS:
        while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
            doi = doi.removesuffix(closing).rstrip(".,;:")
    doi = BEHIND_DOI.sub("", doi)
    return PREPRINT_VERSION.sub(r"\1", doi)


def complete_id(record: PaperRecord) -> PaperRecord:
    """Return the record with an id: that of its source, without blanks, or one of its content.

    The content is the DOI, else title and year, else the abstract. So the same paper gets the same
    id in each source, wherever it stands there.
    """
    id_of_source = "_".join(record.paper_id.split())
    if id_of_source:
        return record._replace(paper_id=id_of_source)
    if record.doi:
        return record._replace(paper_id=record.doi)

    words = re.findall(r"\w+", record.title.casefold())
    if record.year is not None:
        words.append(str(record.year))
    readable_id = "-".join(words)
    if record.title and len(readable_id) <= LONGEST_READABLE_ID:
        return record._replace(paper_id=readable_id)

    # two long titles may begin alike, so a hash of everything follows what fits
    content = f"{record.title}\n{record.year}\n{record.abstract}"
    digest = blake2b(content.encode(errors="replace"), digest_size=5).hexdigest()
    beginning = readable_id[:LONGEST_READABLE_ID].rstrip("-") if record.title else "paper"
    return record._replace(paper_id=f"{beginning}-{digest}")
