"""How LitSearch's Parquet files are laid out."""

from typing import Annotated, List

from msgspec import Meta, Struct


class Paper(Struct):
    """A row of ``corpus_clean/``, without its full text."""

    corpusid: int
    title: str | None
    abstract: str | None
    citations: List[int] | None


class FullPaper(Paper):
    """A row of ``corpus_clean/``."""

    full_paper: str | None


class Question(Struct):
    """A row of ``query/``; specificity: 0 (broad) or 1 (specific)."""

    query: str
    query_set: str
    specificity: Annotated[int, Meta(ge=0, le=1)]
    quality: Annotated[int, Meta(ge=1, le=2)]
    corpusids: List[int]
