"""List the collections in folders on this machine.

One line per dataset: its id, its contents and its licence. A damaged folder is listed with the
damage. For example

    pyterrier-scholarly list-local
    pyterrier-scholarly list-local --check

The folders are in $IR_DATASETS_HOME (default ~/.ir_datasets), below made/ and download-log/.
"""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir_datasets_ext.local.manifest import Manifest
    from ir_datasets_ext.local.tables import Table

KINDS = {
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
    for one in collections():
        manifest = one.manifest
        error = one.error or (options.check and manifest and _damage(manifest))
        if error or manifest is None:
            damaged.append(str(one.path))
            print(f"{one.path}\tdamaged: {error}")
            continue
        for dataset_id, tables in zip(one.ids, manifest.parts.values()):
            print(dataset_id, _contents(manifest, tables), manifest.about.licence, sep="\t")
    if damaged:
        raise ValueError(
            f"Damaged: {', '.join(damaged)}. Restore or delete these; the others can be used."
        )


def _damage(manifest: "Manifest") -> str:
    try:
        tables = (table for part in manifest.parts.values() for table in part.values())
        for table in (manifest.docs, *tables):
            for _ in table.rows():
                pass
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _contents(manifest: "Manifest", tables: "dict[str, Table]") -> str:
    of_kind = {name: tables.get(key) for key, name in KINDS.items()}
    counts = {n: t.about.rows for n, t in {"documents": manifest.docs, **of_kind}.items() if t}
    return ", ".join(
        f"? {name}" if count is None else f"{count:,} {name}" for name, count in counts.items()
    )
