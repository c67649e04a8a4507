"""Rank your own papers by a facet of one of them, or by a text, and explain the ranking.

found = search_papers("papers.jsonl", "117", facet="method")
print(found)
found.explain().to_html("why.html")
"""

from ..arguments import check_arguments
from ..choices import some
from ..encoders import EncoderLike
from ..papers import FoundPapers
from ..papers.paper_merging import MergedPapers, list_remarks
from ..papers.paper_query import IdOrText, check_facet
from ..papers.sources import Source
from ..progress import progress, say_once
from .kept_libraries import open_library
from .paper_reading import read_distinct_papers

MANY_PAPERS = 500  # from which on the hint is said
HINT = (
    "Each call reads all papers again. Papers.build('my-library', papers) reads them once; its "
    "searches take about a second."
)


@check_arguments
def search_papers(
    papers: Source,
    query: IdOrText,
    facet: str | None = None,
    encoder: EncoderLike | None = None,
    *,
    verbose: bool = True,
) -> FoundPapers:
    """Rank your own papers by what they share with one of them, or with a text.

    Every abstract is split into sentences, the sentences get facet labels (`FacetLabeller`), and
    `one_encoding` ranks the papers. What was made of the papers is kept in the cache, so the next
    call with the same papers splits, encodes and fits nothing. To ask many papers often, or to add
    some, build a library (`Papers`), which gives the same scores. ::

        found = search_papers("papers.jsonl", "117", facet="method")
        found.explain().to_html("why.html")

    Args:
        papers: see `read_papers`. Those without an abstract are ranked by their title; the result's
            `note` counts them.
        query: the id of one of the papers, which is then left out of the ranking; or a text, such
            as an abstract or a question. A query without a blank that is no id is refused if it
            has a digit or a mark, or if an id is similar: it is probably a mistyped id.
        facet: *background*, *method* or *result*: only the query's sentences of this facet ask, and
            papers without one are ranked lower. None for all sentences. If the query is a text, all
            its sentences count as sentences of the facet. If it is a paper without one, all its
            sentences ask, as with None. The result's `note` says either.
        encoder: see `SentenceMaxSim`. None or ``"lsa"`` for `LSA` of the papers, which needs no
            download and compares by words.
        verbose: say on stderr what is done, with bars if somebody watches, else lines.

    Returns:
        `FoundPapers`.

    Raises:
        ValueError: see `read_papers`; an empty query, a mistyped id, an unknown facet, fewer than
            two papers.
    """
    check_facet(facet)
    merged = read_distinct_papers(papers)
    paper_count = len(merged.records)
    if verbose and paper_count >= MANY_PAPERS:
        say_once(HINT)

    library = open_library(merged.records, encoder, verbose)
    with progress("ranking", verbose=verbose):
        found = library.search(query, facet, num_results=paper_count, depth=paper_count)
    remarks = [found.note, *_describe_papers(merged)]
    note = "\n".join(remark for remark in remarks if remark)
    return FoundPapers(found.ranking, found.candidates, found.pipeline, note)


def _describe_papers(merged: MergedPapers) -> list[str]:
    """Say which papers lack an abstract, and what was merged or read otherwise than it stands."""
    remarks = []
    ids_without_abstract = [record.paper_id for record in merged.records if not record.abstract]
    if ids_without_abstract:
        remarks.append(
            f"{len(ids_without_abstract)} of {len(merged.records)} papers have no abstract and are "
            f"ranked by their title: {some(ids_without_abstract)}."
        )
    if merged.duplicates:
        remarks.append(
            f"{len(merged.duplicates)} records of papers that were there already are left out."
        )
    if merged.counts.remarks:
        remarks.append("Merged, renamed or read otherwise than it stands:")
        remarks += list_remarks(merged.counts.remarks)
    return remarks
