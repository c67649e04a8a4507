"""Explain a paper's score by matched sentences, as a web page.

The page is one file that needs no other: both abstracts, ribbons between matched sentences,
heat maps, and the numbers as tables. For example

    pyterrier-scholarly explain csfcube/method one_encoding 1791179 674508 --html why.html

Systems are those of 'systems(dataset)' in Python. The system must compare sentences. one_encoding
downloads all-MiniLM-L6-v2; with --encoder lsa it needs no download of weights.
"""

from argparse import ArgumentParser, Namespace

from . import systems_options

#: an explanation is of one query and of no runs, so the shell has no options for these
PYTHON_NAMES = systems_options.PYTHON_NAMES | {"qid": "", "runs": ""}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="e.g. csfcube/method, csfcube/all, doris-mae/dev")
    parser.add_argument("system", help="its key, e.g. one_encoding, sentence_maxsim, ts_aspire")
    parser.add_argument("query", help="the query's id")
    parser.add_argument("document", help="the candidate's id")
    parser.add_argument("--html", default="explanation.html", help="page (default: %(default)s)")
    systems_options.add_arguments(parser)


def run(options: Namespace) -> None:
    """Write the page, and print the score and the page's path."""
    import pyterrier as pt

    from ..choices import some
    from ..datasets import irds
    from ..explanation import explain
    from ..recipes import systems

    systems_options.check_outputs(options.html)
    dataset = irds(options.dataset).dataset_id()
    settings = systems_options.read_settings(options)
    pipeline = systems(dataset, **settings)[options.system]

    # with the text, from which DORIS-MAE's systems take the query's sentences
    topics = pt.get_dataset(f"irds:{dataset}").get_topics("query")
    topic = topics[topics["qid"].astype(object) == options.query]
    if topic.empty:
        raise ValueError(
            f"{dataset} has no query {options.query!r}. Choose one of: {some(topics['qid'])}."
        )

    explanation = explain(pipeline, topic, options.document, name=options.system)
    path = explanation.to_html(options.html)
    print(
        f"{options.document} for {options.query}: score {explanation.score:.4f}, "
        f"rank {explanation.rank} of {explanation.candidates}, in {path}"
    )
