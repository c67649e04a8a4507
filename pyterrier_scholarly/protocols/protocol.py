"""What a paper says of its collection, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .system import System


@dataclass(frozen=True)
class Protocol:
    """A collection's systems, printed tables, and what is known of them.

    collection: id of the dataset above its parts.
    title: as people write it.
    subset: from a row of `figures.csv` to the id of its dataset below the collection.
    measures: dict from a printed label to our measure, in the order of the tables' columns.
    elsewhere: dict from label to measure, where it differs over no dataset of ours.
    source: of printed figures; "" where the CSV has a column `source`.
    shape: of `recipes._forms.FORMS`, how its systems are put together.
    systems: rows of `systems(…).table`; `left_out`, the printed names that have none, with the
        reason.
    pools: whether queries come with candidates.
    facets: its parts, where they are facets with two folds, and every table has all measures.
    decimals, unit: as figures are printed, and what a value of 1 is printed as.
    remarks: dict from a table's number to what is known of its printed figures.
    in_sample: dict from the key of a system whose settings were found on the collection itself to
        what is to be said of that.
    printed: whether its papers print figures of it.
    """

    collection: str
    title: str
    subset: Callable[[dict], str]
    measures: dict[str, str]
    elsewhere: dict[str, str] = field(default_factory=dict)
    source: str = ""
    shape: str = ""
    systems: tuple[System, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    pools: bool = True
    facets: tuple[str, ...] = ()
    decimals: int = 2
    unit: int = 100
    remarks: dict[str, str] = field(default_factory=dict)
    in_sample: dict[str, str] = field(default_factory=dict)
    printed: bool = True

    @property
    def folder(self) -> Path:
        """Where `figures.csv` and ``tables/<number>.csv`` are, of what is printed."""
        return Path(__file__).parent / self.collection.replace("-", "_")
