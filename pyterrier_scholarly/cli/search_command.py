"""Search your own papers: by one of them or by a text, perhaps by one facet.

The papers are a file of JSON lines, JSON, CSV, BibTeX or RIS with titles and abstracts, or an
answer of Semantic Scholar or OpenAlex. For example

    pyterrier-scholarly search papers.jsonl --like 117 --facet method --html why.html

Without --encoder, or with --encoder lsa, papers are compared by their words.
"""

import argparse

from .naming import name_options
from .systems_options import ENCODER_OF_PAPERS, check_outputs

PYTHON_NAMES = {"num_results": "--top"}
PYTHON_CALLS = {r"\bPapers\.build\(([^(),]+), (\w+)\)": r"`pyterrier-scholarly papers build \1 \2`"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("papers", help="file: .jsonl, .json, .csv, .bib or .ris")
    query = parser.add_mutually_exclusive_group(required=True)
    query.add_argument("--like", metavar="ID", help="a paper in the file")
    query.add_argument("--text", help="an abstract, a question, a sentence")
    parser.add_argument("--facet", help="background, method or result (default: all sentences)")
    parser.add_argument("--encoder", metavar="MODEL", help=ENCODER_OF_PAPERS)
    parser.add_argument("--top", type=int, default=10, help="papers printed (default: %(default)s)")
    parser.add_argument("--html", metavar="FILE", help="explain the best paper on a page")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> None:
    """Print the ranking, and write the page."""
    from ..papers.paper_ids import suggest_ids
    from ..search import read_papers, search_papers

    check_outputs(options.html)
    query = options.text
    if options.like is not None:
        query = options.like
        papers = read_papers(options.papers)
        paper_ids = papers["docno"].tolist()
        if options.like not in paper_ids:
            raise ValueError(
                f"--like {options.like} is not among the {len(papers)} papers of {options.papers}. "
                f"{suggest_ids(options.like, paper_ids)}"
            )

    found = search_papers(
        options.papers, query, options.facet, options.encoder, verbose=not options.quiet
    )
    page = found.explain().to_html(options.html) if options.html else None

    print(found.ranking.head(options.top).to_string(index=False, max_colwidth=70))
    if found.note:
        print(_say_in_shell(found.note))
    if page is not None:
        best_id = found.ranking["docno"][0]
        print(f"Why {best_id} is first: {page}")


def _say_in_shell(remark: str) -> str:
    """Return a remark with the shell's options instead of Python's arguments."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return name_options(remark, parser, PYTHON_NAMES, PYTHON_CALLS)
