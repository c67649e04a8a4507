"""Judge reports of others: what may be shown as reported, and what is refused, with the reason.

Nobody can prove from a file that a figure was computed. A report is refused if it contradicts
itself, what is printed, or the release; its rows are shown with a warning if they are outdated or
contradict each other or our own checks. None of its rows ever counts as verified.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..evaluation import printed_tables, published
from ..frames import some
from ..protocols import PROTOCOLS
from .outcomes import Basis, Cell, Outcome, Promise, Status, status_of
from .planning import plan_checks, release_of
from .report import PACKAGE, Report, list_versions
from .rows import PrintedRow, label_of, list_rows

#: how far a figure in a report may be from the printed one that it claims to quote
ROUNDING = 1e-9


class ReportedRow(NamedTuple):
    """A row that somebody else checked.

    outcome: as reported.
    report: what it is from.
    doubt: why it is not to be relied on; "" for no reason.
    """

    outcome: Outcome
    report: Report
    doubt: str = ""


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

    own_by_row = {_key_of(outcome): outcome for outcome in own if outcome.cells}
    rows = [
        ReportedRow(outcome, report)
        for report in reports
        for outcome in report.outcomes
        if outcome.status not in (Status.NOT_RUN, Status.PART)
    ]
    return [row._replace(doubt=_find_doubt(row, rows, own_by_row)) for row in rows]


def check_report(report: Report) -> None:
    """Raise ValueError for a report that cannot be true."""
    _check_data(report)
    known_rows = {row: row for row in list_rows(report.collection)}
    for outcome in report.outcomes:
        row = PrintedRow(outcome.collection, outcome.table, outcome.row)
        if row not in known_rows or outcome.collection != report.collection:
            raise ValueError(f"The report has a row that is not printed: {row.id!r}.")
        _check_outcome(row, outcome)


def _check_data(report: Report) -> None:
    """Raise ValueError if a file is not the release's, as far as the release states its hashes."""
    release = release_of(report.collection)
    sources = {} if release is None else {one.name: one for one in release.sources.values()}
    for file in report.data:
        source = sources.get(file.name)
        if source is None:
            raise ValueError(f"The report names a file that is not the release's: {file.name!r}.")
        stated = getattr(source, "digest", None)
        certain = stated is not None and not getattr(source, "uncertain", False)
        whole = any(outcome.is_verified for outcome in report.outcomes)
        if certain and whole and file.digest != stated and _needs_whole(report):
            raise ValueError(
                f"The report's {file.name} has another hash than the release's: {file.digest}, "
                f"expected {stated}."
            )


def _needs_whole(report: Report) -> bool:
    """Return whether a report says that our system's figures are over the whole release."""
    return report.count(Promise.SYSTEM) > 0


def _check_outcome(row: PrintedRow, outcome: Outcome) -> None:
    """Raise ValueError if an outcome contradicts itself or what is printed."""
    where = f"The report's row {row.id!r} ({outcome.promise.value})"
    if outcome.status is Status.NOT_RUN:
        return

    promises = [check.promise for check in plan_checks(row)]
    if outcome.promise not in promises:
        raise ValueError(f"{where}: there is no such check.")
    if not outcome.cells or status_of(outcome.cells) is not outcome.status:
        raise ValueError(f"{where} is called {outcome.status.value!r}, against its own figures.")
    columns = [cell.column for cell in outcome.cells]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{where} has a column twice.")

    printed = _read_printed(row)
    largest_margin = _largest_margin(row)
    for cell in outcome.cells:
        if isinstance(cell.found, str) != isinstance(cell.expected, str) or not cell.has_figure:
            raise ValueError(f"{where}: {cell.column} is {cell.found!r}, which is no figure.")
        if cell.margin > largest_margin:
            raise ValueError(f"{where}: {cell.column} allows {cell.margin}, more than resampling.")
        if cell.basis is Basis.CODE:
            continue
        if cell.column not in printed or not _is_same(cell.expected, printed[cell.column]):
            raise ValueError(
                f"{where}: {cell.column} is said to be printed as {cell.expected}; printed is "
                f"{printed.get(cell.column, 'nothing')}."
            )
        if outcome.promise is Promise.SYSTEM and cell.decimals != _decimals_of(row):
            raise ValueError(f"{where}: {cell.column} is compared with {cell.decimals} decimals.")


def _read_printed(row: PrintedRow) -> dict[str, object]:
    """Return the printed figures of a row, by column."""
    figures = published(row.collection)
    figures = figures[(figures["table"] == row.table) & (figures["system"] == row.name)]
    if len(figures):
        unit = PROTOCOLS[row.collection].unit
        return {
            f"{figure.subset} {figure.label}".strip(): unit * float(figure.value)
            for figure in figures.itertuples(index=False)
        }

    table = printed_tables(row.collection)[row.table]
    (record,) = (one for one in table.to_dict("records") if label_of(one) == row.name)
    by_heading = {heading: value for heading, value in record.items()}
    # "Broad #Q" is the column "broad #Q" of a check
    return by_heading | {
        heading[0].lower() + heading[1:]: value for heading, value in record.items()
    }


def _is_same(stated: float | str, printed: object) -> bool:
    if isinstance(stated, str):
        return stated == printed
    return abs(stated - float(str(printed))) <= ROUNDING


def _decimals_of(row: PrintedRow) -> int:
    return PROTOCOLS[row.collection].decimals


def _largest_margin(row: PrintedRow) -> float:
    """Return the most that resampling can explain: a tenth of the printed scale's hundredth."""
    protocol = PROTOCOLS[row.collection]
    return 0.01 * protocol.unit if protocol.resamples else 0.0


def _find_doubt(
    row: ReportedRow, rows: Sequence[ReportedRow], own_by_row: dict[tuple, Outcome]
) -> str:
    """Say why a reported row is not to be relied on; "" for no reason."""
    theirs = row.report.versions.get(PACKAGE, "")
    ours = list_versions([PACKAGE]).get(PACKAGE, "")
    if theirs != ours:
        return f"outdated: by version {theirs or 'unknown'}, this is {ours}"

    passed = [name for name, value in row.outcome.models.items() if not value.startswith(name)]
    if passed:
        return f"with other files than the hub's for {some(passed)}"

    key = _key_of(row.outcome)
    if key in own_by_row and _contradict(row.outcome, own_by_row[key]):
        return "contradicts our own check of the same row"
    for other in rows:
        same_row = _key_of(other.outcome) == key and other.report is not row.report
        if same_row and _contradict(row.outcome, other.outcome):
            return "contradicts another report of the same row"
    return ""


def _key_of(outcome: Outcome) -> tuple[str, str, str, Promise]:
    return outcome.collection, outcome.table, outcome.row, outcome.promise


def _contradict(one: Outcome, other: Outcome) -> bool:
    """Return whether two outcomes have different figures in a column over as many queries."""
    cell_by_column: dict[str, Cell] = {cell.column: cell for cell in other.cells}
    for cell in one.cells:
        beside = cell_by_column.get(cell.column)
        if beside is None or (cell.queries, cell.part) != (beside.queries, beside.part):
            continue
        if cell.format(cell.found) != beside.format(beside.found):
            return True
    return False
