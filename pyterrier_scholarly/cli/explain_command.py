"""Explain a paper's score by matched sentences, as a web page.

The page is one file that needs no other: both abstracts, ribbons between matched sentences,
heat maps, and the numbers as tables. For example

    pyterrier-scholarly explain csfcube/method one_encoding 1791179 674508 --html why.html

Systems are those of 'systems(dataset)' in Python. The system must compare sentences.
"""

from argparse import ArgumentParser, Namespace

from . import systems_options

PYTHON_NAMES = systems_options.PYTHON_NAMES | {"qid": "", "runs": ""}


def arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dataset", help="e.g. csfcube/method, csfcube/all, doris-mae/dev")
    parser.add_argument("system", help="its key, e.g. one_encoding, sentence_maxsim, ts_aspire")
    parser.add_argument("query", help="the query's id")
    parser.add_argument("document", help="the candidate's id")
    parser.add_argument("--html", default="explanation.html", help="page (default: %(default)s)")
    systems_options.arguments(parser)


def run(options: Namespace) -> None:
    """Write the page, and print the score and the page's path."""
    import pyterrier as pt

    from ..datasets import irds
    from ..explanation import explain
    from ..frames import some
    from ..recipes import systems

    systems_options.check_outputs(options.html)
    dataset, qid = irds(options.dataset).dataset_id(), options.query
    pipeline = systems(dataset, **systems_options.settings(dataset, options))[options.system]
    # with the text, from which DORIS-MAE's systems take the query's sentences
    topics = pt.get_dataset(f"irds:{dataset}").get_topics("query")
    topic = topics[topics["qid"].astype(object) == qid]
    if topic.empty:
        raise ValueError(f"{dataset} has no query {qid!r}. Choose one of: {some(topics['qid'])}.")
    explanation = explain(pipeline, topic, options.document, name=options.system)
    path = explanation.to_html(options.html)
    place = f"rank {explanation.rank} of {explanation.candidates}"
    print(f"{options.document} for {qid}: score {explanation.score:.4f}, {place}, in {path}")
