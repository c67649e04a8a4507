"""Papers of Semantic Scholar's answers: of its search, its batches and its recommendations."""

from collections.abc import Mapping

from ..paper_record import PaperRecord
from .field_authors import read_authors
from .field_values import Fields, read_doi, read_id, read_text
from .field_years import read_year

#: where answers put their list of papers
LIST_FIELDS = ("data", "recommendedPapers")
#: where answers about citations put a paper
PAPER_FIELDS = ("citingPaper", "citedPaper")


def is_semantic_scholar(fields: Fields) -> bool:
    """Return whether a record is a paper of Semantic Scholar."""
    return "paperId" in fields or any(name in fields for name in PAPER_FIELDS)


def read_semantic_scholar(fields: Fields) -> PaperRecord:
    """Return the paper of an answer of Semantic Scholar."""
    for name in PAPER_FIELDS:
        if isinstance(fields.get(name), Mapping):
            return read_semantic_scholar(fields[name])

    other_ids = fields.get("externalIds")
    if not isinstance(other_ids, Mapping):
        other_ids = {}
    return PaperRecord(
        paper_id=read_id(fields, ["paperId"]),
        title=read_text(fields, ["title"]),
        abstract=read_text(fields, ["abstract"]),
        year=read_year(fields, ["year", "publicationDate"]),
        doi=read_doi(other_ids, ["DOI"]),
        authors=read_authors(fields, ["authors"]),
        venue=read_text(fields, ["venue"]),
        url=read_text(fields, ["url"]),
    )
