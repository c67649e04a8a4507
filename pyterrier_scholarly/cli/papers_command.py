"""Keep a library of your own papers, and search it: build, add, remove, search, info.

A library is a folder that is prepared once from exports (BibTeX, RIS, CSL-JSON, CSV, JSON lines,
answers of Crossref, OpenAlex and Semantic Scholar) and then asked within a second. For example

    pyterrier-scholarly papers build my-library export.bib
    pyterrier-scholarly papers search my-library smith2019 --facet method --html found.html
    pyterrier-scholarly papers add my-library new.ris
    pyterrier-scholarly papers info my-library

An interrupted build is resumed by the same command.
"""

import argparse
from typing import TYPE_CHECKING

from .naming import name_options
from .systems_options import ENCODER_OF_PAPERS, check_outputs

if TYPE_CHECKING:
    from ..papers import MergeCounts, Papers

PYTHON_NAMES = {"num_results": "--top", "verbose": "--quiet"}
PYTHON_CALLS = {
    r"\bPapers\.build\(([^(),]+), (\w+)\)": r"`pyterrier-scholarly papers build \1 \2`",
    r"\bPapers\(([^(),]+)\)\.add\((\w+)\)": r"`pyterrier-scholarly papers add \1 \2`",
    # the shell has names of encoders alone
    r"pass it, Papers\([^()]+, encoder=…\)": "pass it to Papers in Python",
}

WIDEST_SHOWN_TITLE = 70  # characters
EXPORTS = "exports: .bib, .ris, .json, .jsonl, .csv, a folder of them, or a dataset's id"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of each action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    build = actions.add_parser("build", help="prepare a new library")
    _add_library(build)
    build.add_argument("sources", nargs="+", metavar="source", help=EXPORTS)
    build.add_argument("--encoder", metavar="MODEL", help=f"{ENCODER_OF_PAPERS}; searches go by it")
    _add_building_options(build)

    add = actions.add_parser("add", help="add papers, and replace changed ones")
    _add_library(add)
    add.add_argument("sources", nargs="+", metavar="source", help=EXPORTS)
    _add_building_options(add)

    remove = actions.add_parser("remove", help="remove papers")
    _add_library(remove)
    remove.add_argument("ids", nargs="+", metavar="id", help="ids of papers")
    remove.add_argument("--quiet", action="store_true", help="show no progress")

    search = actions.add_parser("search", help="rank papers by one of them, or by a text")
    _add_library(search)
    search.add_argument("query", help="the id of a paper, or a text")
    search.add_argument("--facet", help="background, method or result (default: all sentences)")
    search.add_argument("--top", type=int, default=10, help="papers (default: %(default)s)")
    search.add_argument(
        "--depth", type=int, help="candidates that are ranked (default: all of up to 5,000)"
    )
    search.add_argument(
        "--encoder",
        metavar="MODEL",
        help="that of build; needed only for a model's folder that is elsewhere now",
    )
    search.add_argument("--html", metavar="FILE", help="write the ranking with its reasons")

    info = actions.add_parser("info", help="say what is in a library")
    _add_library(info)


def _add_library(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("library", help="folder of the library")


def _add_building_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="stop at what cannot be read")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> None:
    """Do what the action says, and print the result."""
    run_action = {
        "build": _build,
        "add": _add,
        "remove": _remove,
        "search": _search,
        "info": _print_info,
    }
    run_action[options.action](options)


def _build(options: argparse.Namespace) -> None:
    from ..papers import Papers

    first, *others = options.sources
    settings = {"strict": options.strict, "verbose": not options.quiet}
    papers = Papers.build(options.library, first, options.encoder, **settings)
    _print_counts(papers, papers.last_counts)
    for source in others:
        _print_counts(papers, papers.add(source, **settings))


def _add(options: argparse.Namespace) -> None:
    from ..papers import Papers

    papers = Papers(options.library)
    for source in options.sources:
        counts = papers.add(source, strict=options.strict, verbose=not options.quiet)
        _print_counts(papers, counts)


def _remove(options: argparse.Namespace) -> None:
    from ..papers import Papers

    papers = Papers(options.library)
    removed_count = papers.remove(options.ids, verbose=not options.quiet)
    print(
        f"{removed_count:,} papers removed; {len(papers):,} papers are left in {options.library}."
    )


def _search(options: argparse.Namespace) -> None:
    from ..papers import Papers

    check_outputs(options.html)
    papers = Papers(options.library, options.encoder)
    found = papers.search(options.query, options.facet, options.top, depth=options.depth)
    page = found.to_html(options.html) if options.html else None

    print(found.ranking.to_string(index=False, max_colwidth=WIDEST_SHOWN_TITLE))
    if found.note:
        print(_say_in_shell(found.note))
    if page is not None:
        print(f"Why: {page}")


def _print_info(options: argparse.Namespace) -> None:
    from ..papers import Papers

    print(Papers(options.library).info())


def _print_counts(papers: "Papers", counts: "MergeCounts") -> None:
    """Print what a source brought, what of it was merged, and what was not read."""
    from ..papers.paper_merging import list_remarks

    print(
        f"{counts.added:,} papers added, {counts.changed:,} changed, {counts.unchanged:,} "
        f"unchanged, {counts.duplicates:,} duplicates, {counts.unread:,} not read; "
        f"{len(papers):,} papers in {papers.path}."
    )
    remarks = list_remarks(counts.remarks)
    unread = list_remarks(papers.info().unread) if counts.unread else []
    for line in [*remarks, *(["Not read:", *unread] if unread else [])]:
        print(line)


def _say_in_shell(remark: str) -> str:
    """Return a remark with the shell's options instead of Python's arguments."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return name_options(remark, parser, PYTHON_NAMES, PYTHON_CALLS)
