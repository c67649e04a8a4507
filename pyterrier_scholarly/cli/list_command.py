"""List the collections in folders on this machine.

One line per dataset: its id, its contents and its licence. A damaged folder is listed with the
damage. For example

    pyterrier-scholarly list-local
    pyterrier-scholarly list-local --check

The folders are in $IR_DATASETS_HOME (default ~/.ir_datasets), below made/ and download-log/.
"""

from argparse import ArgumentParser, Namespace

KINDS = {
    "docs": "documents",
    "queries": "queries",
    "scoreddocs": "candidates",
    "qrels": "judgements",
    "ratings": "single ratings",
    "pairs": "pairs",
}


def arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--check", action="store_true", help="read every file, and list the damaged ones"
    )


def run(options: Namespace) -> None:
    """Print the list; in the end raise ValueError if a collection is damaged."""
    from ir_datasets_ext.local import collections

    damaged = []
    for path, ids, manifest, error in collections(options.check):
        if manifest is None:
            damaged.append(str(path))
            print(f"{path}\tdamaged: {error}")
            continue
        for dataset_id, part in zip(ids, manifest.parts.values()):
            tables = {"docs": manifest.docs, **part}
            counts = {
                name: tables[kind].entry.rows for kind, name in KINDS.items() if kind in tables
            }
            contents = ", ".join(
                f"? {name}" if count is None else f"{count:,} {name}"
                for name, count in counts.items()
            )
            print(dataset_id, contents, manifest.layout.licence, sep="\t")
    if damaged:
        raise ValueError(
            f"Damaged: {', '.join(damaged)}. Restore or delete these; the others can be used."
        )
