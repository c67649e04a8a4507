"""Make a paper's table with the systems you name, next to the printed rows.

Without --systems, --run and --model it lists the known tables and systems. For example

    pyterrier-scholarly reproduce csfcube --systems fabs_tfidf one_encoding --html table.html
    pyterrier-scholarly reproduce litsearch --table 3 --systems e5_large_v2 --save-dir runs
    pyterrier-scholarly reproduce doris-mae/dev --systems bm25 --run E5=e5.json --latex table.tex
    pyterrier-scholarly reproduce csfcube --model ours=./my-model --model theirs=all-mpnet-base-v2

With --save-dir an interrupted table resumes.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

from . import systems_options

OPTIONS = {
    "--baseline": ("NAME", "of the tests (default: the first)"),
    "--save-dir": ("FOLDER", "of saved runs, which a later call reuses"),
    "--html": ("FILE", "write a page of one file"),
    "--latex": ("FILE", "write a tabular for booktabs"),
    "--csv": ("FILE", "write all figures, with intervals"),
}


def arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="csfcube, litsearch, doris-mae, or a part of one")
    parser.add_argument("--table", help="the table's number in the paper (default: the first)")
    parser.add_argument(
        "--systems", nargs="+", default=[], metavar="KEY", help="of 'systems(dataset)', or 'all'"
    )
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a row of results: a TREC run, or JSON with CSFCube's pairs or with ranked ids; "
        "repeatable, with one NAME for files of different queries",
    )
    for option, (metavar, text) in OPTIONS.items():
        parser.add_argument(option, metavar=metavar, help=text)
    systems_options.arguments(parser)


def run(options: Namespace) -> None:
    """Make the table, write it to the options' files, and print it."""
    from ir_datasets_ext.store import new_file

    from ..recipes import systems
    from ..tables import reproduce

    if not (options.systems or options.run or options.model):
        return _list(options.dataset)
    systems_options.check_outputs(options.html, options.latex, options.csv)
    results = _by_name(options.run)
    if both := results.keys() & set(options.systems):
        raise ValueError(f"--run {min(both)}=…: --systems has this name too. Choose another name.")
    settings = systems_options.settings(options.dataset, options)
    if options.systems == ["all"]:
        options.systems = list(systems(options.dataset, **settings))
    table = reproduce(
        options.dataset,
        {key: key for key in options.systems} | results,
        options.table,
        baseline=options.baseline,
        save_dir=options.save_dir,
        **settings,
    )
    for path, write in ((options.html, table.to_html), (options.latex, table.to_latex)):
        if path:
            write(path)
    if options.csv:
        with new_file(options.csv, errors="replace") as file:
            table.figures.to_csv(file, index=False)
    print(table)


def _by_name(texts: Iterable[str]) -> "dict[str, pd.DataFrame]":
    """Read each ``NAME=FILE``, by name; files of one name must have different queries."""
    import pandas as pd

    from ..evaluation import read_ranked_pools, read_trec_run
    from ..frames import some

    frames: dict[str, pd.DataFrame] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path):
            raise ValueError(f"--run {text}: expected NAME=FILE, e.g. E5=e5.json.")
        results = read_ranked_pools(path) if path.endswith(".json") else read_trec_run(path)
        if results.empty:
            raise ValueError(f"--run {text}: {path} has no results. Pass a file with results.")
        known = frames.get(name, results.iloc[:0])
        if both := sorted({*known["qid"]} & {*results["qid"]}):
            raise ValueError(
                f"--run {text}: another file of this name has results for {some(both)} too. Pass a "
                "different NAME for each file."
            )
        frames[name] = pd.concat([known, results], ignore_index=True)
    return frames


def _list(dataset: str) -> None:
    from ..recipes import systems
    from ..tables.shapes import shape_of, tables_of

    for number in tables_of(dataset):
        columns = shape_of(dataset, number).columns
        measures = ", ".join(dict.fromkeys(column.label for column in columns))
        subsets = ", ".join(dict.fromkeys(column.subset for column in columns if column.subset))
        print(f"table {number}".rstrip() + ":", measures, f"of {subsets}" if subsets else "")
    table = systems(dataset).table.drop_duplicates("key")
    print(table[["key", "name", "run"]].to_string(index=False))
