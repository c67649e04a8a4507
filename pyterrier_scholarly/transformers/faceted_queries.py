"""Choose the sentences that a query asks with from its paper.

request = Request("1", "p1", "method", None, "A title", ["We build it."], ["method"])
choose_sentences(request).query_sentences  # ["We build it."]
"""

from collections.abc import Sequence
from typing import NamedTuple

from ir_datasets_ext.facets import FACETS

from ..text.facet_sentences import describe_missing_facet, positions_of, select_sentences


class Request(NamedTuple):
    """A topic's paper, and which of its sentences are to be chosen."""

    qid: str  #: the topic's id
    docno: str  #: the paper's id, or ""
    facet: str  #: whose sentences are chosen; "" for all
    positions: Sequence[int] | None  #: of the sentences that are chosen instead; None: the facet's
    title: str  #: the paper's
    sentences: Sequence[str]  #: the paper's
    labels: Sequence[str]  #: the paper's, one per sentence
    is_stored: bool = False  #: whether the paper is a document of a dataset


class FacetedQuery(NamedTuple):
    """One query's values in the columns that `FacetQuery` adds."""

    query_docno: str  #: the paper's id, or ""
    facet: str
    query_sentences: list[str]  #: the chosen sentences
    query_labels: list[str]  #: theirs
    query: str  #: the chosen sentences, joined by a blank
    query_sentence_ids: list[int]  #: positions of the chosen sentences in the paper, from 0
    query_title: str  #: the paper's
    query_paper_sentences: Sequence[str]  #: all sentences of the paper
    query_paper_labels: Sequence[str]  #: theirs


def choose_sentences(request: Request) -> FacetedQuery:
    """Choose the sentences of one query from its paper.

    Raises:
        ValueError: no sentence of the facet, an unknown position.
    """
    positions = request.positions
    if positions is None:
        positions = positions_of(request.facet, request.labels)

    try:
        sentences, labels = select_sentences(request.sentences, request.labels, positions)
    except ValueError as error:
        raise ValueError(f"{_name_query(request)}: {error}") from error
    if not sentences:
        raise ValueError(_describe_missing(request))

    return FacetedQuery(
        query_docno=request.docno,
        facet=request.facet,
        query_sentences=sentences,
        query_labels=labels,
        query=" ".join(sentences),
        query_sentence_ids=list(positions),
        query_title=request.title,
        query_paper_sentences=request.sentences,
        query_paper_labels=request.labels,
    )


def _name_query(request: Request) -> str:
    """Name the query and its paper in an error."""
    return f"Query {request.qid} ({request.docno or 'a text of its own'})"


def _describe_missing(request: Request) -> str:
    """Say that no sentence is of the facet, which facets there are, and what to do."""
    problem = describe_missing_facet(request.facet, request.labels)
    message = f"{_name_query(request)} {problem}. "

    is_title_alone = list(request.sentences) == [request.title]
    is_unlabelled = len(request.sentences) > 0 and not any(request.labels)
    if not request.sentences:
        remedy = "Leave this query out."
    elif is_title_alone:
        remedy = (
            "Its title is all that is known of it: leave this query out, or ask with all sentences."
        )
    elif is_unlabelled:
        remedy = _describe_labelling(request)
    else:
        remedy = "Leave this query out, or ask with another of its facets."
    return f"{message}{remedy} Facets are {', '.join(FACETS)}, or any single sentence label."


def _describe_labelling(request: Request) -> str:
    """Return the end of an error's message: how a user gets labels for a query's sentences."""
    # the first FacetQuery takes all sentences by facet='', the last one those of the facet
    remedy_in_pipeline = (
        "To label them in a pipeline: FacetQuery(…, facet='') >> FacetLabeller() >> "
        f"FacetQuery(facet={request.facet!r})."
    )
    if not request.is_stored:
        return remedy_in_pipeline

    # named systems read labels from the collection, which no pipeline can add
    remedy_in_collection = (
        "The systems of `systems` and `reproduce` need documents with the fields 'sentences' and "
        "'labels' (lists of str, one label per sentence). Sentences() >> FacetLabeller() adds both "
        "to a frame of docno, title and text; write_collection writes it."
    )
    return f"{remedy_in_pipeline} {remedy_in_collection}"
