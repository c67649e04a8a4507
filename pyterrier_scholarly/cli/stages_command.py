"""Show after which stage a system gains and loses, as a table and a web page.

The system runs stage by stage over all queries of a dataset. The page has the measures after each
stage, the relevant papers that each leaves out, and each query's papers from rank to rank. It is
written with --html. For example

    pyterrier-scholarly stages csfcube/method one_encoding --html stages.html

Systems are those of 'systems(dataset)' in Python. one_encoding downloads all-MiniLM-L6-v2; with
--encoder lsa it needs no download of weights. A file of results has no stages; 'compare' compares
such files.
"""

from argparse import ArgumentParser, Namespace

from . import systems_options

#: arguments of Python that have another name in the shell, or none
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"runs": "", "measures": "--measure", "check": ""}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="e.g. csfcube/method, doris-mae/dev, litsearch/broad")
    parser.add_argument("system", help="its key, e.g. one_encoding, fabs_tfidf, bm25")
    parser.add_argument("--html", metavar="FILE", help="write a page of one file")
    parser.add_argument(
        "--measure",
        action="append",
        metavar="MEASURE",
        help="e.g. NDCG%%20, R@5; repeatable (default: that of 'compare')",
    )
    parser.add_argument(
        "--relevant",
        type=int,
        default=1,
        help="lowest grade of a relevant paper, for recall and lost papers (default: %(default)s)",
    )
    parser.add_argument(
        "--no-check",
        action="store_true",
        help="do not run the system once more as a whole, to compare with its stages",
    )
    parser.add_argument(
        "--unjudged",
        action="store_true",
        help="show on the page what unjudged papers may hide; slow for rankings of a thousand",
    )
    systems_options.add_arguments(parser)


def run(options: Namespace) -> None:
    """Print the stages, write the page if it was asked for, and say where it is."""
    import pyterrier as pt

    from ..comparison.system_comparison import choose_measure
    from ..datasets import irds
    from ..pipeline_stages import stages
    from ..recipes import systems

    _check_system(options.system)
    systems_options.check_outputs(options.html)
    dataset = irds(options.dataset).dataset_id()
    settings = systems_options.read_settings(options)
    pipeline = systems(dataset, **settings)[options.system]

    source = pt.get_dataset(f"irds:{dataset}")
    result = stages(
        pipeline,
        source.get_topics("query"),
        source.get_qrels(),
        options.measure or [choose_measure(dataset)],
        relevant=options.relevant,
        check=not options.no_check,
        name=f"{options.system} on {dataset}",
    )

    if options.html:
        page = result.to_html(options.html, unjudged=options.unjudged)
    print(result)
    if options.html:
        print(f"Page written to {page}")


def _check_system(name: str) -> None:
    """Raise ValueError for a file of results in place of a system."""
    from ..tables.rows import is_run_file

    if is_run_file(name):
        raise ValueError(
            f"{name}: a run has no stages: `compare` compares runs. Pass a system's key, such as "
            "one_encoding; in Python, `stages` takes any pipeline."
        )
