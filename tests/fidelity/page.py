"""The page "Fidelity", as reStructuredText, from the reports of `verify_papers`."""

import re
from itertools import groupby
from pathlib import Path

from pyterrier_scholarly.verification import PrintedRow, Promise, Status, describe_needs, list_rows

from .statements import STATEMENTS

PATH = Path(__file__).parents[2] / "pyterrier_scholarly" / "pt_docs" / "fidelity.rst"
#: of the page, with places for the counts and for what others reported
HEAD = Path(__file__).with_name("head.rst")
TITLES = {
    "csfcube": "CSFCube [Mysore et al. 2021]",
    "litsearch": "LitSearch [Ajith et al. 2024]",
    "doris-mae": "DORIS-MAE [Wang et al. 2023]",
    "rhsa": "Random histogram slope analysis [Krstovski et al. 2016]",
}
FILE_NAMES = re.compile(r"\branking_\S+\.pickle\b")
MARKS = {
    Status.EQUAL: "**verified**",
    Status.RESAMPLED: "**verified** within resampling",
    Status.DIFFERS: "differs",
    Status.PART: "over part of the release",
}


def page(reports, reported=()) -> str:
    """Write the text of the page.

    Args:
        reports: dict from a collection to the `Report` of our own checks.
        reported: rows of others, as `judge_reports` returns them.
    """
    outcomes = [outcome for report in reports.values() for outcome in report.outcomes]
    head = HEAD.read_text(encoding="utf-8").replace("@counts@", _count(outcomes, reported))
    parts = [head.replace("@reported@", _list_reported(reported))]
    for collection, title in TITLES.items():
        parts.append(heading(title, "-"))
        for number, rows in groupby(list_rows(collection), key=lambda row: row.table):
            parts.append(heading(_title_of(number), "~"))
            parts.append(_table_of(list(rows), reports[collection].outcomes))
        statements = [one for one in STATEMENTS if one.collection == collection]
        parts.append(heading("Statements", "~"))
        known = [f"``{one.test}``" if one.test else one.why for one in statements]
        lines = [f"- {one.text} {said}\n" for one, said in zip(statements, known)]
        parts.append("".join(lines))
    return "\n".join(parts)


def _count(outcomes, reported) -> str:
    """Write the counts of both promises, and of everything else."""

    def number(promise, *statuses):
        return sum(one.promise is promise and one.status in statuses for one in outcomes)

    measures = [one for one in outcomes if one.promise is Promise.MEASURE and one.is_verified]
    by_code = [one for one in measures if one.cells[0].basis.value == "authors' code"]
    equal = (Status.EQUAL, Status.RESAMPLED)
    described = number(Promise.DESCRIPTION, *equal)
    by_print = len(measures) - len(by_code)
    rows = [
        (
            "**measure verified**",
            str(len(measures)),
            "On the authors' ranking our measure gives their figure: in "
            f"{by_print} rows the printed one, in {len(by_code)} what their code computes for the "
            "queries that are present.",
        ),
        (
            "**system verified**",
            str(number(Promise.SYSTEM, *equal)),
            "Our system gives the printed figure, over the whole release.",
        ),
        (
            "description verified",
            str(described),
            "A row that describes a collection was computed again from the release: sizes, "
            "lengths, names, correlations.",
        ),
        (
            "reported by others",
            str(len(reported)),
            "Somebody else's report. Never counted as verified.",
        ),
        (
            "over part of the release",
            str(sum(one.status is Status.PART for one in outcomes)),
            "It ran on fewer queries or documents than the paper's, so it is neither equal nor "
            "different.",
        ),
        (
            "differs",
            str(sum(one.status is Status.DIFFERS for one in outcomes)),
            "A cell is not the printed one, for the reason that is given.",
        ),
        (
            "not run",
            str(sum(one.status is Status.NOT_RUN for one in outcomes)),
            "Needs weights, a client, or the whole release; or cannot be run by anybody, because "
            "something is not public; or is text.",
        ),
    ]
    return table(["what", "checks", "meaning"], rows)


def _list_reported(reported) -> str:
    if not reported:
        return "No report has come in yet.\n"
    rows = [
        (
            TITLES[row.outcome.collection],
            PrintedRow(row.outcome.collection, row.outcome.table, row.outcome.row).id,
            f"{row.outcome.promise.value}: {row.outcome.status.value}",
            row.doubt or "no doubt was found",
            f"{row.report.machine.accelerator or row.report.machine.processor}, "
            f"{row.report.precision}",
        )
        for row in reported
    ]
    return table(["collection", "row", "reported", "doubt", "machine"], rows)


def _table_of(rows, outcomes) -> str:
    """Write the entries of a table's rows."""
    found = {(one.table, one.row, one.promise): one for one in outcomes}
    lines = []
    for row in rows:
        of_row = {promise: found.get((row.table, row.name, promise)) for promise in Promise}
        measure, system, description = of_row.values()
        ours = system or description
        command = next((one.command for one in of_row.values() if one and one.command), "")
        needs = _mark_file_names(str(describe_needs(row)))
        how = f"{needs}; ``{row.shell_command}``" if command else "nothing can be run"
        lines.append((row.name, _describe(measure), _describe(ours), how))
    has_systems = any((row.table, row.name, Promise.SYSTEM) in found for row in rows)
    return table(
        ["row", "measure", "system" if has_systems else "description", "to verify it"], lines
    )


def _describe(outcome) -> str:
    """Say what a check found, or why it did not run when the page was made."""
    if outcome is None:
        return "no ranking is public"
    if outcome.status is Status.NOT_RUN:
        if "which this call leaves out" in outcome.reason or "costs money" in outcome.reason:
            return "not run"
        reason = _mark_file_names(outcome.reason)
        return reason if not outcome.command else f"not run: {reason}"

    cells = f"{len(outcome.cells)} of {outcome.printed_cells} cells"
    text = f"{MARKS[outcome.status]}: {cells}, ``{outcome.command}``"
    if outcome.status is Status.PART:
        first = outcome.cells[0]
        text += f"; {first.part or f'{first.queries} of {first.of} queries'}"
    if outcome.cells[0].basis.value == "authors' code":
        text += "; compared with the authors' code, to four decimals"
    for cell in outcome.differing:
        text += (
            f"; {cell.column} is {cell.format(cell.found)}, printed {cell.format(cell.expected)}: "
            f"{outcome.known[cell.column]}"
        )
    if outcome.promise is Promise.MEASURE:
        text += f"; ranking: {_mark_file_names(outcome.source)}"
    return text


def _mark_file_names(text) -> str:
    """Mark names of files as literals: a word that ends in an underscore would be a link."""
    return FILE_NAMES.sub(r"``\g<0>``", text)


def _title_of(name) -> str:
    """Return the heading of a table, a section or a figure from its name in `printed_tables`."""
    if not name:
        return "Figures of several papers"
    if name.islower():
        return name.replace("-", " ").capitalize()
    is_section = "." in name
    return f"Section {name}" if is_section else f"Table {name}"


def heading(text, mark) -> str:
    """Format the title of a section."""
    return f"{text}\n{mark * 57}\n"


def table(head, rows) -> str:
    """Format a list-table; each text is one line."""
    lines = [".. list-table::", "    :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"    {'-' if n else '* -'} {text}" for n, text in enumerate(row)]
    return "\n".join(lines).replace("\n    - ", "\n      - ") + "\n"
