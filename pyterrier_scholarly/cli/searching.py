"""Search your own papers: by one of them or by a text, perhaps by one facet.

The papers are a file of JSON lines, JSON, CSV or BibTeX with titles and abstracts, or an export of
Semantic Scholar or OpenAlex. For example

    pyterrier-scholarly search papers.jsonl --like 117 --facet method --html why.html

Without --encoder, papers are compared by their words.
"""

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("papers", help="file: .jsonl, .json, .csv or .bib")
    query = parser.add_mutually_exclusive_group(required=True)
    query.add_argument("--like", metavar="ID", help="a paper in the file")
    query.add_argument("--text", help="an abstract, a question, a sentence")
    parser.add_argument("--facet", help="background, method or result (default: all sentences)")
    parser.add_argument("--encoder", metavar="MODEL", help="a sentence-transformers model")
    parser.add_argument("--top", type=int, default=10, help="papers printed (default: %(default)s)")
    parser.add_argument("--html", metavar="FILE", help="explain the best paper on a page")


def run(options: argparse.Namespace) -> None:
    """Print the ranking, and write the page."""
    from ..search import read_papers, search_papers
    from .systems_options import check_outputs

    check_outputs(options.html)
    papers = read_papers(options.papers)
    if options.like and options.like not in set(papers["docno"]):
        raise ValueError(
            f"--like {options.like} is not among the {len(papers)} papers of {options.papers}: "
            f"their ids are {', '.join(papers['docno'][:5])} …"
        )
    hits = search_papers(papers, options.like or options.text, options.facet, options.encoder)
    print(hits.ranking.head(options.top).to_string(index=False, max_colwidth=70))
    if hits.note:
        print(hits.note)
    if options.html:
        print(f"Why {hits.ranking['docno'][0]} is first: {hits.explain().to_html(options.html)}")
