"""Show why a system ranks a paper where it does, sentence by sentence, as a web page.

The page is one file that needs nothing else: both abstracts, ribbons between matched sentences,
heat maps, and the numbers as tables. For example

    pyterrier-scholarly explain csfcube/method one_encoding 1791179 34254969 --html why.html

Systems are those of 'systems(dataset)' in Python; their similarity must be one of sentences.
"""

from . import systems_options


def arguments(parser):
    """Add what the command takes."""
    parser.add_argument("dataset", help="e.g. csfcube/method, csfcube/all, doris-mae/dev")
    parser.add_argument("system", help="its key, e.g. one_encoding, sentence_maxsim, ts_aspire")
    parser.add_argument("query", help="the query's id")
    parser.add_argument("document", help="the candidate's id")
    parser.add_argument("--html", default="explanation.html", help="page (default: %(default)s)")
    systems_options.arguments(parser)


def run(options):
    """Write the page and print what it shows and where it is."""
    from ..explanation import explain

    systems_options.check_outputs(options.html)
    pipeline = systems_options.chosen(options.dataset, options)[options.system]
    explanation = explain(pipeline, _topic(options.dataset, options.query), options.document)
    path = explanation.to_html(options.html)
    print(f"{options.document} for {options.query}: score {explanation.score:.4f}, in {path}")


def _topic(dataset, qid):
    """The query with its text, which DORIS-MAE's systems take their sentences from."""
    import pyterrier as pt

    from ..datasets import irds
    from ..frames import some
    from ..settings import dataset_id

    irds(dataset)  # an unknown one is named there
    topics = pt.get_dataset(f"irds:{dataset_id(dataset)}").get_topics("query")
    found = topics[topics["qid"].astype(object) == qid]
    if found.empty:
        raise ValueError(f"{dataset} has no query {qid!r}: it has {some(topics['qid'])}.")
    return found
