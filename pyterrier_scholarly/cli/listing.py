"""List the collections in folders on this machine.

One line per dataset, its id first, then what it holds and its licence; a folder that is damaged is
named with what is wrong with it. For example

    pyterrier-scholarly list-local
    pyterrier-scholarly list-local --check

They are in $IR_DATASETS_HOME (default ~/.ir_datasets), below made/ and download-log/.
"""

KINDS = {
    "queries": "queries",
    "scoreddocs": "candidates",
    "qrels": "judgements",
    "ratings": "single ratings",
    "pairs": "pairs",
}


def arguments(parser):
    """Add what the command takes."""
    parser.add_argument(
        "--check", action="store_true", help="read every file, and say which are damaged"
    )


def run(options):
    """Print the list; an error in the end if a collection is damaged."""
    from ir_datasets_ext.local import collections

    damaged = []
    for found in collections():
        error = found.error or (options.check and _damage(found.manifest))
        if error:
            damaged.append(found.path)
            print(f"{found.path}\tdamaged: {error}")
            continue
        for dataset_id, tables in zip(found.ids, found.manifest.parts.values()):
            licence = found.manifest.about.licence
            print(dataset_id, _held(found.manifest, tables), licence, sep="\t")
    if damaged:
        folders = ", ".join(map(str, damaged))
        raise ValueError(f"damaged: {folders}; restore or delete these, the rest is usable")


def _damage(manifest):
    try:
        tables = (table for part in manifest.parts.values() for table in part.values())
        for table in (manifest.docs, *tables):
            for _ in table.rows():
                pass
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _held(manifest, tables):
    held = {"documents": manifest.docs, **{name: tables.get(key) for key, name in KINDS.items()}}
    counts = {name: table.about.rows for name, table in held.items() if table}
    return ", ".join(
        f"? {name}" if count is None else f"{count:,} {name}" for name, count in counts.items()
    )
