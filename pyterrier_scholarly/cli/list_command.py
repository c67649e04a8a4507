"""List the collections in folders on this machine.

One line per dataset: its id, its contents and its licence. A damaged folder is listed with the
damage. --check reads every file, marks the lines of whole ones "checked", and counts what a
manifest written by hand does not count ("?"). For example

    pyterrier-scholarly list-local
    pyterrier-scholarly list-local --check

The folders are in $IR_DATASETS_HOME (default ~/.ir_datasets), below made/ and download-log/.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir_datasets_ext.local.record_files import Table

#: part of a dataset -> its name in the list, in the list's order
NAME_OF_PART = {
    "docs": "documents",
    "queries": "queries",
    "scoreddocs": "candidates",
    "qrels": "judgements",
    "ratings": "single ratings",
    "pairs": "pairs",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--check", action="store_true", help="read every file, and list the damaged ones"
    )


def run(options: Namespace) -> None:
    """Print the list; in the end raise ValueError if a collection is damaged."""
    from ir_datasets_ext.local import collections

    damaged_paths = []
    for path, ids, manifest, error in collections(options.check):
        if manifest is None:
            damaged_paths.append(str(path))
            print(f"{path}\tdamaged: {error}")
            continue

        for dataset_id, part_tables in zip(ids, manifest.parts.values()):
            tables = {"docs": manifest.docs, **part_tables}  # all parts share the documents
            contents = _describe_contents(tables, counts_rows=options.check)
            columns = [dataset_id, contents, manifest.layout.licence]
            if options.check:
                columns.append("checked")
            print(*columns, sep="\t")

    if damaged_paths:
        raise ValueError(
            f"Damaged: {', '.join(damaged_paths)}. Restore or delete these; the others can be used."
        )


def _describe_contents(tables: "Mapping[str, Table]", counts_rows: bool) -> str:
    """Return the number of rows of each table, such as "8 documents, 3 queries".

    counts_rows: whether to count the rows of a table whose manifest does not say their number.
    """
    descriptions = []
    for part, name in NAME_OF_PART.items():
        if part not in tables:
            continue
        table = tables[part]
        row_count = table.count(table.rows) if counts_rows else table.entry.rows
        shown_count = "?" if row_count is None else f"{row_count:,}"
        descriptions.append(f"{shown_count} {name}")
    return ", ".join(descriptions)
