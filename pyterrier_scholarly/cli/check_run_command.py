"""Check whether a run fits a collection, before its figures are believed.

It says how many of the collection's queries are answered, how many documents are known, how many
results are judged, and what does not fit. For example

    pyterrier-scholarly check-run csfcube/method my-run.trec

A run is in TREC's format, also gzipped, or as CSFCube's authors (JSON) and DORIS-MAE's (a
pickle, of which nothing is run) release theirs.
Several files are one run, such as background.json, method.json and result.json for csfcube/all:
they must have different queries.
"""

from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="any dataset of ir_datasets with judgements")
    parser.add_argument("files", nargs="+", metavar="FILE", help="of the run")


def run(options: Namespace) -> None:
    """Print the check; raise ValueError for a run that does not fit at all."""
    from pathlib import Path

    from ..evaluation import check_run, read_run

    results = read_run(options.files, options.dataset)
    print(check_run(results, options.dataset, name=Path(options.files[0]).name))
