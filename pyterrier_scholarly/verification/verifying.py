"""Verify printed rows: run every check that this machine can run, and report each of them.

verify_papers("csfcube", report="csfcube.json")
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import msgspec

from ir_datasets_ext.store import Entries, fingerprint

from ..encoders import VectorCache
from ..evaluation import printed_tables, published
from ..progress import say
from ..protocols import PROTOCOLS
from .descriptions import DescriptionCheck
from .outcomes import Outcome, Promise, Status, status_of
from .planning import Check, plan_checks, release_of, why_no_check
from .report import DataFile, Report, describe_machine, hash_release, list_versions
from .rows import PrintedRow, choose_rows, list_rows
from .systems import Resources
from .timing import time_call


@dataclass(frozen=True)
class Job:
    """A check that is to be run, with the seconds that it is expected to take."""

    check: Check
    key: bytes
    seconds: float


def verify_papers(
    collection: str,
    rows: Iterable[str] | None = None,
    *,
    budget: float | None = None,
    report: str | Path | None = None,
    save_dir: str | Path | None = None,
    rankings: str | Path | None = None,
    models: Mapping[str, object] | None = None,
    client: object = None,
    ask_apis: bool = False,
    load_weights: bool = True,
    precision: str = "fp32",
    device: str | None = None,
    verbose: bool = True,
) -> Report:
    """Compare our figures with the printed ones, for every row that this machine can run.

    A row has up to two promises, which are checked apart: that our *measure* gives the authors'
    figure on the authors' ranking, and that our *system* gives their figure. A row of a table that
    describes the collection has one: that our description is theirs. The cheapest checks run
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
    if budget is not None and budget < 0:
        raise ValueError(f"budget={budget}: expected minutes, 0 or more.")
    chosen_rows = choose_rows(list_rows(collection), rows)

    folder = Path(save_dir) if save_dir is not None else VectorCache().path / "verified"
    options = {"models": models, "client": client, "precision": precision, "device": device}
    resources = Resources(options, load_weights, ask_apis, folder / "runs")
    data = hash_release(collection)
    store = Entries(folder / "rows", remedy="Pass a `save_dir` that you can write to.")
    store.ensure_writable()

    start = monotonic()
    checks: list[Check] = []
    outcomes: dict[tuple[PrintedRow, Promise], Outcome] = {}
    for row in chosen_rows:
        of_row = plan_checks(row, resources, None if rankings is None else Path(rankings))
        checks += of_row
        if not of_row:
            outcome = _describe_row_without_check(row)
            outcomes[row, outcome.promise] = outcome

    jobs: list[Job] = []
    for check in checks:
        key = _key_of(check, data, precision)
        saved = store.get_many([key])
        reason = _why_not(check)
        if saved:
            outcome = msgspec.json.decode(saved[key], type=Outcome)
        elif reason:
            outcome = _not_run(check, reason)
        else:
            seconds, reason = _estimate(check)
            if not reason:
                jobs.append(Job(check, key, seconds))
                continue
            outcome = _not_run(check, reason)
        outcomes[check.row, check.promise] = outcome

    jobs.sort(key=lambda job: job.seconds)
    expected_seconds = sum(job.seconds for job in jobs)
    if verbose:
        say(_describe_plan(collection, jobs, expected_seconds, finished=len(checks) - len(jobs)))

    for number, job in enumerate(jobs, 1):
        seconds_left = None if budget is None else 60 * budget - (monotonic() - start)
        if seconds_left is not None and job.seconds > seconds_left:
            outcome = _not_run(
                job.check,
                f"it is expected to take {job.seconds:.0f} s, and {max(seconds_left, 0):.0f} s of "
                "the budget are left",
            )
        else:
            outcome = _run(job.check)
            if outcome.status is not Status.NOT_RUN:
                store.put_many({job.key: msgspec.json.encode(outcome)})
        outcomes[job.check.row, job.check.promise] = outcome
        if verbose:
            say(f"[{number}/{len(jobs)}] {job.check.row.id}: {outcome.status.value}")

    in_order = [outcomes[key] for key in _order(chosen_rows, outcomes)]
    written = Report(
        collection=collection,
        outcomes=tuple(in_order),
        versions=list_versions(),
        machine=describe_machine(),
        data=data,
        precision=precision,
        expected_seconds=round(expected_seconds, 1),
        seconds=round(monotonic() - start, 1),
    )
    written = msgspec.structs.replace(written, digest=written.compute_digest())
    if report is not None:
        written.write(report)
    return written


def _order(
    rows: Iterable[PrintedRow], outcomes: Mapping[tuple[PrintedRow, Promise], Outcome]
) -> list[tuple[PrintedRow, Promise]]:
    """Return the keys of outcomes in the order of the tables."""
    return [(row, promise) for row in rows for promise in Promise if (row, promise) in outcomes]


def _key_of(check: Check, data: tuple[DataFile, ...], precision: str) -> bytes:
    """Return the key of a check's outcome: it changes with all that the figures depend on."""
    depends_on = {
        "row": list(check.row),
        "promise": check.promise.value,
        "command": check.command,
        "printed": _printed_figures(check.row),
        "data": [file.sha256 for file in data],
        "files": check.hash_files(),
        "models": check.hash_models(),
        "precision": precision,
        "versions": list_versions(),
    }
    return fingerprint(depends_on).encode()


def _printed_figures(row: PrintedRow) -> list[str]:
    """Return what is printed in a row, as texts."""
    figures = published(row.collection)
    is_row = (figures["table"] == row.table) & (figures["system"] == row.name)
    if is_row.any():
        return [str(value) for value in figures[is_row]["value"]]
    table = printed_tables(row.collection)[row.table]
    return [str(record) for record in table.to_dict("records")]


def _why_not(check: Check) -> str:
    """Say why a check cannot run here, also because the release is missing; "" if it can."""
    release = release_of(check.row.collection)
    if release is not None and not any(source.present() for source in release.sources.values()):
        title = PROTOCOLS[check.row.collection].title
        return f"the release of {title} is not on this machine; its page says how to get it"
    return check.why_not()


def _estimate(check: Check) -> tuple[float, str]:
    """Return the seconds that a check is expected to take, or why its sample could not run."""
    try:
        return check.estimate_seconds(), ""
    except (ValueError, LookupError, OSError, ImportError, RuntimeError) as error:
        return 0.0, _first_sentence(error)


def _run(check: Check) -> Outcome:
    """Run a check; an error becomes the reason why it could not run."""
    cells: tuple = ()

    def compute() -> None:
        nonlocal cells
        cells = check.run()

    try:
        seconds = time_call(compute)
    except (ValueError, LookupError, OSError, ImportError, RuntimeError) as error:
        return _not_run(check, _first_sentence(error))
    if not cells:
        return _not_run(check, "none of its printed figures has one of ours beside it")

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


def _count_printed(check: Check, compared: int) -> int:
    """Return the number of printed figures of a check's row."""
    if isinstance(check, DescriptionCheck):
        return max(compared, check.count_printed())
    figures = published(check.row.collection)
    is_row = (figures["table"] == check.row.table) & (figures["system"] == check.row.name)
    return int(is_row.sum())


def _not_run(check: Check, reason: str) -> Outcome:
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
    reason = why_no_check(row)
    promise = Promise.SYSTEM if reason.startswith("not public") else Promise.DESCRIPTION
    return Outcome(*row, promise=promise, status=Status.NOT_RUN, command="", reason=reason)


def _first_sentence(error: Exception) -> str:
    """Return an error's message on one line, without folders of this machine."""
    message = error.args[0] if isinstance(error, KeyError) and error.args else error
    text = " ".join(str(message).split())
    words = [os.path.basename(word) if os.path.isabs(word) else word for word in text.split(" ")]
    return " ".join(words)[:500]


def _describe_plan(collection: str, jobs: list[Job], seconds: float, finished: int) -> str:
    """Say what is about to be run, and how long it is expected to take."""
    if not jobs:
        return f"{collection}: no check is left to run; {finished} are finished or cannot run here."
    minutes = seconds / 60
    return (
        f"{collection}: {len(jobs)} checks to run, {finished} finished before or impossible here. "
        f"Expected time, measured on samples: {minutes:.1f} minutes, the cheapest first."
    )
