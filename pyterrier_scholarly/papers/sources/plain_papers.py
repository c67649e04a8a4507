"""Papers of records with plain fields: dicts, rows of a table, documents, entries of BibTeX.

    >>> read_plain({"id": 7, "title": "Trees", "abstract": "We prune trees."}).paper_id
    '7'

Field names are those that people, Zotero and Scopus use; upper and lower case are the same.
"""

from ..paper_record import PaperRecord
from .field_authors import read_authors
from .field_values import Fields, read_doi, read_id, read_text
from .field_years import read_year

#: names in lower case; the first that has a value counts
ID_NAMES = ("docno", "doc_id", "paper_id", "paperid", "corpus_id", "corpusid", "id", "key", "eid")
TITLE_NAMES = ("title", "display_name")
ABSTRACT_NAMES = ("abstract", "abstract note", "abstractnote", "text")
YEAR_NAMES = ("year", "publication year", "publication_year", "date", "published")
AUTHOR_NAMES = ("authors", "author", "author full names")
VENUE_NAMES = (
    *("venue", "journal", "journaltitle", "booktitle"),
    *("publication title", "source title", "container-title"),
)
URL_NAMES = ("url", "link")


def read_plain(fields: Fields) -> PaperRecord:
    """Return the paper of a record with plain fields."""
    by_lower_name: dict[str, object] = {}
    for name, value in fields.items():
        by_lower_name.setdefault(str(name).strip().lower(), value)

    return PaperRecord(
        paper_id=read_id(by_lower_name, ID_NAMES),
        title=read_text(by_lower_name, TITLE_NAMES),
        abstract=read_text(by_lower_name, ABSTRACT_NAMES),
        year=read_year(by_lower_name, YEAR_NAMES),
        doi=read_doi(by_lower_name, ["doi"]),
        authors=read_authors(by_lower_name, AUTHOR_NAMES),
        venue=read_text(by_lower_name, VENUE_NAMES),
        url=read_text(by_lower_name, URL_NAMES),
    )
