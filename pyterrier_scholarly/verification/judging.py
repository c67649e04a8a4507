"""Judge reports of others: what may be shown as reported, and what is refused, with the reason.

Nobody can prove from a file that a figure was computed. A report is refused if it contradicts
itself, what is printed, or the release; its rows are shown with a warning if they are outdated or
contradict each other or our own checks. None of its rows ever counts as verified.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ..arguments import check_arguments
from ..choices import some
from ..protocols import PROTOCOLS
from .collection_releases import find_release
from .outcomes import Basis, Cell, Outcome, Promise, Status, status_of
from .planning import plan_checks
from .report import PACKAGE, Report, list_versions
from .rows import PrintedRow, list_rows, read_figures, read_record

#: how far a figure in a report may be from the printed one that it claims to quote
ROUNDING = 1e-9


class CheckKey(NamedTuple):
    """What two outcomes of one check have in common."""

    collection: str
    table: str
    row: str
    promise: Promise


class ReportedRow(NamedTuple):
    """A row that somebody else checked.

    outcome: as reported.
    report: what it is from.
    doubt: why it is not to be relied on; "" for no reason.
    """

    outcome: Outcome
    report: Report
    doubt: str = ""


@check_arguments
def judge_reports(reports: Sequence[Report], own: Iterable[Outcome] = ()) -> list[ReportedRow]:
    """Return the rows that reports have figures for, each with what speaks against it.

    Args:
        reports: as `read_report` returns them.
        own: outcomes of our own checks, which a report must not contradict.

    Raises:
        ValueError: a report that cannot be true: a row or a figure that is not printed, a status
            that its own figures contradict, a file that is not the release's.
    """
    for report in reports:
        check_report(report)

    own_by_row = {_make_key(outcome): outcome for outcome in own if outcome.cells}
    rows = [
        ReportedRow(outcome, report)
        for report in reports
        for outcome in report.outcomes
        if outcome.status not in (Status.NOT_RUN, Status.PART)
    ]
    return [row._replace(doubt=_find_doubt(row, rows, own_by_row)) for row in rows]


def check_report(report: Report) -> None:
    """Raise ValueError for a report that cannot be true, such as one with a row never printed."""
    _check_data(report)

    printed_rows = set(list_rows(report.collection))
    for outcome in report.outcomes:
        row = PrintedRow(outcome.collection, outcome.table, outcome.row)
        is_of_collection = outcome.collection == report.collection
        if not is_of_collection or row not in printed_rows:
            raise ValueError(f"The report has a row that is not printed: {row.id!r}.")
        _check_outcome(row, outcome)


def _check_data(report: Report) -> None:
    """Raise ValueError if a file is not the release's, as far as the release states its hashes."""
    release = find_release(report.collection) or {}
    released_by_name = {released.name: released for released in release.values()}

    for file in report.data:
        released = released_by_name.get(file.name)
        if released is None:
            raise ValueError(f"The report names a file that is not the release's: {file.name!r}.")

        # only verified figures of our systems need the whole release
        needs_whole_release = report.count(Promise.SYSTEM) > 0
        is_certain = released.digest and not released.uncertain
        if needs_whole_release and is_certain and file.digest != released.digest:
            raise ValueError(
                f"The report's {file.name} has another hash than the release's: {file.digest}, "
                f"expected {released.digest}."
            )


def _check_outcome(row: PrintedRow, outcome: Outcome) -> None:
    """Raise ValueError if an outcome contradicts itself or what is printed."""
    if outcome.status is Status.NOT_RUN:
        return

    where = f"The report's row {row.id!r} ({outcome.promise.value})"
    promises = [check.promise for check in plan_checks(row)]
    if outcome.promise not in promises:
        raise ValueError(f"{where}: there is no such check.")
    if not outcome.cells or status_of(outcome.cells) is not outcome.status:
        raise ValueError(f"{where} is called {outcome.status.value!r}, against its own figures.")
    columns = [cell.column for cell in outcome.cells]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{where} has a column twice.")

    printed_by_column = _read_printed(row)
    for cell in outcome.cells:
        cell_name = f"{where}: {cell.column}"
        _check_figure(cell_name, cell)
        if cell.margin > _largest_margin(row):
            raise ValueError(f"{cell_name} allows {cell.margin}, more than resampling.")

        # what the authors' code computes is printed nowhere, so it quotes nothing
        if cell.basis is Basis.PRINTED:
            _check_quotation(cell_name, cell, printed_by_column)
        if cell.basis is Basis.PRINTED and outcome.promise is Promise.SYSTEM:
            _check_decimals(cell_name, cell, PROTOCOLS[row.collection].decimals)


def _check_figure(cell_name: str, cell: Cell) -> None:
    """Raise ValueError unless a cell has two numbers, or two texts, to compare."""
    has_text = isinstance(cell.found, str)
    expects_text = isinstance(cell.expected, str)
    if has_text != expects_text or not cell.has_figure:
        raise ValueError(f"{cell_name} is {cell.found!r}, which is no figure.")


def _check_quotation(cell_name: str, cell: Cell, printed_by_column: Mapping[str, object]) -> None:
    """Raise ValueError unless the figure that a cell calls printed is what the paper prints."""
    is_printed = cell.column in printed_by_column
    if not is_printed or not _is_same(cell.expected, printed_by_column[cell.column]):
        raise ValueError(
            f"{cell_name} is said to be printed as {cell.expected}; printed is "
            f"{printed_by_column.get(cell.column, 'nothing')}."
        )


def _check_decimals(cell_name: str, cell: Cell, printed_decimals: int) -> None:
    """Raise ValueError if figures are compared with more or fewer decimals than are printed."""
    if cell.decimals != printed_decimals:
        raise ValueError(f"{cell_name} is compared with {cell.decimals} decimals.")


def _read_printed(row: PrintedRow) -> dict[str, object]:
    """Return the printed figures of a row, by column: of a system, or of a description."""
    figures_of_system = read_figures(row)
    if len(figures_of_system):
        unit = PROTOCOLS[row.collection].unit
        return _collect_system_figures(figures_of_system, unit)
    return _collect_record_figures(read_record(row))


def _collect_system_figures(figures: pd.DataFrame, unit: float) -> dict[str, object]:
    """Return a system's figures by column, as a check names it: "background P@20".

    Args:
        figures: as `published` has them.
        unit: what the paper prints for 1: 100 for percent.
    """
    printed_by_column: dict[str, object] = {}
    for figure in figures.itertuples(index=False):
        column = f"{figure.subset} {figure.label}".strip()
        printed_by_column[column] = unit * float(figure.value)
    return printed_by_column


def _collect_record_figures(record: Mapping[str, object]) -> dict[str, object]:
    """Return the figures of a table that describes a collection, by heading.

    A check writes the name of a subset small: "broad #Q" for the heading "Broad #Q". So each figure
    stands under both.
    """
    printed_by_column: dict[str, object] = {}
    for heading, value in record.items():
        heading_of_check = heading[0].lower() + heading[1:]
        printed_by_column[heading] = value
        printed_by_column[heading_of_check] = value
    return printed_by_column


def _is_same(stated: float | str, printed: object) -> bool:
    """Return whether a report quotes a printed figure correctly, up to rounding."""
    if isinstance(stated, str):
        return stated == printed
    return abs(stated - float(str(printed))) <= ROUNDING


def _largest_margin(row: PrintedRow) -> float:
    """Return how far a correct figure may be from the printed one, on the printed scale.

    Figures that a paper computed on random samples may differ by a hundredth; others, not at all.
    """
    protocol = PROTOCOLS[row.collection]
    if not protocol.resamples:
        return 0.0
    return 0.01 * protocol.unit  # a unit is 100 if the paper prints percent


def _find_doubt(
    row: ReportedRow, rows: Sequence[ReportedRow], own_by_row: Mapping[CheckKey, Outcome]
) -> str:
    """Say why a reported row is not to be relied on; "" for no reason."""
    their_version = row.report.versions.get(PACKAGE, "")
    our_version = list_versions([PACKAGE]).get(PACKAGE, "")
    if their_version != our_version:
        return f"outdated: by version {their_version or 'unknown'}, this is {our_version}"

    # a model of the hub is identified as "name@commit", another one by a hash of its files
    replaced_models = [
        name for name, identity in row.outcome.models.items() if not identity.startswith(name)
    ]
    if replaced_models:
        return f"with other files than the hub's for {some(replaced_models)}"

    key = _make_key(row.outcome)
    if key in own_by_row and _contradict(row.outcome, own_by_row[key]):
        return "contradicts our own check of the same row"
    for other in rows:
        same_row = _make_key(other.outcome) == key and other.report is not row.report
        if same_row and _contradict(row.outcome, other.outcome):
            return "contradicts another report of the same row"
    return ""


def _make_key(outcome: Outcome) -> CheckKey:
    """Return the check that an outcome is of."""
    return CheckKey(outcome.collection, outcome.table, outcome.row, outcome.promise)


def _contradict(one: Outcome, other: Outcome) -> bool:
    """Return whether two outcomes have different figures in a column over as many queries."""
    cell_by_column: dict[str, Cell] = {cell.column: cell for cell in other.cells}
    for cell in one.cells:
        other_cell = cell_by_column.get(cell.column)
        if other_cell is None:
            continue
        same_queries = cell.queries == other_cell.queries and cell.part == other_cell.part
        if same_queries and cell.format(cell.found) != other_cell.format(other_cell.found):
            return True
    return False
