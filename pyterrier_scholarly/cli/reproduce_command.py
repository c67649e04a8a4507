"""Make a paper's table, or one of your own collection, with the systems you name.

Without --systems, --run and --model it lists the known tables and systems. For example

    pyterrier-scholarly reproduce csfcube --systems fabs_tfidf one_encoding --html table.html
    pyterrier-scholarly reproduce litsearch --table 3 --systems e5_large_v2 --save-dir runs
    pyterrier-scholarly reproduce doris-mae/dev --systems bm25 --run E5=e5.json --latex table.tex
    pyterrier-scholarly reproduce csfcube --model ours=./my-model --model theirs=all-mpnet-base-v2
    pyterrier-scholarly reproduce made/animals --systems bm25 --measures nDCG@10 'NDCG%20'

With --save-dir an interrupted table resumes.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from . import systems_options

#: `runs` replaces a system by a transformer; results of your own are ``--run``
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"runs": ""}

#: option -> its value's name, and help
OUTPUT_OPTIONS = {
    "--baseline": ("NAME", "of the tests (default: the first)"),
    "--save-dir": ("FOLDER", "of saved runs, which a later call reuses"),
    "--html": ("FILE", "write a page of one file"),
    "--latex": ("FILE", "write a tabular for booktabs"),
    "--csv": ("FILE", "write all figures, with intervals"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "dataset",
        help="csfcube, litsearch, doris-mae, or a part of one; or any dataset with judgements",
    )
    parser.add_argument("--table", help="the table's number in the paper (default: the first)")
    parser.add_argument(
        "--systems", nargs="+", default=[], metavar="KEY", help="of 'systems(dataset)', or 'all'"
    )
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a row of results: a TREC run, JSON with CSFCube's pairs or with ranked ids, "
        "or a pickle as DORIS-MAE's authors release it; "
        "repeatable, with one NAME for files of different queries",
    )
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="MEASURE",
        help="of the columns, such as nDCG@10 (default: the paper's, or the dataset's official)",
    )
    for option, (metavar, text) in OUTPUT_OPTIONS.items():
        parser.add_argument(option, metavar=metavar, help=text)
    systems_options.add_arguments(parser)


def run(options: Namespace) -> None:
    """Make the table, write it to the options' files, and print it."""
    from ir_datasets_ext.store import new_file

    from ..recipes import systems
    from ..tables import reproduce

    has_rows = options.systems or options.run or options.model
    if not has_rows:
        _print_choices(options.dataset)
        return

    systems_options.check_outputs(options.html, options.latex, options.csv)
    files_of_name = _read_run_files(options.run)
    for name in files_of_name:
        if name in options.systems:
            raise ValueError(f"--run {name}=…: --systems has this name too. Choose another name.")

    settings = systems_options.read_settings(options.dataset, options)
    system_keys = options.systems
    if system_keys == ["all"]:
        system_keys = list(systems(options.dataset, **settings))
    named_systems = {key: key for key in system_keys}

    table = reproduce(
        options.dataset,
        named_systems | files_of_name,
        options.table,
        measures=options.measures,
        baseline=options.baseline,
        save_dir=options.save_dir,
        **settings,
    )

    if options.html:
        table.to_html(options.html)
    if options.latex:
        table.to_latex(options.latex)
    if options.csv:
        with new_file(options.csv, errors="replace") as file:
            table.figures.to_csv(file, index=False)
    print(table)


def _read_run_files(texts: Iterable[str]) -> dict[str, list[Path]]:
    """Return the files of each name in ``NAME=FILE``."""
    files_of_name: dict[str, list[Path]] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path):
            raise ValueError(f"--run {text}: expected NAME=FILE, e.g. E5=e5.json.")
        files_of_name.setdefault(name, []).append(Path(path))
    return files_of_name


def _print_choices(dataset: str) -> None:
    """Print the tables over a dataset's queries, and the keys of its systems."""
    from ..recipes import systems
    from ..tables.table_shapes import find_shape, list_tables

    numbers: list[str | None] = list(list_tables(dataset))
    if not numbers:
        numbers = [None]  # a dataset without a paper has one table, without a number

    for number in numbers:
        columns = find_shape(dataset, number).columns
        # each once, in the order of the columns
        measures = dict.fromkeys(column.label for column in columns)
        subsets = dict.fromkeys(column.subset for column in columns if column.subset)

        heading = f"table {number}" if number else "table"
        ending = f"of {', '.join(subsets)}" if subsets else ""
        print(f"{heading}:", ", ".join(measures), ending)

    rows = systems(dataset).table.drop_duplicates("key")
    print(rows[["key", "name", "run"]].to_string(index=False))
