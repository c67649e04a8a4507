"""Papers of CSL-JSON, as Zotero, Mendeley and Crossref write it."""

from ..paper_record import PaperRecord
from .field_authors import read_authors
from .field_values import Fields, read_doi, read_id, read_text
from .field_years import read_year

#: fields that only CSL-JSON has
OWN_FIELDS = ("issued", "container-title", "citation-key", "event-place", "publisher-place")


def is_csl(fields: Fields) -> bool:
    """Return whether a record is an item of CSL-JSON."""
    return any(name in fields for name in OWN_FIELDS)


def read_csl(fields: Fields) -> PaperRecord:
    """Return the paper of an item of CSL-JSON."""
    return PaperRecord(
        paper_id=read_id(fields, ["citation-key", "id"]),
        title=read_text(fields, ["title"]),
        abstract=read_text(fields, ["abstract"]),
        year=read_year(fields, ["issued", "original-date", "submitted"]),
        doi=read_doi(fields, ["DOI", "doi"]),
        authors=read_authors(fields, ["author", "editor"]),
        venue=read_text(fields, ["container-title", "event-title", "publisher"]),
        url=read_text(fields, ["URL", "url"]),
    )
