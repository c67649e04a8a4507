"""The layout of LitSearch's Parquet files, and their readers.

Its files have the keys queries and corpus/0 to corpus/5.
"""

from collections.abc import Iterator
from typing import Annotated, List

from msgspec import Meta, Struct

from ir_datasets_ext.litsearch import (
    SPECIFICITIES,
    LitsearchDoc,
    LitsearchFullDoc,
    LitsearchQuery,
    corpus,
)
from ir_datasets_ext.releases import Release
from ir_datasets_ext.typed_records import read_parquet


class Paper(Struct):
    """A row of ``corpus_clean/``, without its full text."""

    corpusid: int
    title: str | None
    abstract: str | None
    citations: List[int] | None

    def record(self) -> LitsearchDoc | LitsearchFullDoc:
        """Return the paper as LitsearchDoc."""
        return LitsearchDoc(
            str(self.corpusid),
            self.title or "",
            self.abstract or "",
            tuple(map(str, self.citations or ())),
        )


class FullPaper(Paper):
    """A row of ``corpus_clean/``."""

    full_paper: str | None

    def record(self) -> LitsearchFullDoc:
        """Return the paper as LitsearchFullDoc."""
        return LitsearchFullDoc(*super().record()[:4], self.full_paper or "")


class Question(Struct):
    """A row of ``query/``; specificity: 0 (broad) or 1 (specific)."""

    query: str
    query_set: str
    specificity: Annotated[int, Meta(ge=0, le=1)]
    quality: Annotated[int, Meta(ge=1, le=2)]
    corpusids: List[int]

    def record(self, number: int) -> LitsearchQuery:
        """Return the row of this number as LitsearchQuery."""
        return LitsearchQuery(
            str(number),
            self.query,
            self.query_set,
            SPECIFICITIES[self.specificity],
            self.quality,
        )


def read_papers(release: Release, full: bool) -> Iterator[LitsearchDoc | LitsearchFullDoc]:
    """Yield the papers in the files' order, which must exist; decode full texts only if `full`."""
    for source in corpus(release):
        for paper in read_parquet(source.place(), FullPaper if full else Paper):
            yield paper.record()


def read_questions(release: Release) -> Iterator[tuple[LitsearchQuery, tuple[str, ...]]]:
    """Yield (question, ids of the papers sought), in the file's order."""
    path = release.place("queries")
    questions = read_parquet(path, Question, content=release.read("queries"))
    for number, row in enumerate(questions):
        yield row.record(number), tuple(map(str, row.corpusids))
