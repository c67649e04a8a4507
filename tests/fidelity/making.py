"""Make the page, and the files that say what of `published` is verified."""

import csv
import io
from pathlib import Path

from msgspec.structs import replace

from pyterrier_scholarly import published
from pyterrier_scholarly.protocols import PROTOCOLS
from pyterrier_scholarly.verification import (
    PrintedRow,
    Promise,
    Status,
    judge_reports,
    read_report,
    verify_papers,
)
from pyterrier_scholarly.verification.planning import plan_checks

from .page import TITLES, page

#: reports of others that were accepted
REPORTED = Path(__file__).with_name("reported")
#: reports of our own checks of systems whose weights are not at hand where the page is made
OWN = Path(__file__).with_name("own")


def check_all(save_dir, verbose=False):
    """Run every check that loads no weights, and add the kept ones: collection -> report."""
    reports = {}
    for collection in TITLES:
        report = verify_papers(collection, save_dir=save_dir, load_weights=False, verbose=verbose)
        reports[collection] = _add_kept_outcomes(report)
    return reports


def read_kept():
    """Return the reports of our own checks that needed weights."""
    return [read_report(path) for path in sorted(OWN.glob("*.json"))]


def _add_kept_outcomes(report):
    """Return a report with the kept outcomes of those checks that could not run here."""
    kept = {}
    for kept_report in read_kept():
        if kept_report.collection == report.collection:
            for outcome in kept_report.outcomes:
                kept[_name_check(outcome)] = _tell_present_reasons(outcome)

    outcomes = []
    for outcome in report.outcomes:
        has_run = outcome.status is not Status.NOT_RUN
        outcomes.append(outcome if has_run else kept.get(_name_check(outcome), outcome))
    return replace_outcomes(report, outcomes)


def _tell_present_reasons(outcome):
    """Return a kept outcome with the reasons of differences in today's words: figures stay."""
    row = PrintedRow(outcome.collection, outcome.table, outcome.row)
    for check in plan_checks(row):
        if check.promise is outcome.promise:
            return replace(outcome, known=dict(check.known_differences))
    return outcome


def replace_outcomes(report, outcomes):
    """Return a report with other outcomes, and their digest."""
    changed = replace(report, outcomes=tuple(outcomes))
    return replace(changed, digest=changed.compute_digest())


def _name_check(outcome):
    """Return which check an outcome is of."""
    return outcome.table, outcome.row, outcome.promise


def check_differences(reports):
    """Raise ValueError for a difference without a known reason, or one that is gone."""
    for report in reports.values():
        for outcome in report.outcomes:
            differing = {cell.column for cell in outcome.differing}
            if outcome.status is Status.DIFFERS and differing != set(outcome.known):
                raise ValueError(f"{outcome.command}: differs in {differing}")


def make_files(reports, folder=REPORTED):
    """Return what the page and each collection's ``verified.csv`` hold: path -> text."""
    from .page import PATH

    own = [outcome for report in reports.values() for outcome in report.outcomes]
    check_differences(reports)
    others = [read_report(path) for path in sorted(folder.glob("*.json"))]
    files = {PATH: page(reports, judge_reports(others, own))}
    for collection, report in reports.items():
        files[PROTOCOLS[collection].folder / "verified.csv"] = _write_verified(report)
    return files


def _write_verified(report):
    """Return a line for each printed figure that a check found equal."""
    verified = {}
    for outcome in report.outcomes:
        if outcome.promise is Promise.DESCRIPTION or not outcome.is_verified:
            continue
        for cell in outcome.cells:
            for subset in _subsets_of(outcome, cell):
                key = (outcome.table, outcome.row, subset, cell.label)
                verified.setdefault(key, {})[outcome.promise] = cell.basis.value

    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    head = ["table", "name", "subset", "label", "measure_verified", "system_verified"]
    lines.writerow(head)
    for key, promises in verified.items():
        lines.writerow([*key, promises.get(Promise.MEASURE, ""), promises.get(Promise.SYSTEM, "")])
    return text.getvalue()


def _subsets_of(outcome, cell):
    """Return the printed subsets of a cell."""
    rows = published(outcome.collection)
    is_cell = (rows["table"] == outcome.table) & (rows["name"] == outcome.row)
    is_cell &= (rows["label"] == cell.label) & (rows["subset"] == cell.subset)
    return list(rows[is_cell]["subset"])


def add_report(path, folder=REPORTED, own=()):
    """Check a report of somebody else, and keep a copy of it; return what is to be shown of it.

    Raises:
        ValueError: it is refused, with the reason.
    """
    report = read_report(path)
    known = [read_report(other) for other in sorted(folder.glob("*.json"))]
    if report.digest in [other.digest for other in known]:
        raise ValueError(f"{path} is on the page already.")
    rows = judge_reports([*known, report], own)
    folder.mkdir(exist_ok=True)
    report.write(folder / f"{report.collection}-{report.digest[:12]}.json")
    return [row for row in rows if row.report is report]
