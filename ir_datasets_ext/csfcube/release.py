"""The layout of CSFCube's files, and their readers.

Its files have the keys docs, queries, splits, pool, and annotations/<facet> for each facet.
"""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Annotated, List, Tuple, TypeVar

from msgspec import Meta, Struct, defstruct, field

from ir_datasets_ext.csfcube.records import SPLITS, CsfcubeDoc, CsfcubePoolSource
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
        return " ".join(filter(None, (self.first, *(self.middle or ()), self.last, self.suffix)))


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

    def record(self) -> CsfcubeDoc:
        """Return the paper as CsfcubeDoc."""
        metadata = self.metadata
        return CsfcubeDoc(
            doc_id=self.paper_id,
            title=self.title or "",
            text=" ".join(self.abstract),
            sentences=self.abstract,
            labels=tuple(label.removesuffix("_label") for label in self.pred_labels),
            year=int(metadata.year or 0),
            authors=tuple(map(str, metadata.authors or ())),
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


class Pool(Struct):
    """The candidates of a query paper, and the methods that found each."""

    cands: List[str]
    cand_source: List[Tuple[str, ...]]


#: the splits file: for each facet and all, the parts, lists of `<paper>_<facet>`
Split = defstruct("Split", [(part, List[str]) for part in SPLITS.values()])
Splits = defstruct("Splits", [(facet, Split) for facet in (*FACETS, "all")])


class QueryRow(Struct):
    """A row of ``queries-release.csv``."""

    pid: str
    facet: str
    year: Year
    paper_type: str = field(name="paper type")


Columns = TypeVar("Columns", Annotations, Pool)


def read_docs(release: Release) -> Iterator[CsfcubeDoc]:
    """Yield the papers in the order of the file, which must exist."""
    path = release.place("docs")
    with path.open("rb") as lines:
        for paper in read_lines(path, lines, Paper):
            yield paper.record()


def read_annotations(release: Release, facet: str) -> dict[str, Annotations]:
    """Return the annotations of each query paper."""
    return _by_paper(release, f"annotations/{facet}", Annotations)


def read_pool(release: Release) -> Iterator[CsfcubePoolSource]:
    """Yield the pools; each has two papers that nobody judged."""
    for paper, pool in _by_paper(release, "pool", Pool).items():
        for candidate, sources in zip(pool.cands, pool.cand_source):
            yield CsfcubePoolSource(paper, candidate, sources)


def read_pairs(release: Release, facet: str, split: str) -> list[str]:
    """Return the pairs of a part in the splits file, as `<paper>_<facet>`."""
    splits = read_json(release.place("splits"), Splits, DELETE, release.read("splits"))
    return getattr(getattr(splits, facet), split)


def read_query_papers(release: Release) -> dict[tuple[str, str], tuple[int, str]]:
    """Return (year, type of paper) by (paper, facet)."""
    path = release.place("queries")
    content = release.read("queries")
    try:
        text = StringIO(content.decode("utf-8-sig"), newline="")
        lines = list(csv.DictReader(text, restkey=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise reading_error(path, "", "", f"expected CSV in UTF-8, got {error}") from None

    rows = [convert(row, QueryRow, path, f"row {number}") for number, row in enumerate(lines, 1)]
    return {(row.pid, row.facet): (int(row.year or 0), row.paper_type) for row in rows}


def _by_paper(release: Release, key: str, layout: type[Columns]) -> dict[str, Columns]:
    path = release.place(key)
    papers: dict[str, Columns] = {}
    for paper, row in read_json(path, dict, DELETE, release.read(key)).items():
        columns = papers[paper] = convert(row, layout, path, f"query paper {paper}")
        for name in columns.__struct_fields__:
            values, count = getattr(columns, name), len(columns.cands)
            if values is not None and len(values) != count:
                what = f"expected {count} values of {name} for as many cands, got {len(values)}"
                raise reading_error(path, f"query paper {paper}", "", what)
    return papers
