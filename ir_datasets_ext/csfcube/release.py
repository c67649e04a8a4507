"""The layout of CSFCube's files, and their readers.

Its files have the keys docs, queries, splits, pool, and annotations/<facet> for each facet::

    for paper_id, annotations in read_annotations(release, "method").items():
        print(paper_id, annotations.list_ratings(query_id=paper_id))
"""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Annotated, List, NamedTuple, Tuple, TypeVar

from msgspec import Meta, Struct, defstruct, field

from ir_datasets_ext.csfcube.records import (
    ALL_FACETS,
    SPLITS,
    CsfcubeDoc,
    CsfcubePoolSource,
    CsfcubeRating,
)
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.releases import Release
from ir_datasets_ext.typed_records import DELETE, convert, read_json, read_lines, reading_error

Grade = Annotated[int, Meta(ge=0, le=3)]
Rating = Annotated[int, Meta(ge=-1, le=3)]  # -1: missing
Year = Annotated[str, Meta(pattern="^[0-9]{0,4}(?![^0-9])$")]  # `$` alone accepts a line break


class Author(Struct):
    """A name, as S2ORC has it."""

    first: str | None = None
    middle: List[str] | None = None
    last: str | None = None
    suffix: str | None = None

    def __str__(self) -> str:
        names = [self.first, *(self.middle or ()), self.last, self.suffix]
        return " ".join(name for name in names if name)


class Metadata(Struct):
    """Optional facts about a paper."""

    year: int | Year | None = None
    authors: List[str | Author] | None = None
    venue: str | None = None
    doi: str | None = None


class Paper(Struct):
    """A paper; `pred_labels` are one per sentence of `abstract`."""

    paper_id: str
    title: str | None
    abstract: Tuple[str, ...]
    pred_labels: Tuple[str, ...]
    metadata: Metadata

    def __post_init__(self) -> None:
        if len(self.abstract) != len(self.pred_labels):
            raise ValueError(
                f"Expected {len(self.abstract)} pred_labels for as many sentences of abstract"
            )

    def to_record(self) -> CsfcubeDoc:
        """Return the paper as CsfcubeDoc."""
        metadata = self.metadata
        authors = metadata.authors or ()
        return CsfcubeDoc(
            doc_id=self.paper_id,
            title=self.title or "",
            text=" ".join(self.abstract),
            sentences=self.abstract,
            labels=tuple(label.removesuffix("_label") for label in self.pred_labels),
            year=int(metadata.year or 0),
            authors=tuple(str(author) for author in authors),
            venue=metadata.venue or "",
            doi=metadata.doi or "",
        )


class Annotations(Struct):
    """The candidates of a query paper, and columns of their ratings."""

    cands: List[str]
    relevance_adju: List[Grade]
    relevance_max: List[Rating]
    relevance_min: List[Rating]
    relevance_ann1: List[Rating] | None = None
    relevance_ann2: List[Rating] | None = None
    relevance_ann3: List[Rating] | None = None
    relevance_ann4: List[Rating] | None = None

    def list_ratings(self, query_id: str) -> List[CsfcubeRating]:
        """Return a rating for each candidate."""
        return [
            CsfcubeRating(
                query_id=query_id,
                doc_id=doc_id,
                relevance=self.relevance_adju[number],
                relevance_max=self.relevance_max[number],
                relevance_min=self.relevance_min[number],
                ann1=_find_rating(self.relevance_ann1, number),
                ann2=_find_rating(self.relevance_ann2, number),
                ann3=_find_rating(self.relevance_ann3, number),
                ann4=_find_rating(self.relevance_ann4, number),
            )
            for number, doc_id in enumerate(self.cands)
        ]


class JudgedQuery(NamedTuple):
    """A query paper and a facet, with the annotations of its candidates."""

    query_id: str
    paper_id: str
    facet: str
    annotations: Annotations

    def list_ratings(self) -> List[CsfcubeRating]:
        """Return a rating for each candidate."""
        return self.annotations.list_ratings(self.query_id)

    def list_grades(self) -> List[Tuple[str, int]]:
        """Return each candidate with its adjudicated rating."""
        return list(zip(self.annotations.cands, self.annotations.relevance_adju))


class Pool(Struct):
    """The candidates of a query paper, and the methods that found each."""

    cands: List[str]
    cand_source: List[Tuple[str, ...]]


#: the splits file: for each facet and all, the parts, lists of `<paper>_<facet>`
Split = defstruct("Split", [(part, List[str]) for part in SPLITS.values()])
Splits = defstruct("Splits", [(facet, Split) for facet in (*FACETS, ALL_FACETS)])


class QueryRow(Struct):
    """A row of ``queries-release.csv``."""

    pid: str
    facet: str
    year: Year
    paper_type: str = field(name="paper type")


class QueryPaper(NamedTuple):
    """What the release says of a query paper; year: 0 if missing."""

    year: int
    paper_type: str


Columns = TypeVar("Columns", Annotations, Pool)


def read_docs(release: Release) -> Iterator[CsfcubeDoc]:
    """Yield the papers in the order of the file, which must exist."""
    path = release.place("docs")
    with path.open("rb") as lines:
        for paper in read_lines(path, lines, Paper):
            yield paper.to_record()


def read_annotations(release: Release, facet: str) -> dict[str, Annotations]:
    """Return the annotations by query paper, in the file's order."""
    return _read_columns(release, f"annotations/{facet}", Annotations)


def read_pool(release: Release) -> Iterator[CsfcubePoolSource]:
    """Yield the pools; each has two papers that nobody judged."""
    for paper_id, pool in _read_columns(release, "pool", Pool).items():
        for doc_id, sources in zip(pool.cands, pool.cand_source):
            yield CsfcubePoolSource(paper_id, doc_id, sources)


def read_pair_ids(release: Release, facet: str, split: str) -> list[str]:
    """Return the ids (``"<paper>_<facet>"``) of the pairs of query paper and facet in a split.

    Args:
        facet: a facet, or ALL_FACETS; `Splits` has a field of that name.
        split: the file's name of the part; `Split` has a field of that name.
    """
    path = release.place("splits")
    content = release.read("splits")
    splits = read_json(path, Splits, remedy=DELETE, content=content)

    split_of_facet = getattr(splits, facet)
    return getattr(split_of_facet, split)


def read_query_papers(release: Release) -> dict[tuple[str, str], QueryPaper]:
    """Return year and type of each query paper, by (paper's id, facet)."""
    path = release.place("queries")
    content = release.read("queries")
    try:
        text = StringIO(content.decode("utf-8-sig"), newline="")
        csv_rows = list(csv.DictReader(text, restkey=""))  # fields without a column are under ""
    except (UnicodeDecodeError, csv.Error) as error:
        raise reading_error(path, "", "", f"expected CSV in UTF-8, got {error}") from None

    query_papers = {}
    for number, csv_row in enumerate(csv_rows, 1):
        row = convert(csv_row, QueryRow, path, f"row {number}")
        year = int(row.year or 0)  # 0 if it is empty
        query_papers[row.pid, row.facet] = QueryPaper(year, row.paper_type)
    return query_papers


def _read_columns(release: Release, key: str, layout: type[Columns]) -> dict[str, Columns]:
    """Return the columns of each query paper in a file; each has as many values as candidates."""
    path = release.place(key)
    entries = read_json(path, dict, DELETE, release.read(key))
    columns_by_paper = {}
    for paper_id, entry in entries.items():
        record = f"query paper {paper_id}"
        columns = convert(entry, layout, path, record)
        _check_lengths(columns, path, record)
        columns_by_paper[paper_id] = columns
    return columns_by_paper


def _check_lengths(columns: Annotations | Pool, path: Path, record: str) -> None:
    """Raise ValueError unless all columns are as long as that of the candidates."""
    candidate_count = len(columns.cands)
    for name in columns.__struct_fields__:
        values = getattr(columns, name)
        if values is None:  # an annotator who did not rate this paper's candidates
            continue
        if len(values) != candidate_count:
            problem = (
                f"expected {candidate_count} values of {name} for as many cands, got {len(values)}"
            )
            raise reading_error(path, record, "", problem)


def _find_rating(ratings: List[int] | None, number: int) -> int | None:
    """Return the rating of a candidate; None of an annotator who rated none."""
    return None if ratings is None else ratings[number]
