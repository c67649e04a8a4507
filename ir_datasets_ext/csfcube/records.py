"""CSFCube's records and splits: documents, queries, ratings, pool entries; and what grades mean."""

from typing import NamedTuple, Tuple

# Tuple[...], and no postponed annotations: ir_datasets' exporters and PyTerrier's text_loader read
# the annotations, and know only these.

#: id below a facet's -> the part in the splits file; a fold's dev part is the other's test part
SPLITS = {
    "fold1/dev": "fold1_dev",
    "fold1/test": "fold1_test",
    "fold2/dev": "fold2_dev",
    "fold2/test": "fold2_test",
}
ALL_FACETS = "all"  # part with the queries of every facet, whose ids name paper and facet
#: All queries, with the pools as they are released: one paper is a candidate of itself. ASPIRE's
#: evaluation code ranks these (`evaluate.py`, allenai/aspire); the collection's own figures are
#: over pools without it.
WITH_QUERY_PAPER = "with-query-paper"
#: Facets by how much the rest of an abstract matters for a grade, most first: whether two results
#: are alike depends on their context more than whether two methods or two backgrounds are. Source:
#: the release's ann_guidelines.pdf.
CONTEXT_ORDER = ("result", "method", "background")
#: Facet -> grade -> meaning, in our words. Source: the release's ann_guidelines.pdf, which has
#: examples of all; section 4 of the paper [Mysore2021] prints those of *method*.
QREL_DEFS: dict[str, dict[int, str]] = {
    "all": {
        3: "near identical in the facet that is asked for; each facet defines it",
        2: "similar in that facet",
        1: "related in that facet",
        0: "unrelated",
    },
    "background": {
        3: "near identical: the same specific goal, modelling problem or task, or a specific "
        "motivation that both share",
        2: "similar: goals or theoretical backgrounds are alike on a higher level, and share few "
        "specifics",
        1: "related: alike on a very high level only, or different sub-problems of one larger, "
        "specific problem",
        0: "unrelated",
    },
    "method": {
        3: "near identical: the mechanisms are alike, and so are the details of the objects that "
        "they handle",
        2: "similar: the mechanisms are alike, the details can merely be compared",
        1: "related: the details are alike but the mechanisms only on a high level; or the "
        "mechanisms are alike on a very high level; or small parts of the methods are alike; or "
        "one abstract is too coarse to say more",
        0: "unrelated",
    },
    "result": {
        3: "near identical: the same finding or conclusion, even if the opposite is found, or an "
        "evaluation on a similar task",
        2: "similar: findings are alike in general but not in specifics, or are a part of the same "
        "larger finding",
        1: "related: alike in a coarse or under-specified way, in points that are not salient, or "
        "only through a coarsely related context",
        0: "unrelated",
    },
}


class CsfcubeDoc(NamedTuple):
    """A paper, with its abstract by sentences.

    text: the sentences joined by a blank.
    labels: one per sentence: background, objective, method, result or other. Those of query papers
        were corrected by hand; all others are predictions.
    year: 0 if missing in the release; authors, venue, doi: empty if missing.
    """

    doc_id: str
    title: str
    text: str
    sentences: Tuple[str, ...]
    labels: Tuple[str, ...]
    year: int
    authors: Tuple[str, ...]
    venue: str
    doi: str

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}"


class CsfcubeQuery(NamedTuple):
    """A paper, and the facet in which similar papers are wanted.

    query_id: the paper's id, or `<paper>_<facet>` in datasets that hold all facets.
    query: the paper's sentences of that facet, joined by a blank; query_sentences: one by one.
    paper_year: 0 if missing in the release; paper_type: as in ``queries-release.csv``.
    """

    query_id: str
    query: str
    paper_id: str
    facet: str
    paper_title: str
    paper_year: int
    paper_type: str
    query_sentences: Tuple[str, ...]

    def default_text(self) -> str:
        """Return the facet's sentences."""
        return self.query


class CsfcubeRating(NamedTuple):
    """The annotators' ratings of a candidate, from 0 (unrelated) to 3 (near identical).

    relevance: the adjudicated rating; relevance_max and relevance_min: of the two annotators'.
    ann1, ann2, ann3, ann4: None for annotators who did not rate this query; -1 for a rating that is
        missing in the release (then relevance_min is -1 too).
    """

    query_id: str
    doc_id: str
    relevance: int
    relevance_max: int
    relevance_min: int
    ann1: int | None
    ann2: int | None
    ann3: int | None
    ann4: int | None


class CsfcubePoolSource(NamedTuple):
    """A paper of a query paper's pool, and the methods that found it, by the release's names."""

    paper_id: str
    doc_id: str
    sources: Tuple[str, ...]
