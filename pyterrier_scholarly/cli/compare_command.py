"""Compare systems query by query and paper by paper: why one is better, and where.

It prints means, intervals and tests by group of queries, and for a sum of scores what each part
brings. --html writes all of it as a page of one file. A system is a key of 'systems(dataset)' in
Python, or a file of results: a TREC run, JSON as CSFCube's authors write it, or a pickle as
DORIS-MAE's release it. The last one is the baseline.

    pyterrier-scholarly compare csfcube/all one_encoding fabs_tfidf --html compare.html
    pyterrier-scholarly compare csfcube/method my-run.trec fabs_bm25 --measure nDCG@10

one_encoding downloads all-MiniLM-L6-v2; with --encoder lsa it needs no download of weights. Files
of different queries are one run under one name: specter=background.json specter=result.json.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from . import systems_options
from .naming import name_options

if TYPE_CHECKING:
    from ..comparison import Comparison

#: arguments of `compare` that have another name in the shell, or none
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"tags": "", "by": "--by", "runs": ""}
#: column of `parts` -> its heading in the printed table
PART_HEADINGS = {
    "part": "part",
    "alone": "alone",
    "alone_difference": "minus {0.baseline}",
    "alone_p_holm": "p_holm",
    "without": "without",
    "without_p_holm": "p_holm ",  # with a blank, because a column's name is unique
}
EXPLAINED = 10  # papers on the page whose scores are explained


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="any dataset of ir_datasets with judgements")
    parser.add_argument(
        "systems",
        nargs="+",
        metavar="SYSTEM",
        help="keys, files, or NAME=FILE; files of different queries with one NAME are one run",
    )
    parser.add_argument("--measure", help="such as NDCG%%20 or nDCG@10 (default: the dataset's)")
    parser.add_argument("--baseline", metavar="NAME", help="of the tests (default: the last)")
    parser.add_argument("--by", metavar="FIELD", help="of queries, by which they are grouped")
    parser.add_argument(
        "--missing",
        choices=("skip", "zero"),
        default="skip",
        help="queries that a file does not answer: leave out (default), or count as 0",
    )
    parser.add_argument("--html", metavar="FILE", help="write a page of one file")
    parser.add_argument(
        "--explained",
        type=int,
        default=EXPLAINED,
        metavar="N",
        help="papers on the page whose scores are explained (default: %(default)s)",
    )
    parser.add_argument(
        "--no-parts",
        action="store_false",
        dest="parts",
        help="do not take sums of scores apart, which ranks once more",
    )
    parser.add_argument("--csv", metavar="FILE", help="write the values of each query")
    parser.add_argument("--save-dir", metavar="FOLDER", help="of saved runs, which are reused")
    systems_options.add_arguments(parser)


def run(options: Namespace) -> None:
    """Compare the systems, write the files that the options name, and print the overview."""
    from ir_datasets_ext.atomic import new_file

    from ..comparison import compare
    from ..datasets import irds

    systems_options.check_outputs(options.html, options.csv)
    dataset = irds(options.dataset).dataset_id()
    compared = compare(
        _read_systems(options.systems),
        dataset=dataset,
        measure=options.measure,
        baseline=options.baseline,
        by=options.by,
        missing=options.missing,
        save_dir=options.save_dir,
        **systems_options.read_settings(options),
    )

    if options.html:
        page = compared.to_html(options.html, explained=options.explained, parts=options.parts)
    if options.csv:
        with new_file(options.csv, errors="replace") as file:
            compared.queries.to_csv(file, index=False)

    print(_name_options_in_remarks(str(compared), compared.remarks))
    if options.parts:
        for name in compared.parted:
            print(f"\n{_describe_parts(compared, name)}")
    if options.html:
        print(f"\nPage written to {page}")


def _read_systems(texts: Iterable[str]) -> dict[str, str | list[Path]]:
    """Return the systems to compare by name: a system's key, or the files of its results.

    ``["fabs_tfidf", "E5=a.json", "E5=b.json"]`` is two systems: ``{"fabs_tfidf": "fabs_tfidf",
    "E5": [Path("a.json"), Path("b.json")]}``. A file without a name is called by its path.

    Raises:
        ValueError: a file without a name before ``=``, or a system twice.
    """
    from ..tables.rows import is_run_file

    systems: dict[str, str | list[Path]] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals:
            if text in systems:
                raise ValueError(f"{text} is passed twice. Pass each system once.")
            systems[text] = [Path(text)] if is_run_file(text) else text
            continue

        if not (name and path):
            raise ValueError(f"{text}: expected NAME=FILE, e.g. E5=e5.json.")
        files = systems.setdefault(name, [])
        if not isinstance(files, list):  # a system's key
            raise ValueError(f"{text}: another system is called {name!r}. Choose another name.")
        files.append(Path(path))
    return systems


def _name_options_in_remarks(text: str, remarks: Iterable[str]) -> str:
    """Return a text in which remarks name the command's options, not the arguments of Python."""
    parser = ArgumentParser()
    add_arguments(parser)
    for remark in remarks:
        text = text.replace(remark, name_options(remark, parser, PYTHON_NAMES))
    return text


def _describe_parts(compared: "Comparison", sum_name: str) -> str:
    """Return what each part of a sum of scores brings: a table to print, with a line on its tests.

    Or return one sentence that says why the sum cannot be taken apart.

    Args:
        compared: all systems.
        sum_name: of the system that is a sum.
    """
    try:
        parts = compared.parts(sum_name)
    except ValueError as error:  # a step that changes scores in an unknown way
        return f"{sum_name} is not taken apart. {error}"

    heading_by_column = {}
    for column, heading in PART_HEADINGS.items():
        heading_by_column[column] = heading.format(compared)  # a heading may name the baseline

    table = parts[list(heading_by_column)].rename(columns=heading_by_column)
    table_text = table.to_string(index=False, na_rep="–", float_format="{:.4f}".format)
    return (
        f"Parts of {sum_name}: {compared.measure} by each part alone, and by the sum without it\n"
        f"{table_text}\n"
        f"The first p_holm is of the part alone against {compared.baseline}, the second of the sum "
        "without the part\nagainst the whole sum: paired t-tests, corrected by Holm's method."
    )
