"""Show after which stage a system gains and loses, as a web page.

The system runs stage by stage over all queries of a dataset. The page has the measures after each
stage, the relevant papers that each leaves out, and each query's papers from rank to rank. For
example

    pyterrier-scholarly stages csfcube/method one_encoding --html stages.html

Systems are those of 'systems(dataset)' in Python.
"""

from argparse import ArgumentParser, Namespace

from . import systems_options

#: arguments of Python that have another name in the shell, or none
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"runs": "", "measures": "--measure", "check": ""}

MOST_SHOWN_MEASURES = 2  # in the terminal, which may have 80 columns; the page has all


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="e.g. csfcube/method, doris-mae/dev, litsearch/broad")
    parser.add_argument("system", help="its key, e.g. one_encoding, fabs_tfidf, bm25")
    parser.add_argument("--html", default="stages.html", help="page (default: %(default)s)")
    parser.add_argument(
        "--measure",
        action="append",
        metavar="MEASURE",
        help="e.g. NDCG%%20, R@5; repeatable (default: the dataset's official measures)",
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
    """Write the page, and print the stages and the page's path."""
    import pyterrier as pt

    from ..datasets import irds
    from ..evaluation.official_measures import default_measures
    from ..pipeline_stages import stages
    from ..recipes import systems

    systems_options.check_outputs(options.html)
    dataset = irds(options.dataset).dataset_id()
    settings = systems_options.read_settings(dataset, options)
    pipeline = systems(dataset, **settings)[options.system]

    source = pt.get_dataset(f"irds:{dataset}")
    result = stages(
        pipeline,
        source.get_topics("query"),
        source.get_qrels(),
        options.measure or default_measures(dataset),
        relevant=options.relevant,
        check=not options.no_check,
        name=f"{options.system} on {dataset}",
    )
    path = result.to_html(options.html, unjudged=options.unjudged)

    first_measures = list(result.measures)[:MOST_SHOWN_MEASURES]
    shown_columns = ["stage", "name", *first_measures, "recall", "seconds"]
    print(result.stages[shown_columns].round(3).to_string(index=False, max_colwidth=30))
    print(f"The page is in {path}")
