"""What somebody needs to verify a printed row: a release, a ranking, weights, an API's model.

::

    print(describe_needs(PrintedRow("doris-mae", "11", "BM25")))   # "release DORIS-MAE"
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..arguments import check_arguments
from ..protocols import PROTOCOLS, System
from .collection_releases import find_release
from .planning import plan_checks
from .ranking_check import RankingCheck
from .rows import PrintedRow
from .systems import SystemCheck, asks_api


@dataclass(frozen=True)
class Needs:
    """What somebody needs to verify a row.

    release: the collection's release; "" for none.
    ranking: the authors' file, and what it ranks, for the measure.
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
    checks = plan_checks(row)  # at most one of each class
    if not checks:
        return Needs()

    release = ""
    if find_release(row.collection) is not None:
        release = PROTOCOLS[row.collection].title

    ranking = ""
    weights = ""
    client = ""
    for check in checks:
        if isinstance(check, RankingCheck):
            ranking = check.ranking.about
        if isinstance(check, SystemCheck):
            weights = " and ".join(_list_weights(check.chain))
            client = " and ".join(_list_api_models(check.chain))
    return Needs(release=release, ranking=ranking, weights=weights, client=client)


def _list_weights(systems: Iterable[System]) -> list[str]:
    """Name the weights that systems load; those that cannot be loaded here are none to look for."""
    return [
        _name_weights(system)
        for system in systems
        if system.encoder and not asks_api(system) and not system.absent
    ]


def _list_api_models(systems: Iterable[System]) -> list[str]:
    """Name the models that systems ask over an API."""
    return [system.model for system in systems if system.encoder and asks_api(system)]


def _name_weights(system: System) -> str:
    """Name a system's weights, with the adapter that is loaded on them."""
    adapter = system.settings.get("adapter")
    if not adapter:
        return system.model
    return f"{system.model} with the adapter {adapter}"
