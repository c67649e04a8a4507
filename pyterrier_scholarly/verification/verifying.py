"""Verify printed rows: run every check that this machine can run, and report each of them.

::

    verify_papers("csfcube", report="csfcube.json")
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import msgspec

from ..arguments import FilePath, NotNegative, check_arguments
from ..encoders import VectorCache
from ..progress import say
from ..protocols import PROTOCOLS
from .collection_releases import find_release
from .descriptions import DescriptionCheck
from .finished_rows import FinishedRows
from .missing_checks import explain_missing_check
from .missing_data import ERRORS, describe_error
from .outcomes import Outcome, Promise, Status, status_of
from .planning import plan_checks
from .report import Report, describe_machine, hash_release, list_versions
from .row_check import Check
from .rows import PrintedRow, choose_rows, list_rows, read_figures
from .systems import Resources


@dataclass(frozen=True)
class Job:
    """A check that is to be run, with the seconds that it is expected to take."""

    check: Check
    seconds: float


class Plan(NamedTuple):
    """What a call of `verify_papers` has to do.

    jobs: the checks that have to run, the cheapest first.
    outcomes: of all other checks: finished before, or impossible here.
    """

    jobs: list[Job]
    outcomes: list[Outcome]

    @property
    def seconds(self) -> float:
        """How long the jobs are expected to take."""
        return sum(job.seconds for job in self.jobs)


@check_arguments
def verify_papers(
    collection: str,
    rows: Iterable[str] | None = None,
    *,
    budget: NotNegative | None = None,
    report: FilePath | None = None,
    save_dir: FilePath | None = None,
    rankings: FilePath | None = None,
    models: Mapping[str, object] | None = None,
    client: object = None,
    ask_apis: bool = False,
    load_weights: bool = True,
    precision: str = "fp32",
    device: str | None = None,
    verbose: bool = True,
) -> Report:
    """Compare our figures with the printed ones, for every row that this machine can run.

    A row has up to three promises, which are checked apart: that our *measure* gives the authors'
    figure on the authors' ranking, that our system gives their *ranking*, and that our *system*
    gives their figure. A row of a table that describes the collection has one: that our description
    is theirs. The cheapest checks run
    first. An interrupted call resumes with the missing rows, and processes may share a folder.

    Args:
        collection: ``"csfcube"``, ``"litsearch"``, ``"doris-mae"`` or ``"rhsa"``.
        rows: ids of rows (``"11:BM25"``, table and name as printed; ``"SPECTER"`` in a table
            without a number), or numbers of tables (``"11"``); None for all.
        budget: minutes; a check that is expected to take longer than what is left is not run. None
            for no limit.
        report: file to write the report to, as JSON; None writes none.
        save_dir: folder of finished rows and of runs; None for ``verified`` in the folder of
            `VectorCache`.
        rankings: folder with the authors' rankings; None for the folder beside the release's
            files that the fidelity page names.
        models, client, precision, device: see `systems`. A `client` may be asked.
        ask_apis: whether the papers' APIs may be asked, which costs money and needs a key.
        load_weights: False leaves out the systems that load weights.
        verbose: say on stderr what is expected and what is found.

    Returns:
        A `Report`. Its outcomes have one of five statuses: equal; equal within the resampling of
        the authors' own code; differs; over part of the release; could not run, with the reason.

    Raises:
        ValueError: an unknown collection or row, or a budget below 0.
        OSError: the report or the folder cannot be written.
    """
    start = monotonic()
    deadline = None if budget is None else start + 60 * budget
    chosen_rows = choose_rows(list_rows(collection), rows)
    folder = Path(save_dir) if save_dir is not None else VectorCache().path / "verified"
    options = {"models": models, "client": client, "precision": precision, "device": device}
    resources = Resources(options, load_weights, ask_apis, folder / "runs", verbose)
    finished_rows = FinishedRows(folder / "rows", hash_release(collection), precision)

    if verbose:
        say(f"{collection}: measuring on samples how long each check takes …")
    rankings_folder = None if rankings is None else Path(rankings)
    plan = _plan_jobs(chosen_rows, resources, rankings_folder, finished_rows)
    if verbose:
        say(_describe_plan(collection, plan))

    outcomes = list(plan.outcomes)
    for number, job in enumerate(plan.jobs, 1):
        outcome = _run_in_time(job, deadline)
        finished_rows.add(job.check, outcome)
        outcomes.append(outcome)
        if verbose:
            say(f"[{number}/{len(plan.jobs)}] {job.check.row.id}: {outcome.status.value}")

    undigested_report = Report(
        collection=collection,
        outcomes=_sort_outcomes(outcomes, chosen_rows),
        versions=list_versions(),
        machine=describe_machine(),
        data=finished_rows.data,
        precision=precision,
        expected_seconds=round(plan.seconds, 1),
        seconds=round(monotonic() - start, 1),
    )
    digest = undigested_report.compute_digest()
    whole_report = msgspec.structs.replace(undigested_report, digest=digest)
    if report is not None:
        whole_report.write(report)
    return whole_report


def _plan_jobs(
    rows: Sequence[PrintedRow],
    resources: Resources,
    rankings: Path | None,
    finished_rows: FinishedRows,
) -> Plan:
    """Find out which checks have to run, and the outcomes of all others."""
    jobs: list[Job] = []
    outcomes: list[Outcome] = []
    for row in rows:
        checks = plan_checks(row, resources, rankings)
        if not checks:
            outcomes.append(_describe_row_without_check(row))
        for check in checks:
            finished_outcome = finished_rows.find(check)
            if finished_outcome is not None:
                outcomes.append(finished_outcome)
                continue

            prepared = _prepare_job(check)
            if isinstance(prepared, Job):
                jobs.append(prepared)
            else:
                outcomes.append(prepared)

    jobs.sort(key=lambda job: job.seconds)
    return Plan(jobs, outcomes)


def _sort_outcomes(outcomes: Iterable[Outcome], rows: Sequence[PrintedRow]) -> tuple[Outcome, ...]:
    """Return outcomes in the order of the printed rows; a row's are in the order of `Promise`."""
    number_by_row = {row: number for number, row in enumerate(rows)}
    promises = list(Promise)  # in the order of the class: measure, system, description

    def sort_key(outcome: Outcome) -> tuple[int, int]:
        row = PrintedRow(outcome.collection, outcome.table, outcome.row)
        return number_by_row[row], promises.index(outcome.promise)

    return tuple(sorted(outcomes, key=sort_key))


def _prepare_job(check: Check) -> Job | Outcome:
    """Return a job with the time that a check takes, or an outcome if it cannot run here."""
    reason = _why_not(check)
    if reason:
        return _describe_not_run(check, reason)
    try:
        return Job(check, check.estimate_seconds())
    except ERRORS as error:
        return _describe_not_run(check, describe_error(error))


def _run_in_time(job: Job, deadline: float | None) -> Outcome:
    """Run a check, unless it is expected to end after the deadline."""
    if deadline is not None:
        seconds_left = max(deadline - monotonic(), 0)
        if job.seconds > seconds_left or not seconds_left:
            return _describe_not_run(
                job.check,
                f"it is expected to take {job.seconds:.1f} s, and {seconds_left:.1f} s of the "
                "budget are left",
            )
    return _run_check(job.check)


def _why_not(check: Check) -> str:
    """Say why a check cannot run here, also because the release is missing; "" if it can."""
    release = find_release(check.row.collection)
    if release is not None:
        has_files = any(file.present() for file in release.values())
        if not has_files:
            title = PROTOCOLS[check.row.collection].title
            return f"the release of {title} is not on this machine; its page says how to get it"
    return check.why_not()


def _run_check(check: Check) -> Outcome:
    """Run a check; an error becomes the reason why it could not run."""
    start = monotonic()
    try:
        cells = tuple(cell for cell in check.run() if cell.has_figure)
    except ERRORS as error:
        return _describe_not_run(check, describe_error(error))
    seconds = monotonic() - start
    if not cells:
        return _describe_not_run(check, "none of its printed figures has one of ours beside it")

    return Outcome(
        *check.row,
        promise=check.promise,
        status=status_of(cells),
        command=check.command,
        source=check.source,
        cells=cells,
        models=check.hash_models(),
        files=check.hash_files(),
        known=dict(check.known_differences),
        seconds=round(seconds, 1),
        printed_cells=_count_printed(check, len(cells)),
    )


def _count_printed(check: Check, compared_count: int) -> int:
    """Return the number of printed figures of a check's row, of which so many were compared."""
    if isinstance(check, DescriptionCheck):
        return max(compared_count, check.count_printed())
    return len(read_figures(check.row))


def _describe_not_run(check: Check, reason: str) -> Outcome:
    """Return the outcome of a check that could not run."""
    return Outcome(
        *check.row,
        promise=check.promise,
        status=Status.NOT_RUN,
        command=check.command,
        source=check.source,
        reason=reason,
    )


def _describe_row_without_check(row: PrintedRow) -> Outcome:
    """Return the outcome of a row that nobody can check with what is public."""
    reason = explain_missing_check(row)
    promise = Promise.SYSTEM if reason.startswith("not public") else Promise.DESCRIPTION
    return Outcome(*row, promise=promise, status=Status.NOT_RUN, command="", reason=reason)


def _describe_plan(collection: str, plan: Plan) -> str:
    """Say what is about to be run, how long that may take, and what is known without a run."""
    impossible_count = sum(outcome.status is Status.NOT_RUN for outcome in plan.outcomes)
    finished_count = len(plan.outcomes) - impossible_count
    others = f"{finished_count} finished before, {impossible_count} cannot run here"
    if not plan.jobs:
        return f"{collection}: no check is left to run; {others}."
    return (
        f"{collection}: {len(plan.jobs)} checks to run, the cheapest first; {others}. Expected "
        f"time, measured on samples: {plan.seconds / 60:.1f} minutes."
    )
