"""The layout of LitSearch's Parquet files, and their readers.

Its files have the keys queries and corpus/0 to corpus/5::

    for judged in read_queries(release):
        print(judged.query.query, judged.sought_ids)
"""

from collections.abc import Iterator
from typing import Annotated, List

from msgspec import Meta, Struct

from ir_datasets_ext.litsearch.records import (
    CORPUS_KEYS,
    SPECIFICITIES,
    JudgedQuery,
    LitsearchDoc,
    LitsearchFullDoc,
    LitsearchQuery,
)
from ir_datasets_ext.releases import Release
from ir_datasets_ext.typed_records import read_parquet


class Paper(Struct):
    """A row of ``corpus_clean/``, without its full text, which is then not decoded."""

    corpusid: int
    title: str | None
    abstract: str | None
    citations: List[int] | None

    def to_record(self) -> LitsearchDoc:
        """Return the paper as LitsearchDoc."""
        return LitsearchDoc(
            doc_id=str(self.corpusid),
            title=self.title or "",
            text=self.abstract or "",
            citations=tuple(map(str, self.citations or ())),
        )


class FullPaper(Struct):
    """A row of ``corpus_clean/``."""

    corpusid: int
    title: str | None
    abstract: str | None
    citations: List[int] | None
    full_paper: str | None

    def to_record(self) -> LitsearchFullDoc:
        """Return the paper as LitsearchFullDoc."""
        return LitsearchFullDoc(
            doc_id=str(self.corpusid),
            title=self.title or "",
            text=self.abstract or "",
            citations=tuple(map(str, self.citations or ())),
            full_text=self.full_paper or "",
        )


class Question(Struct):
    """A row of ``query/``; specificity: 0 (broad) or 1 (specific)."""

    query: str
    query_set: str
    specificity: Annotated[int, Meta(ge=0, le=1)]
    quality: Annotated[int, Meta(ge=1, le=2)]
    corpusids: List[int]

    def to_record(self, number: int) -> JudgedQuery:
        """Return the row of this number as a question with the papers sought."""
        query = LitsearchQuery(
            query_id=str(number),
            query=self.query,
            query_set=self.query_set,
            specificity=SPECIFICITIES[self.specificity],
            quality=self.quality,
        )
        return JudgedQuery(query, sought_ids=tuple(map(str, self.corpusids)))


def read_papers(release: Release) -> Iterator[LitsearchDoc]:
    """Yield the papers in the files' order, which must exist; full texts are not decoded."""
    for source in release.files(*CORPUS_KEYS):
        for paper in read_parquet(source.place(), Paper):
            yield paper.to_record()


def read_full_papers(release: Release) -> Iterator[LitsearchFullDoc]:
    """Yield the papers with full texts in the files' order, which must exist."""
    for source in release.files(*CORPUS_KEYS):
        for paper in read_parquet(source.place(), FullPaper):
            yield paper.to_record()


def read_queries(release: Release) -> Iterator[JudgedQuery]:
    """Yield the questions with the papers sought, in the file's order."""
    path = release.place("queries")
    content = release.read("queries")
    for number, question in enumerate(read_parquet(path, Question, content=content)):
        yield question.to_record(number)
