"""Papers as they come from a source, and what makes two of them the same paper.

    >>> record = PaperRecord("", "On Trees", "We prune trees.", year=2019)
    >>> complete_id(record).paper_id
    'on-trees-2019'
    >>> normalise_doi("https://doi.org/10.1000/ABC.")
    '10.1000/abc'

Conventions: missing texts are "", a missing year is None.
"""

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

DOI = re.compile(r"10\.\d{4,9}/\S+")
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


def normalise_doi(text: str) -> str:
    """Return a DOI in lower case, without the address before it; "" for a text without one."""
    match = DOI.search(text.strip())
    if match is None:
        return ""
    return match[0].rstrip(".,;").casefold()


def normalise_title(title: str) -> str:
    """Return the letters and digits of a title, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", title)
    letters = [
        character
        for character in decomposed.casefold()
        if character.isalnum() and not unicodedata.combining(character)
    ]
    return "".join(letters)


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


class TitledPaper(NamedTuple):
    """A paper under a title in `SamePapers`.

    paper_id: its id.
    has_doi: whether its record has a DOI.
    """

    paper_id: str
    has_doi: bool


class SamePapers:
    """Find an earlier record of the same paper: by its DOI, else by title and year.

    Two records with different DOIs are different papers, whatever their titles::

        >>> earlier_papers = SamePapers([PaperRecord("7", "On Trees", "We prune.", year=2019)])
        >>> earlier_papers.find(PaperRecord("", "On trees.", "", year=2019))
        '7'

    Args:
        records: the earlier ones, each with its id; `add` takes further ones.
    """

    def __init__(self, records: Iterable[PaperRecord] = ()) -> None:
        self._id_by_doi: dict[str, str] = {}
        #: (normalised title, year) -> papers of that title, in the order of their records
        self._papers_by_title: dict[tuple[str, int | None], list[TitledPaper]] = {}
        for record in records:
            self.add(record)

    def add(self, record: PaperRecord) -> None:
        """Remember a record by its id."""
        has_doi = bool(record.doi)
        if has_doi:
            self._id_by_doi.setdefault(record.doi, record.paper_id)

        title = normalise_title(record.title)
        if title:
            papers_of_title = self._papers_by_title.setdefault((title, record.year), [])
            papers_of_title.append(TitledPaper(record.paper_id, has_doi))

    def find(self, record: PaperRecord) -> str | None:
        """Return the id of an earlier record of the same paper; None if there is none."""
        if record.doi in self._id_by_doi:
            return self._id_by_doi[record.doi]

        title = normalise_title(record.title)
        if not title:
            return None
        for paper in self._papers_by_title.get((title, record.year), []):
            # the DOI was not found above, so a paper with a DOI has another one
            has_other_doi = paper.has_doi and record.doi
            if not has_other_doi:
                return paper.paper_id
        return None
