"""The papers of a library as documents of ir_datasets, in one file of SQLite.

    write_papers(Path("docs.sqlite"), documents)
    papers = PaperStore(Path("docs.sqlite"))
    papers.get("smith2019").sentences
    papers.rows([0, 2])  # by their positions in the library

A file is written once, and its folder's manifest has its hash. It stays open, so whoever reads it
is not disturbed if it is removed, nor is a process that is forked from there.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Tuple  # noqa: UP035 (ir_datasets' exporters know Tuple alone)

import msgspec
from ir_datasets.indices import Docstore

from ir_datasets_ext.store import Documents

from .paper_record import PaperRecord

READ_TOGETHER = 1_000  # papers


class PaperDoc(NamedTuple):
    """A paper of a library as a document of ir_datasets.

    Attributes:
        text: the abstract; "" if the paper has none: then its title is its only sentence.
        labels: the facet of each sentence, see `FacetLabeller`; "" for a title.
        year: "" if unknown.
    """

    doc_id: str
    title: str
    text: str
    sentences: Tuple[str, ...]  # noqa: UP006
    labels: Tuple[str, ...]  # noqa: UP006
    year: str
    doi: str
    authors: Tuple[str, ...]  # noqa: UP006
    venue: str
    url: str

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}".strip()

    def to_record(self) -> PaperRecord:
        """Return the paper as a source would describe it."""
        year = int(self.year) if self.year else None
        return PaperRecord(
            paper_id=self.doc_id,
            title=self.title,
            abstract=self.text,
            year=year,
            doi=self.doi,
            authors=self.authors,
            venue=self.venue,
            url=self.url,
        )


class PaperStore(Docstore):
    """The papers in a file that `write_papers` wrote, by id or by position."""

    def __init__(self, path: Path) -> None:
        super().__init__(PaperDoc)
        self._path = path.absolute()
        self._process = os.getpid()
        self._connection = self._connect()

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[PaperDoc]:
        """Yield the papers of those ids, in the library's order, without unknown ones."""
        ids = json.dumps([str(doc_id) for doc_id in doc_ids])
        yield from self._read("doc_id in (select value from json_each(?))", ids)

    def rows(self, numbers: Sequence[int]) -> Iterator[PaperDoc]:
        """Yield the papers at these positions, ascending, from 0; `Documents` calls it."""
        for start in range(0, len(numbers), READ_TOGETHER):
            batch = [int(number) for number in numbers[start : start + READ_TOGETHER]]
            yield from self._read("number in (select value from json_each(?))", json.dumps(batch))

    def __iter__(self) -> Documents:
        return Documents(self, range(self.count()))

    def count(self) -> int:
        """Return the number of papers."""
        return self._count

    @cached_property
    def _count(self) -> int:
        ((count,),) = self._select("select count(*) from papers")
        return count

    def _read(self, condition: str, values: str) -> list[PaperDoc]:
        """Return the papers for which a condition of SQL holds; values: a list in JSON."""
        decode = msgspec.msgpack.Decoder(PaperDoc).decode
        sql = f"select paper from papers where {condition} order by number"
        return [decode(paper) for (paper,) in self._select(sql, values)]

    def _select(self, sql: str, *arguments: str) -> list[tuple[Any, ...]]:
        # A fork: a connection is not for two processes. Only it can read a file that was removed,
        # and this one can be shared, because it locks nothing and its reads have no position.
        if self._process != os.getpid() and self._path.exists():
            self._process = os.getpid()
            self._connection = self._connect()
        return self._connection.execute(sql, arguments).fetchall()

    def _connect(self) -> sqlite3.Connection:
        # immutable: neither locks nor a journal, which a disk that is read-only would refuse
        address = f"{self._path.as_uri()}?immutable=1"
        return sqlite3.connect(address, uri=True, check_same_thread=False)


def write_papers(path: Path, documents: Iterable[PaperDoc]) -> None:
    """Write papers with different ids to a new file."""
    encode = msgspec.msgpack.Encoder().encode
    rows = (
        (number, document.doc_id, encode(document)) for number, document in enumerate(documents)
    )
    with closing(sqlite3.connect(path)) as connection:
        # nobody else sees the new file, so it needs no journal
        connection.execute("pragma journal_mode = off")
        connection.execute(
            "create table papers (number integer primary key, doc_id text unique, paper blob)"
        )
        connection.executemany("insert into papers values (?, ?, ?)", rows)
        connection.commit()
