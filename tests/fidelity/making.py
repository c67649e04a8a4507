"""Make the page, and the files that say what of `published` is verified."""

import csv
import io
from pathlib import Path

from pyterrier_scholarly import published
from pyterrier_scholarly.protocols import PROTOCOLS
from pyterrier_scholarly.verification import (
    Promise,
    Status,
    judge_reports,
    read_report,
    verify_papers,
)

from .page import TITLES, page

#: reports of others that were accepted
REPORTED = Path(__file__).with_name("reported")


def check_all(save_dir, verbose=False):
    """Run every check that loads no weights: collection -> report."""
    return {
        collection: verify_papers(
            collection, save_dir=save_dir, load_weights=False, verbose=verbose
        )
        for collection in TITLES
    }


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
    head = ["table", "system", "subset", "label", "measure_verified", "system_verified"]
    lines.writerow(head)
    for key, promises in verified.items():
        lines.writerow([*key, promises.get(Promise.MEASURE, ""), promises.get(Promise.SYSTEM, "")])
    return text.getvalue()


def _subsets_of(outcome, cell):
    """Return the printed subsets of a cell."""
    rows = published(outcome.collection)
    is_cell = (rows["table"] == outcome.table) & (rows["system"] == outcome.row)
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
