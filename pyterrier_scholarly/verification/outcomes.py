"""What a check of a printed row finds: cells, their comparison with what is printed, a status.

Conventions: figures are in the printed unit (percent for most tables). A cell is equal if our
figure, with as many decimals as the expected one, is the same text.
"""

import math
from enum import StrEnum

from msgspec import Struct


class Promise(StrEnum):
    """What a check proves if its cells are equal."""

    #: the authors' ranking, our measure
    MEASURE = "measure"
    #: our system, the authors' ranking
    RANKING = "ranking"
    #: our system, their figure
    SYSTEM = "system"
    #: their collection, our description of it
    DESCRIPTION = "description"


class Status(StrEnum):
    """How a check ended."""

    EQUAL = "equal"
    RESAMPLED = "equal within the resampling of the authors' code"
    DIFFERS = "differs"
    PART = "over part of the release"
    NOT_RUN = "could not run"


class Basis(StrEnum):
    """Where the expected figure of a cell is from."""

    PRINTED = "printed"
    #: computed by the authors' code, for the queries that are present
    CODE = "authors' code"
    #: what a ranking that equals the authors' would have
    RANKING = "authors' ranking"


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """An expected figure, and ours beside it.

    Attributes:
        label: of the column, as in `published`.
        expected: in the printed unit; or a text, such as a name.
        found: ours, of the same kind.
        decimals: with which the two are compared.
        subset: of the column, as in `published`.
        margin: how far ours may be from the expected figure by the authors' resampling alone.
        basis: where the expected figure is from.
        queries: number of queries behind ours; 0 if unknown.
        of: number of queries behind the expected figure; 0 if unknown.
        part: what part of the documents was ranked; "" for all.
    """

    label: str
    expected: float | str
    found: float | str
    decimals: int = 0
    subset: str = ""
    margin: float = 0.0
    basis: Basis = Basis.PRINTED
    queries: int = 0
    of: int = 0
    part: str = ""

    @property
    def column(self) -> str:
        """The column's heading."""
        return f"{self.subset} {self.label}".strip()

    @property
    def has_figure(self) -> bool:
        """Whether there is a figure of ours: a mean over no queries is none."""
        return isinstance(self.found, str) or math.isfinite(self.found)

    @property
    def status(self) -> Status:
        """How the two figures compare."""
        has_all_queries = self.queries >= self.of
        has_all_documents = not self.part
        if not has_all_queries or not has_all_documents:
            return Status.PART
        if self.format(self.expected) == self.format(self.found):
            return Status.EQUAL
        if isinstance(self.expected, str) or isinstance(self.found, str):
            return Status.DIFFERS

        # the printed figure is rounded: it may be half a unit of the last decimal off
        rounding = 0.5 * 10**-self.decimals
        is_resampled = self.margin != 0  # else the authors' code draws no samples
        if is_resampled and abs(self.found - self.expected) <= self.margin + rounding:
            return Status.RESAMPLED
        return Status.DIFFERS

    def format(self, figure: float | str) -> str:
        """Return a figure with the decimals of the comparison."""
        if isinstance(figure, str):
            return figure
        return f"{figure:.{self.decimals}f}"


class Outcome(Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one check of a printed row.

    Attributes:
        collection, table, row: as in `published`.
        promise: what the check proves if its cells are equal.
        status: how it ended.
        command: Python that computes the figures.
        source: whose ranking it is, or which system ranks.
        reason: why the check could not run; "" if it did.
        cells: a cell for each printed figure that has one of ours beside it.
        models: name of a model -> its commit, or a hash of its files.
        files: name of a file of rankings -> its sha256.
        known: column -> the reason of a known difference.
        seconds: that the check took.
        printed_cells: number of the row's printed figures; some may have none of ours beside them.
    """

    collection: str
    table: str
    row: str
    promise: Promise
    status: Status
    command: str
    source: str = ""
    reason: str = ""
    cells: tuple[Cell, ...] = ()
    models: dict[str, str] = {}
    files: dict[str, str] = {}
    known: dict[str, str] = {}
    seconds: float = 0.0
    printed_cells: int = 0

    @property
    def is_verified(self) -> bool:
        """Whether every cell is what the authors have, but for their resampling."""
        return self.status in (Status.EQUAL, Status.RESAMPLED)

    @property
    def differing(self) -> list[Cell]:
        """The cells whose figures differ."""
        return [cell for cell in self.cells if cell.status is Status.DIFFERS]


#: of a row with cells of several statuses, the first one here is the row's
_ORDER = (Status.DIFFERS, Status.PART, Status.RESAMPLED, Status.EQUAL)


def status_of(cells: tuple[Cell, ...]) -> Status:
    """Return the status of a row with these cells; one without any could not run."""
    statuses = {cell.status for cell in cells}
    for status in _ORDER:
        if status in statuses:
            return status
    return Status.NOT_RUN


def margin_of_resampling(std: float, resamples: int) -> float:
    """Return how far the mean of resampled means may be from the mean itself.

    The means of `resamples` bootstrap samples of the queries have the standard deviation `std`, so
    their mean has ``std / sqrt(resamples)``. Four of these are exceeded once in 16,000 figures.
    """
    if not resamples:
        return 0.0
    return 4 * std / math.sqrt(resamples)
