"""Make a paper's table, or one of your own collection, with the systems you name.

Without --systems, --run and --model it lists the known tables and systems. For example

    pyterrier-scholarly reproduce csfcube --systems fabs_tfidf one_encoding --html table.html
    pyterrier-scholarly reproduce litsearch --table 3 --systems e5_large_v2 --save-dir runs
    pyterrier-scholarly reproduce doris-mae/dev --systems bm25 --run E5=e5.json --latex table.tex
    pyterrier-scholarly reproduce csfcube --model ours=./my-model --model theirs=all-mpnet-base-v2
    pyterrier-scholarly reproduce made/animals --systems bm25 --measures nDCG@10 'NDCG%20'
    pyterrier-scholarly reproduce csfcube --systems fabs_tfidf fabs_bm25 --by paper_type
    pyterrier-scholarly reproduce csfcube --systems fabs_tfidf fabs_bm25 --correction holm

one_encoding downloads all-MiniLM-L6-v2; with --encoder lsa it needs no download of weights. With
--save-dir an interrupted table resumes.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from . import systems_options

if TYPE_CHECKING:
    import pandas as pd

#: `runs` replaces a system by a transformer; results of your own are ``--run``
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"runs": ""}
RESAMPLES = 1000


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
    parser.add_argument(
        "--by",
        metavar="FIELD",
        help="of queries, such as facet: each of its values has columns of its own, beside those "
        "of all queries; no printed rows stand beside them",
    )
    _add_test_arguments(parser)
    parser.add_argument(
        "--save-dir", metavar="FOLDER", help="of saved runs, which a later call reuses"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page of one file")
    parser.add_argument("--latex", metavar="FILE", help="write a tabular for booktabs")
    parser.add_argument("--csv", metavar="FILE", help="write all figures, with intervals")
    parser.add_argument(
        "--tests", metavar="FILE", help="write all tests against the baselines, with p-values (CSV)"
    )
    systems_options.add_arguments(parser)


def run(options: Namespace) -> None:
    """Make the table, write it to the options' files, and print it."""
    from ..recipes import systems
    from ..tables import reproduce

    has_rows = options.systems or options.run or options.model
    if not has_rows:
        _print_choices(options.dataset)
        return

    systems_options.check_outputs(options.html, options.latex, options.csv, options.tests)
    files_of_name = _read_run_files(options.run)
    for name in files_of_name:
        if name in options.systems:
            raise ValueError(f"--run {name}=…: --systems has this name too. Choose another name.")

    settings = systems_options.read_settings(options)
    system_keys = options.systems
    if system_keys == ["all"]:
        system_keys = list(systems(options.dataset, **settings))
    named_systems = {key: key for key in system_keys}

    table = reproduce(
        options.dataset,
        named_systems | files_of_name,
        options.table,
        measures=options.measures,
        by=options.by,
        baseline=options.baseline,
        save_dir=options.save_dir,
        resamples=options.resamples,
        seed=options.seed,
        correction=options.correction,
        **settings,
    )

    if options.html:
        table.to_html(options.html)
    if options.latex:
        table.to_latex(options.latex)
    if options.csv:
        _write_csv(table.figures, options.csv)
    if options.tests:
        _write_csv(table.wins, options.tests)
    print(table)


def _add_test_arguments(parser: ArgumentParser) -> None:
    """Add the options for intervals, and for tests against baselines."""
    group = parser.add_argument_group("intervals and tests")
    group.add_argument(
        "--baseline",
        nargs="+",
        metavar="NAME",
        help="rows that the others are tested against (default: the first row); with several, "
        "letters mark from which ones a figure differs",
    )
    group.add_argument(
        "--correction",
        metavar="METHOD",
        help="of p-values for the number of tests in the table: holm or benjamini-hochberg "
        "(default: none)",
    )
    group.add_argument(
        "--resamples",
        type=int,
        default=RESAMPLES,
        metavar="N",
        help="samples of queries for ± and intervals (default: %(default)s)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of these samples (default: %(default)s)"
    )


def _read_run_files(texts: Iterable[str]) -> dict[str, list[Path]]:
    """Return the files of each name in ``NAME=FILE``."""
    files_of_name: dict[str, list[Path]] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path):
            raise ValueError(f"--run {text}: expected NAME=FILE, e.g. E5=e5.json.")
        files_of_name.setdefault(name, []).append(Path(path))
    return files_of_name


def _write_csv(frame: "pd.DataFrame", path: str) -> None:
    """Write a frame to a file, whole or not at all."""
    from ir_datasets_ext.atomic import new_file

    with new_file(path, errors="replace") as file:
        frame.to_csv(file, index=False)


def _print_choices(dataset: str) -> None:
    """Print the tables over a dataset's queries, and the keys of its systems."""
    from ..recipes import systems
    from ..tables.shape import find_shape, list_tables

    numbers: list[str | None] = list(list_tables(dataset))
    if not numbers:
        numbers = [None]  # a dataset without a paper has one table, without a number

    for number in numbers:
        columns = find_shape(dataset, number).columns
        measures = columns["label"].unique()
        subsets = [subset for subset in columns["subset"].unique() if subset]

        heading = f"table {number}" if number else "table"
        ending = f"of {', '.join(subsets)}" if subsets else ""
        print(f"{heading}:", ", ".join(measures), ending)

    rows = systems(dataset).table.drop_duplicates("key")
    print(rows[["key", "name", "model"]].to_string(index=False))
