"""Which checks a printed row has, what they need, and why a row has none.

::

    row = PrintedRow("doris-mae", "11", "BM25")
    for check in plan_checks(row):   # of our measure, and of our system
        print(check.promise, check.why_not() or check.run())
    print(describe_needs(row))       # "release DORIS-MAE; ranking …"
"""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol as Interface

from ir_datasets_ext.releases import Release

from ..arguments import check_arguments
from ..protocols import PROTOCOLS, System
from .descriptions import find_description
from .outcomes import Cell, Promise
from .random_check import RandomCheck
from .ranking_check import RankingCheck
from .released_rankings import find_released
from .rows import WHOLE_TABLE, PrintedRow
from .systems import Resources, SystemCheck, asks_api

#: number of a table of DORIS-MAE -> dataset of its row "random"
RANDOM_DATASETS = {
    "11": "doris-mae",
    "12": "doris-mae",
    "13": "doris-mae/aspect-queries",
    "14": "doris-mae/test",
    "15": "doris-mae/subqueries-2",
}


class Check(Interface):
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
        """Say why the check cannot run here; "" if it can."""

    def hash_models(self) -> dict[str, str]:
        """Return what stands for each model: a commit, or a hash of files."""

    def hash_files(self) -> dict[str, str]:
        """Return the sha256 of each file of rankings."""

    def estimate_seconds(self) -> float:
        """Return how long `run` takes, measured on a sample."""

    def run(self) -> tuple[Cell, ...]:
        """Return the row's cells."""


def plan_checks(
    row: PrintedRow, resources: Resources | None = None, rankings: Path | None = None
) -> list[Check]:
    """Return the checks of a printed row: of our measure, of our system, or of a description.

    Args:
        row: as printed.
        resources: what checks of systems may use.
        rankings: folder of released rankings; None for the one beside the release.
    """
    checks: list[Check] = []
    released = find_released(row)
    if released is not None:
        checks.append(RankingCheck(row, released, rankings))

    system = find_system(row)
    if system is not None:
        checks.append(SystemCheck(row, system, resources or Resources()))
    elif row.collection == "doris-mae" and row.name == "random" and row.table in RANDOM_DATASETS:
        checks.append(RandomCheck(row, RANDOM_DATASETS[row.table]))

    description = find_description(row)
    if description is not None:
        checks.append(description)
    return checks


def find_system(row: PrintedRow) -> System | None:
    """Return the named system of a printed row; None if it has none, or no public candidates."""
    protocol = PROTOCOLS[row.collection]
    if row.table in protocol.unpublished:
        return None
    for system in protocol.systems:
        if (row.name, row.table) in system.printed_rows:
            return system
    return None


def why_no_check(row: PrintedRow) -> str:
    """Say why a printed row has no check.

    Raises:
        ValueError: no reason is known, so one has to be written down, or a check.
    """
    protocol = PROTOCOLS[row.collection]
    if row.table in protocol.unpublished:
        return f"not public: {protocol.unpublished[row.table]}"
    if row.table in protocol.quoted:
        return f"quoted: {protocol.quoted[row.table]}"
    if row.table in protocol.other_tables and row.name == WHOLE_TABLE:
        other_table = protocol.other_tables[row.table]
        state = "quoted" if other_table.was_read else "not read"
        return f"{state}: {other_table.text}"
    if row.name in protocol.left_out:
        return f"not public: {protocol.left_out[row.name]}"
    if (row.collection, row.table) == ("litsearch", "2.5"):
        return "not public: the release does not say which papers are whose"
    raise ValueError(f"{row}: there is no check of this row, and no reason for that.")


@dataclass(frozen=True)
class Needs:
    """What somebody needs to verify a row.

    release: the collection's release; "" for none.
    ranking: files of the authors' ranking, for the measure.
    weights: names of models on the hub, for the system.
    client: an API's model, for the system.
    """

    release: str = ""
    ranking: str = ""
    weights: str = ""
    client: str = ""

    def __str__(self) -> str:
        needs = []
        if self.release:
            needs.append(f"release {self.release}")
        if self.ranking:
            needs.append(f"ranking {self.ranking}")
        if self.weights:
            needs.append(f"weights {self.weights}")
        if self.client:
            needs.append(f"a client of {self.client}")
        return "; ".join(needs)


@check_arguments
def describe_needs(row: PrintedRow) -> Needs:
    """Return what the checks of a printed row need."""
    checks = plan_checks(row)
    if not checks:
        return Needs()

    needs = Needs()
    if release_of(row.collection) is not None:
        needs = replace(needs, release=PROTOCOLS[row.collection].title)
    for check in checks:
        if isinstance(check, RankingCheck):
            needs = replace(needs, ranking=check.ranking.about)
        if isinstance(check, SystemCheck):
            needs = replace(
                needs,
                weights=" and ".join(_list_weights(check.chain)),
                client=" and ".join(_list_api_models(check.chain)),
            )
    return needs


def _list_weights(systems: Iterable[System]) -> list[str]:
    """Name the weights that systems load; a system without an encoder has none."""
    return [_name_weights(system) for system in systems if system.encoder and not asks_api(system)]


def _list_api_models(systems: Iterable[System]) -> list[str]:
    """Name the models that systems ask over an API."""
    return [system.run for system in systems if system.encoder and asks_api(system)]


def _name_weights(system: System) -> str:
    """Name a system's weights, with the adapter that is loaded on them."""
    adapter = system.settings.get("adapter")
    if not adapter:
        return system.run
    return f"{system.run} with the adapter {adapter}"


@lru_cache
def release_of(collection: str) -> Release | None:
    """Return the release of a collection; None if none is public."""
    module_name = f"ir_datasets_ext.{collection.replace('-', '_')}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError:
        return None
    return module.RELEASE
