"""How CSFCube's files are laid out, and the archive of S2ORC's abstracts."""

from typing import Annotated, List, Tuple

from msgspec import Meta, Struct, field

Grade = Annotated[int, Meta(ge=0, le=3)]
Rating = Annotated[int, Meta(ge=-1, le=3)]  # -1: missing
Year = Annotated[str, Meta(pattern="^[0-9]{0,4}(?![^0-9])$")]  # `$` alone lets a line break through


class Author(Struct):
    """S2ORC's form of a name."""

    first: str | None = None
    middle: List[str] | None = None
    last: str | None = None
    suffix: str | None = None


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

    def __post_init__(self):
        _check_lengths(self)


class Pool(Struct):
    """The candidates of a query paper and, as long, the methods that found them."""

    cands: List[str]
    cand_source: List[Tuple[str, ...]]

    def __post_init__(self):
        _check_lengths(self)


def _check_lengths(columns):
    for name in columns.__struct_fields__:
        values = getattr(columns, name)
        if values is not None and len(values) != len(columns.cands):
            count = len(columns.cands)
            raise ValueError(f"Expected {count} values of {name} for as many cands")


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
