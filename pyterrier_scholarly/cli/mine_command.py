"""Mine a download log for a test collection of consecutively downloaded documents.

The command prints how much it reads, keeps and drops. ir_datasets finds the collection at once:
queries, pools and qrels as download-log/NAME/100q (and 100q-random), pairs of documents as
download-log/NAME/1m. For example

    pyterrier-scholarly mine-log downloads.csv.gz ours
    pyterrier-scholarly mine-log 2024.parquet 2025.parquet ours --user session --seed 7
    ir_datasets export download-log/ours/100q qrels

Logs are Parquet, CSV, TSV or JSON lines, text gzipped or not, in any order. Needs the extra
'logs', or 'spark' for --backend pyspark.
"""

from argparse import ArgumentParser, Namespace, _ArgumentGroup

from ..logs.instants import TIME_FORMS

#: the function's `verbose` is the shell's opposite
PYTHON_NAMES = {"verbose": "--quiet"}

#: options that are no arguments of `mine_log` by the same name
NOT_PASSED_BY_NAME = ("command", "traceback", "log", "name", "quiet")

#: option that takes a text -> help
HELP_OF_TEXT = {
    "since": "drop downloads before this time (ISO 8601)",
    "until": "drop downloads after this time (default: now)",
    "documents": "dataset with titles and texts of the documents, e.g. irds:csfcube",
    "only": "file with the ids of the documents to keep, one per line",
    "memory": "limit of DuckDB's memory, e.g. 700MB",
    "spill": "folder for data beyond that limit",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("log", nargs="+", help="files or folders")
    parser.add_argument("name", help="the collection's name, e.g. ours for download-log/ours")
    for column in ("user", "time", "doc"):
        parser.add_argument(
            f"--{column}",
            metavar="COLUMN",
            type=_read_column,
            help="its name, or its position from 0 if the log has no header",
        )
    for name, text in HELP_OF_TEXT.items():
        parser.add_argument(f"--{name}", help=text)
    parser.add_argument("--time-form", choices=TIME_FORMS, default="auto", help="form of the times")
    parser.add_argument("--backend", choices=("duckdb", "pyspark"), default="duckdb")
    parser.add_argument("--all-pairs", action="store_true", help="also write all pairs with counts")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a collection of this name"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    numbers = parser.add_argument_group("numbers (defaults: the paper's; --linked, --seed: ours)")
    _add_choices(numbers)


def run(options: Namespace) -> None:
    """Mine, and print the summary."""
    from ..logs.log_collection import mine_log

    settings = {}
    for name, value in vars(options).items():
        if value is not None and name not in NOT_PASSED_BY_NAME:
            settings[name] = value

    summary = mine_log(options.log, options.name, verbose=not options.quiet, **settings)
    print(summary)
    print(f"Its id in ir_datasets: download-log/{options.name}")


def _read_column(text: str) -> int | str:
    """Return a column's position, or its name."""
    if text.isdecimal():
        return int(text)
    return text


def _add_choices(group: _ArgumentGroup) -> None:
    """Add an option for each field of `Choices`, by its type, default and help."""
    from dataclasses import fields
    from typing import get_args

    from ..logs.mining_choices import Choices

    for field in fields(Choices):
        option = f"--{field.name}"
        text = field.metadata["help"]
        if field.type is bool:
            group.add_argument(option, action="store_true", help=text)
            continue

        number_type = get_args(field.type)[0]  # of `Annotated[int, …]`
        text = f"{text} (default: %(default)s)"
        group.add_argument(option, type=number_type, default=field.default, help=text)
