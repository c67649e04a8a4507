"""Mine a download log for a test collection of consecutively downloaded documents.

What is read, kept and dropped is counted and printed, and the collection is there for ir_datasets
at once: queries, pools and qrels as download-log/NAME/100q (and 100q-random), pairs of documents
as download-log/NAME/1m. For example

    pyterrier-scholarly mine-log downloads.csv.gz ours
    pyterrier-scholarly mine-log 2024.parquet 2025.parquet ours --user session --seed 7
    ir_datasets export download-log/ours/100q qrels

Logs are Parquet, CSV, TSV or JSON lines, text gzipped or not, in any order. Needs the extra
'logs', or 'spark' for --backend pyspark.
"""

import re

from ..logs.files import TIME_FORMS

TEXTS = {
    "form": "parquet, csv, tsv or jsonl (default: by the files' names)",
    "since": "drop what was downloaded before this (ISO 8601)",
    "until": "drop what was downloaded after this (default: now)",
    "documents": "dataset with titles and texts of the documents, e.g. irds:csfcube",
    "only": "file with the ids of the documents to keep, one per line",
    "memory": "most memory for DuckDB's data, e.g. 700MB",
    "spill": "folder for what does not fit in memory",
    "description": "of the collection",
    "licence": "of the collection",
}


def arguments(parser):
    """Add what the command takes."""
    parser.add_argument("log", nargs="+", help="files or folders")
    parser.add_argument("name", help="of the collection, e.g. ours for download-log/ours")
    for what in ("user", "time", "doc"):
        parser.add_argument(
            f"--{what}",
            metavar="COLUMN",
            type=_place,
            help="name, or place from 0 without a header",
        )
    for name, said in TEXTS.items():
        parser.add_argument(f"--{name}", help=said)
    parser.add_argument("--time-form", choices=TIME_FORMS, default="auto", help="of the times")
    parser.add_argument("--backend", choices=("duckdb", "pyspark"), default="duckdb")
    parser.add_argument("--all-pairs", action="store_true", help="write all pairs with counts, too")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a collection of this name"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    _choices(parser.add_argument_group("numbers, by default the paper's (--linked, --seed: ours)"))


def _choices(group):
    from dataclasses import fields

    from ..logs.collection import Choices

    for field in fields(Choices):
        option, said = f"--{field.name}", field.metadata["help"]
        if field.type is bool:
            group.add_argument(option, action="store_true", help=said)
        else:
            said = f"{said} (default: %(default)s)"
            group.add_argument(option, type=field.type, default=field.default, help=said)


def _place(text):
    return int(text) if text.isdecimal() else text


def _as_options(message, names):
    """An error's message with arguments of the function, `user=`, as options, --user."""

    def option(found):
        name, value = f"--{found[1].replace('_', '-')}", found[2]
        return f"{name} {value}".strip() if found[1] in names else found[0]

    return re.sub(r"\b([a-z_]+)=(?:True\b)?([\w'\"\[-]?)", option, message)


def run(options):
    """Mine, and print the summary."""
    from ..logs.collection import mine_log

    given = {name: value for name, value in vars(options).items() if value is not None}
    for name in ("command", "traceback"):
        given.pop(name, None)
    log, name, quiet = given.pop("log"), given.pop("name"), given.pop("quiet")
    try:
        print(mine_log(log, name, verbose=not quiet, **given))
    except (ValueError, OSError) as error:
        raise ValueError(_as_options(str(error), vars(options))) from error
    print(f"ir_datasets knows it as download-log/{name}")
