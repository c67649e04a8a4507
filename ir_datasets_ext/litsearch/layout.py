"""How LitSearch's Parquet files are laid out."""

from typing import Annotated, List

from msgspec import Meta, Struct

from ir_datasets_ext.litsearch.records import LitsearchDoc, LitsearchFullDoc, LitsearchQuery

SPECIFICITY = {0: "broad", 1: "specific"}


class Paper(Struct):
    """A row of ``corpus_clean/``, without its full text."""

    corpusid: int
    title: str | None
    abstract: str | None
    citations: List[int] | None

    def record(self):
        """Return it as LitsearchDoc."""
        citations = tuple(map(str, self.citations or ()))
        return LitsearchDoc(str(self.corpusid), self.title or "", self.abstract or "", citations)


class FullPaper(Paper):
    """A row of ``corpus_clean/``."""

    full_paper: str | None

    def record(self):
        """Return it as LitsearchFullDoc."""
        return LitsearchFullDoc(*super().record(), self.full_paper or "")


class Question(Struct):
    """A row of ``query/``; specificity: 0 (broad) or 1 (specific)."""

    query: str
    query_set: str
    specificity: Annotated[int, Meta(ge=0, le=1)]
    quality: Annotated[int, Meta(ge=1, le=2)]
    corpusids: List[int]

    def record(self, number):
        """Return the row of this number as LitsearchQuery."""
        specificity = SPECIFICITY[self.specificity]
        return LitsearchQuery(str(number), self.query, self.query_set, specificity, self.quality)
