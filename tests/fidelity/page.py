"""The page "Fidelity", as reStructuredText."""

from itertools import groupby
from pathlib import Path

from .entries import COLLECTIONS, counts
from .statements import STATEMENTS
from .statuses import MEANING

PATH = Path(__file__).parents[2] / "pyterrier_scholarly" / "pt_docs" / "fidelity.rst"
HEAD = """Fidelity
=========================================================

This page has an entry for each row of each printed table: which of our figures equal the papers',
and how that was checked. ``python -m tests.fidelity`` runs every check and writes the page. A test
fails if the page says anything else than the checks.

"""


def page(found) -> str:
    """Write the text of the page from entries."""
    number = counts(found)
    rows = [(name, str(number[name]), MEANING[name]) for name in MEANING]
    parts = [HEAD, table(["status", "rows", "meaning"], rows)]
    for collection, title in COLLECTIONS.items():
        own = [entry for entry in found if entry.collection == collection]
        parts.append(heading(title, "-"))
        for name, group in groupby(own, key=lambda entry: entry.table):
            parts.append(heading(_title_of(name), "~"))
            rows = [(entry.row, entry.status, entry.detail) for entry in group]
            parts.append(table(["row", "status", "what was done"], rows))
        statements = [one for one in STATEMENTS if one.collection == collection]
        parts.append(heading("Statements", "~"))
        known = [f"``{one.test}``" if one.test else one.why for one in statements]
        lines = [f"- {one.text} {said}\n" for one, said in zip(statements, known)]
        parts.append("".join(lines))
    return "\n".join(parts)


def _title_of(name) -> str:
    """Return the heading of a table, a section or a figure from its name in `printed_tables`."""
    if not name:
        return "Figures of several papers"
    if name.islower():
        return name.replace("-", " ").capitalize()
    return f"Section {name}" if name[0].isalpha() and "." in name else f"Table {name}"


def heading(text, mark) -> str:
    """Format the title of a section."""
    return f"{text}\n{mark * 57}\n"


def table(head, rows) -> str:
    """Format a list-table; each text is one line."""
    lines = [".. list-table::", "    :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"    {'-' if n else '* -'} {text}" for n, text in enumerate(row)]
    return "\n".join(lines).replace("\n    - ", "\n      - ") + "\n"
