"""How CSFCube's files are laid out, and the archive of S2ORC's abstracts."""

from typing import Annotated, List, Tuple

from msgspec import Meta, Struct, field

from ir_datasets_ext.csfcube.records import CsfcubeDoc

Grade = Annotated[int, Meta(ge=0, le=3)]
Rating = Annotated[int, Meta(ge=-1, le=3)]  # -1: missing
Year = Annotated[str, Meta(pattern="^[0-9]{0,4}(?![^0-9])$")]  # `$` alone lets a line break through


class Author(Struct):
    """S2ORC's form of a name."""

    first: str | None = None
    middle: List[str] | None = None
    last: str | None = None
    suffix: str | None = None

    def __str__(self):
        return " ".join(filter(None, (self.first, *(self.middle or ()), self.last, self.suffix)))


class Metadata(Struct):
    """What may be known of a paper."""

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

    def __post_init__(self):
        if len(self.abstract) != len(self.pred_labels):
            count = len(self.abstract)
            raise ValueError(f"Expected {count} pred_labels for as many sentences of abstract")

    def record(self):
        """Return it as CsfcubeDoc."""
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
    """The candidates of a query paper and, as long, the columns of ratings."""

    cands: List[str]
    relevance_adju: List[Grade]
    relevance_max: List[Rating]
    relevance_min: List[Rating]
    relevance_ann1: List[Rating] | None = None
    relevance_ann2: List[Rating] | None = None
    relevance_ann3: List[Rating] | None = None
    relevance_ann4: List[Rating] | None = None


class Pool(Struct):
    """The candidates of a query paper and, as long, the methods that found them."""

    cands: List[str]
    cand_source: List[Tuple[str, ...]]


class Split(Struct):
    """Lists of `<paper>_<facet>`."""

    fold1_dev: List[str]
    fold1_test: List[str]
    fold2_dev: List[str]
    fold2_test: List[str]


class Splits(Struct):
    """The parts of each facet, and of all."""

    background: Split
    method: Split
    result: Split
    all: Split


class QueryRow(Struct):
    """A row of ``queries-release.csv``."""

    pid: str
    facet: str
    year: Year
    paper_type: str = field(name="paper type")
