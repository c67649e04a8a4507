"""Choose the checks of a printed row.

::

    row = PrintedRow("doris-mae", "11", "BM25")
    for check in plan_checks(row):   # of our measure, and of our system
        print(check.promise, check.why_not() or check.run())
"""

from pathlib import Path

from ..protocols import PROTOCOLS, ReleasedRanking, System
from .descriptions import find_description
from .order_check import OrderCheck
from .random_check import find_random_check
from .ranking_check import RankingCheck
from .row_check import Check
from .rows import PrintedRow
from .systems import Resources, SystemCheck


def plan_checks(
    row: PrintedRow, resources: Resources | None = None, rankings: Path | None = None
) -> list[Check]:
    """Return all checks of a printed row; `explain_missing_check` says why there are none.

    The authors' ranking proves our measure. Our own ranking proves our system: that it gives their
    figures, and their ranking. Our description of the collection proves the rest.

    Args:
        row: as printed.
        resources: what checks of systems may use.
        rankings: folder of released rankings; None for the one beside the release.
    """
    checks: list[Check] = []

    released = find_released(row)
    ranking_check = None if released is None else RankingCheck(row, released, rankings)
    system = find_system(row)
    system_check = None if system is None else SystemCheck(row, system, resources or Resources())

    if ranking_check is not None:
        checks.append(ranking_check)
    if system_check is not None:
        checks.append(system_check)
    if ranking_check is not None and system_check is not None:
        checks.append(OrderCheck(ranking_check, system_check))

    random_check = find_random_check(row)
    if random_check is not None:
        checks.append(random_check)

    description = find_description(row)
    if description is not None:
        checks.append(description)
    return checks


def find_released(row: PrintedRow) -> ReleasedRanking | None:
    """Return the released ranking of a printed row; None if none is known."""
    for ranking in PROTOCOLS[row.collection].rankings:
        if row.name == ranking.row and row.table in ranking.tables:
            return ranking
    return None


def find_system(row: PrintedRow) -> System | None:
    """Return the named system that a printed row is about; None if there is no such.

    It is None, too, for a table whose candidates were not published: no system can rank them.
    """
    protocol = PROTOCOLS[row.collection]
    if row.table in protocol.unpublished:
        return None

    for system in protocol.systems:
        if (row.name, row.table) in system.printed_rows:
            return system
    return None
