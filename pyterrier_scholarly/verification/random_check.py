"""The check of a printed random ranking: pools are shuffled many times.

::

    RandomCheck(PrintedRow("doris-mae", "11", "random"), "doris-mae").run()
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..datasets import irds
from ..evaluation import random_baseline
from ..tables.shape import find_shape
from .comparison import compare_with_print
from .outcomes import Cell, Promise
from .rows import PrintedRow
from .timing import time_call

TRIALS = 100  # how often the pools are shuffled
#: (collection, number of a table) -> dataset whose pools its row "random" is over
RANDOM_DATASETS = {
    ("doris-mae", "11"): "doris-mae",
    ("doris-mae", "12"): "doris-mae",
    ("doris-mae", "13"): "doris-mae/aspect-queries",
    ("doris-mae", "14"): "doris-mae/test",
    ("doris-mae", "15"): "doris-mae/subqueries-2",
}


@dataclass(frozen=True)
class RandomCheck:
    """Shuffled pools, beside the printed figures of a random ranking."""

    row: PrintedRow
    dataset: str
    promise = Promise.SYSTEM
    source = "shuffled pools"
    known_differences: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """Python that shuffles."""
        return f'random_baseline("{self.dataset}")'

    def why_not(self) -> str:
        """Return "": nothing but the pools is needed."""
        return ""

    def hash_models(self) -> dict[str, str]:
        """Return nothing: no model is loaded."""
        return {}

    def hash_files(self) -> dict[str, str]:
        """Return nothing: no ranking is read."""
        return {}

    def estimate_seconds(self) -> float:
        """Time a hundredth of the trials."""
        sample = max(1, TRIALS // 100)
        seconds = time_call(lambda: random_baseline(self.dataset, trials=sample))
        return seconds * TRIALS / sample

    def run(self) -> tuple[Cell, ...]:
        """Compare the means over trials; the margin is how far resampling may move them."""
        columns = find_shape(self.row.collection, self.row.table).columns
        means = random_baseline(self.dataset, trials=TRIALS)[["measure", "value", "std"]]
        figures = columns.merge(means, on="measure", how="left")
        figures = figures.assign(queries=_count_with_pool(self.dataset), part="")
        return compare_with_print(self.row, figures)


def find_random_check(row: PrintedRow) -> RandomCheck | None:
    """Return the check of a printed row "random"; None for other rows."""
    dataset = RANDOM_DATASETS.get((row.collection, row.table))
    if row.name != "random" or dataset is None:
        return None
    return RandomCheck(row, dataset)


def _count_with_pool(dataset: str) -> int:
    """Return the number of queries that have candidates."""
    return len({candidate.query_id for candidate in irds(dataset).scoreddocs_iter()})
