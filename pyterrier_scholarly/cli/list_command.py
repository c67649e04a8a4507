"""List the collections in folders on this machine.

One line per dataset: its id, its contents and its licence. A damaged folder is listed with the
damage. --check reads every file, marks the lines of whole ones "checked", and counts what a
manifest written by hand does not count ("?"). For example

    pyterrier-scholarly list-local
    pyterrier-scholarly list-local --check

The folders are in $IR_DATASETS_HOME (default ~/.ir_datasets), below made/ and download-log/.
"""

from argparse import ArgumentParser, Namespace

#: kind of table -> its name in the list, in the list's order
NAME_OF_KIND = {
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
    from ir_datasets_ext.local_tables import make_class, read_records

    damaged_paths = []
    for path, ids, manifest, error in collections(options.check):
        if manifest is None:
            damaged_paths.append(str(path))
            print(f"{path}\tdamaged: {error}")
            continue

        for dataset_id, part_tables in zip(ids, manifest.parts.values()):
            tables = {"docs": manifest.docs, **part_tables}  # all parts share the documents
            contents = []
            for kind, name in NAME_OF_KIND.items():
                if kind not in tables:
                    continue
                table = tables[kind]
                row_count = table.rows
                if row_count is None and options.check:
                    records = read_records(path, table, make_class(kind, table.fields))
                    row_count = sum(1 for _ in records)
                shown_count = "?" if row_count is None else f"{row_count:,}"
                contents.append(f"{shown_count} {name}")

            columns = [dataset_id, ", ".join(contents), manifest.licence]
            if options.check:
                columns.append("checked")
            print(*columns, sep="\t")

    if damaged_paths:
        raise ValueError(
            f"Damaged: {', '.join(damaged_paths)}. Restore or delete these; the others can be used."
        )
