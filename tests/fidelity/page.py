"""The page "Fidelity", as reStructuredText, from the reports of `verify_papers`."""

import re
from itertools import groupby
from pathlib import Path

from pyterrier_scholarly import published
from pyterrier_scholarly.protocols import PROTOCOLS
from pyterrier_scholarly.typed_records import DELETE
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
FILE_NAMES = re.compile(r"\b[\w/.*-]+\.(?:pickle|json|gz|parquet)\b")
#: printed names of systems for which there can be no ranking: pools are shuffled many times
WITHOUT_RANKING = ("random",)
#: names of one system in tables that spell it differently -> its name in `PROTOCOLS`' rankings
NAMES_OF_SYSTEMS = {"ANCE FirstP": "ANCE", "RocketQA-v2": "RocketQA", "ColBERTv2": "ColBERT-v2"}
#: DORIS-MAE's systems with an asterisk in table 13
STARRED = ("SentBERT", "RocketQA", "ANCE", "ColBERT-v2", "ERNIE", "SciBERT", "SciBERT ID")
#: what a check says of things that are missing where the page is made -> what the page says
MISSING_THINGS = (
    (re.compile(r"it loads weights \(.+?\), which this call leaves out"), "needs weights"),
    (
        re.compile(r"it asks an API \(text-embedding-ada-002\), which costs money"),
        "needs a key (the authors' vectors of queries and abstracts, Zenodo 8299749, are not read "
        "here)",
    ),
    (re.compile(r"it asks an API \(.+?\), which costs money"), "needs a key"),
    (
        re.compile(r"the ranking is not here: put .+? beside the release's files"),
        "its ranking is public, but not at hand",
    ),
    (
        # what the file lacks stands in the row "random" of the same table
        re.compile(r"Table \S+ of \S+ is over (\S+), without queries in .+? got none"),
        r"no queries of \1 can be made from the files at hand",
    ),
    (
        re.compile(r"Nothing to evaluate: no query of (\S+) has judgements in .+? missing files\."),
        r"no query of \1 has judgements in the files at hand",
    ),
)
#: why models of systems cannot be loaded
OBSTACLES = tuple(
    {
        system.absent
        for protocol in PROTOCOLS.values()
        for system in protocol.systems
        if system.absent
    }
)
MARKS = {
    Status.EQUAL: "**verified**",
    Status.RESAMPLED: "**verified** within resampling",
    Status.DIFFERS: "differs",
    Status.PART: "over part of the release",
}
#: of the forty queries' pools in the authors' public rankings, 3,129 of 4,296 documents are at hand
POOLS_AT_HAND = ", with 73 % of their pools"


def page(reports, reported=()) -> str:
    """Write the text of the page.

    Args:
        reports: dict from a collection to the `Report` of our own checks.
        reported: rows of others, as `judge_reports` returns them.
    """
    outcomes = [outcome for report in reports.values() for outcome in report.outcomes]
    head = HEAD.read_text(encoding="utf-8").replace("@counts@", _count(outcomes, reported))
    head = head.replace("@reported@", _list_reported(reported))
    parts = [head.replace("@rankings@", _list_rankings())]
    for collection, title in TITLES.items():
        parts.append(heading(title, "-"))
        for number, rows in groupby(list_rows(collection), key=lambda row: row.table):
            parts.append(heading(_title_of(number), "~"))
            remark = PROTOCOLS[collection].remarks.get(number)
            if remark:
                parts.append(f"{remark}\n")
            parts.append(_table_of(list(rows), reports[collection].outcomes))
        statements = [one for one in STATEMENTS if one.collection == collection]
        parts.append(heading("Statements", "~"))
        known = [f"``{one.test}``" if one.test else one.why for one in statements]
        lines = [f"- {one.text} {said}\n" for one, said in zip(statements, known)]
        parts.append("".join(lines))
    return "\n".join(parts)


def _count(outcomes, reported) -> str:
    """Write the counts of the promises, and of everything else."""

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
            f"{by_print} rows the printed one (LitSearch's on a run of GritLM-7B of unknown "
            f"origin), in {len(by_code)} what their code computes for the queries that are "
            "present.",
        ),
        (
            "**ranking verified**",
            str(number(Promise.RANKING, *equal)),
            "Our system gives the authors' ranking, on the queries and documents that are present.",
        ),
        (
            "**system verified**",
            str(number(Promise.SYSTEM, *equal)),
            "Our system gives the printed figure, over the whole release.",
        ),
        (
            "description verified",
            str(described),
            "A row that describes a collection or its systems was made again: sizes and lengths "
            "from the release, names of weights from our systems, correlations from printed "
            "figures.",
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
            "A figure is not the printed one, or an order not the authors', for the reason that is "
            "given.",
        ),
        (
            "not run",
            str(sum(one.status is Status.NOT_RUN for one in outcomes)),
            "Needs weights, a key, a ranking, or more of the release; or cannot be run by anybody, "
            "because something is not public; or is text, or a table that was not read.",
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


def _list_rankings() -> str:
    """Say where the authors' files are from, and into which folder they go; a line for each."""
    lines = []
    for collection, title in TITLES.items():
        rankings = PROTOCOLS[collection].rankings
        for source, folder in dict.fromkeys((one.source, one.folder) for one in rankings):
            of_source = [one for one in rankings if one.source == source]
            rows = sum(len(one.tables) for one in of_source if one.row)
            lines.append(f"  - {title}: {source}, into ``{folder}``. Rows with one: {rows}\n")
    return "".join(lines)


def _table_of(rows, outcomes) -> str:
    """Write the entries of a table's rows.

    A column of a promise is there if it can be kept for a row: a table that describes a collection
    has one, a table of systems has those of measures, rankings and systems.
    """
    found = {(one.table, one.row, one.promise): one for one in outcomes}
    collection, number, _ = rows[0]
    figures = published(collection)
    figures = figures[figures["table"] == number]
    systems = set(figures["name"])
    if not systems.intersection(row.name for row in rows):
        lines = [_describe_row(row, found, [Promise.DESCRIPTION, Promise.SYSTEM]) for row in rows]
        return table(["row", "description", "to verify it"], lines)

    has_ranking = any((row.table, row.name, Promise.RANKING) in found for row in rows)
    promises = [Promise.MEASURE, Promise.RANKING, Promise.SYSTEM]
    if not has_ranking:
        promises.remove(Promise.RANKING)
    lines = [line for row in rows for line in _describe_system(row, found, promises)]
    names = [promise.value for promise in promises]
    return table(["row", *names, "to verify it"], lines)


def _describe_row(row, found, promises) -> tuple:
    """Return the cells of a row of a table that describes a collection."""
    outcomes = [found.get((row.table, row.name, promise)) for promise in promises]
    (outcome,) = [outcome for outcome in outcomes if outcome is not None]
    return _name_in_print(row), _describe(outcome), _describe_how(row, [outcome])


def _describe_system(row, found, promises) -> list[tuple]:
    """Return the cells of a system's row, and of its figures that are another table's, if any."""
    outcomes = [found.get((row.table, row.name, promise)) for promise in promises]
    # a system without a check, whose reason is not that something was not published
    outcomes[-1] = outcomes[-1] or found.get((row.table, row.name, Promise.DESCRIPTION))
    cells = [_describe(outcome) if outcome else "" for outcome in outcomes]
    has_no_ranking = outcomes[0] is None
    if has_no_ranking and row.name not in WITHOUT_RANKING:
        cells[0] = _describe_missing_ranking(row)
    lines = [(_name_in_print(row), *cells, _describe_how(row, outcomes))]

    other_table = _find_repeated(row)
    if other_table:
        same = f"its figures are table {other_table}'s: see there"
        blanks = [""] * (len(promises) - 1)
        lines.insert(0, (row.name, same, *blanks, ""))
    return lines


def _name_in_print(row) -> str:
    """Return what a row is called in its table; `published` has one name for a system in all."""
    if (row.collection, row.table) == ("litsearch", "5"):
        return f"{row.name}, w/ full"
    if (row.collection, row.table) == ("litsearch", "6"):
        # "GPT-4o reranking (w/ BM25)" stands there as "Reranking", below "With BM25"
        rerank = re.fullmatch(r"GPT-4o (\S+) \(w/ (\w+)\)", row.name)
        return f"With {rerank[2]}: {rerank[1].capitalize()}" if rerank else row.name
    if (row.collection, row.table) == ("doris-mae", "13") and row.name in STARRED:
        return f"{row.name}*"
    if (row.collection, row.table) == ("rhsa", "2"):
        return re.sub("000$", "k", row.name)
    return row.name


def _describe_missing_ranking(row) -> str:
    """Say that no ranking of a row is public, or none of its form, queries and candidates."""
    if (row.collection, row.table) == ("doris-mae", "14"):  # rankings are of the first 50 queries
        return "public for ten of the 60 test queries at most"
    rankings = PROTOCOLS[row.collection].rankings
    public_systems = {NAMES_OF_SYSTEMS.get(one.row, one.row) for one in rankings}
    if NAMES_OF_SYSTEMS.get(row.name, row.name) in public_systems:
        return "none of this form over these queries and candidates is public"
    return "no ranking is public"


def _describe_how(row, outcomes) -> str:
    """Name what a row needs, and its command."""
    if not any(outcome and _can_run(outcome) for outcome in outcomes):
        return "no command verifies it"
    needs = _mark_file_names(str(describe_needs(row)))
    command = f"``{row.shell_command}``"
    return f"{needs}; {command}" if needs else command


def _can_run(outcome) -> bool:
    """Return whether somebody can run a check, with files, weights or a key that can be had."""
    return bool(outcome.command) and not outcome.reason.startswith(("not public", *OBSTACLES))


def _find_repeated(row) -> str:
    """Return the table with the same figures, if a row has some over other texts besides.

    LitSearch's table 5 has each system on full texts, and repeats its figures by title and abstract
    from table 3.
    """
    figures = published(row.collection)
    of_row = figures[(figures["table"] == row.table) & (figures["name"] == row.name)]
    protocol = PROTOCOLS[row.collection]
    reads_usual = of_row["subset"].map(lambda subset: not protocol.find_subset(subset).texts)
    if reads_usual.all() or not reads_usual.any():
        return ""

    key = ["name", "subset", "label", "value"]
    others = figures[figures["table"] != row.table]
    both = of_row[reads_usual].merge(others, on=key, suffixes=("", "_other"))
    (other_table,) = both["table_other"].mode()
    repeated = both[both["table_other"] == other_table]
    assert len(repeated) == reads_usual.sum(), f"{row}: some figure is in no other table"
    return other_table


def _describe(outcome) -> str:
    """Say what a check found, or why it did not run when the page was made."""
    if outcome.status is Status.NOT_RUN:
        reason = outcome.reason.replace(f". {DELETE}", "")
        for said_by_check, said_here in MISSING_THINGS:
            reason = said_by_check.sub(said_here, reason)
        reason = _mark_file_names(reason)
        says_all = not outcome.command or reason.startswith("not public")
        return reason if says_all else f"not run: {reason}"
    if outcome.promise is Promise.RANKING:
        return _describe_order(outcome)

    first = outcome.cells[0]
    basis = first.basis.value
    if outcome.differing:
        cells = f"{len(outcome.differing)} of {len(outcome.cells)} compared cells"
    elif basis == "printed":
        cells = f"{len(outcome.cells)} of {outcome.printed_cells} printed cells"
    else:
        cells = f"{len(outcome.cells)} figures of the {basis}, to {first.decimals} decimals"
    if outcome.status is Status.PART:
        cells += " computed"
    text = f"{MARKS[outcome.status]}: {cells}, ``{outcome.command}``"
    if outcome.status is Status.PART:
        text += _describe_part(outcome)
    for cell in outcome.differing:
        text += (
            f"; {cell.column} is {cell.format(cell.found)}, printed {cell.format(cell.expected)}: "
            f"{outcome.known[cell.column]}"
        )
    return text


def _describe_part(outcome) -> str:
    """Say which share of the documents and of the queries is present."""
    cells = outcome.cells
    text = f"; {cells[0].part}" if cells[0].part else ""
    for subset, cell in {cell.subset: cell for cell in cells}.items():
        if cell.queries < cell.of:
            text += f"; {cell.queries} of {cell.of} queries"
            text += f" ({subset})" if subset else ""
    if outcome.collection == "doris-mae":
        text += POOLS_AT_HAND
    return text


def _describe_order(outcome) -> str:
    """Say how alike our ranking and the authors' are."""
    cells = {cell.label: cell for cell in outcome.cells}
    found = {label: cell.format(cell.found) for label, cell in cells.items()}
    text = (
        f"{MARKS[outcome.status]}: {found['queries in equal order']} of "
        f"{cells['queries in equal order'].queries} queries in equal order, mean τ "
        f"{found['mean τ']}, lowest τ {found['lowest τ']}, {found['% equal positions']} % of "
        "positions equal"
    )
    for label in ("documents in ours alone", "documents in theirs alone"):
        if found[label] != "none":
            text += f"; {label}: {found[label]}"
    reasons = list(dict.fromkeys(outcome.known[cell.label] for cell in outcome.differing))
    return "; ".join([text, *reasons])


def _mark_file_names(text) -> str:
    """Mark names of files as literals: a word that ends in an underscore would be a link."""
    return FILE_NAMES.sub(r"``\g<0>``", text)


def _title_of(name) -> str:
    """Return the heading of a table, a section or a figure from its name in `printed_tables`."""
    if not name:
        return "Figures of several papers"
    if name.islower():
        return name.replace("-", " ").capitalize()
    if name.isalpha():
        return f"Appendix {name}"
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
