"""What a check of a printed row is: the interface of every kind of check.

There are five kinds: `RankingCheck` (the authors' ranking, our measure), `SystemCheck` and
`RandomCheck` (our ranking, their figures), `OrderCheck` (our ranking, theirs), and
`DescriptionCheck` (our description of the collection). ::

    if not check.why_not():
        cells = check.run()   # our figures beside the printed ones
"""

from collections.abc import Mapping
from typing import Protocol

from .outcomes import Cell, Promise
from .rows import PrintedRow


class Check(Protocol):
    """A check of a printed row.

    `verify_papers` calls, in this order: `hash_models` and `hash_files`, to find an outcome of an
    earlier call; `why_not`; `estimate_seconds`; `run`.
    """

    @property
    def row(self) -> PrintedRow:
        """The row."""

    @property
    def promise(self) -> Promise:
        """What the check proves if its cells are equal."""

    @property
    def source(self) -> str:
        """Whose ranking is evaluated, or what is computed."""

    @property
    def command(self) -> str:
        """Python that computes the figures."""

    @property
    def known_differences(self) -> Mapping[str, str]:
        """The reasons of known differences, by column."""

    def why_not(self) -> str:
        """Say all that keeps the check from running here; "" if nothing does."""

    def hash_models(self) -> dict[str, str]:
        """Return what stands for each model: a commit, or a hash of files."""

    def hash_files(self) -> dict[str, str]:
        """Return the sha256 of each file of rankings."""

    def estimate_seconds(self) -> float:
        """Return how long `run` takes, measured on a sample."""

    def run(self) -> tuple[Cell, ...]:
        """Return the row's cells."""
