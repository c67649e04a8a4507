"""Verify printed figures: run the checks that this machine can run, and write a report.

It says first how long that is expected to take, measured on samples, and runs the cheapest checks
first. An interrupted call resumes. For example

    pyterrier-scholarly verify papers csfcube --report csfcube-report.json
    pyterrier-scholarly verify papers doris-mae --rows 11:BM25 12 --budget 10
    pyterrier-scholarly verify papers litsearch --without-weights

A row is named by its table and its name as printed (11:BM25); a table stands for all its rows.
Three promises are kept apart: our measure on the authors' ranking, our system's ranking beside
theirs, and our system's figures.
"""

from argparse import ArgumentParser, Namespace

from . import systems_options


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=["papers"], help="what is verified: the papers' tables")
    parser.add_argument("collection", help="csfcube, litsearch, doris-mae or rhsa")
    parser.add_argument(
        "--rows", nargs="+", metavar="ROW", help="rows or tables, such as 11:BM25 (default: all)"
    )
    parser.add_argument(
        "--budget", type=float, metavar="MINUTES", help="start no check that would take longer"
    )
    parser.add_argument("--report", metavar="FILE", help="write the report to this file, as JSON")
    parser.add_argument(
        "--save-dir", metavar="FOLDER", help="of finished rows, which a later call reuses"
    )
    parser.add_argument(
        "--rankings", metavar="FOLDER", help="with the authors' rankings (default: by the release)"
    )
    parser.add_argument(
        "--ask-apis", action="store_true", help="ask the papers' APIs: needs a key, costs money"
    )
    parser.add_argument(
        "--without-weights", action="store_true", help="leave out systems that load weights"
    )
    systems_options.add_models(parser)


def run(options: Namespace) -> None:
    """Verify, write the report, and print it."""
    from ..verification import verify_papers

    systems_options.check_outputs(options.report)
    report = verify_papers(
        options.collection,
        options.rows,
        budget=options.budget,
        report=options.report,
        save_dir=options.save_dir,
        rankings=options.rankings,
        models=systems_options.read_models(options.model),
        ask_apis=options.ask_apis,
        load_weights=not options.without_weights,
        precision=options.precision,
        device=options.device,
    )
    print(report)
