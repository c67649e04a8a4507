"""Understand what somebody asks with: the id of a paper or a text, and a facet of it.

paper = Paper("117", "Trees", ["We prune trees."], ["method"])  # a text has no id and no title
topic = make_topic(paper, "method")  # its sentences, as pipelines take them
"""

from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

import pandas as pd

from ir_datasets_ext.facets import FACETS

from ..arguments import Rule
from ..choices import describe_unknown
from ..paper import Paper, describe_missing_facet, labels_of
from ..transformers import FacetLabeller, FacetQuery

#: of sentences, as `FacetLabeller` writes them
SENTENCE_LABELS = ("background", "objective", "method", "result", "other")
TEXT_QID = "text"  # qid of a text; a paper's is its id


@dataclass(frozen=True)
class Topic:
    """A query as pipelines take it.

    frame: one row, with the columns of `FacetQuery`.
    remark: what was done because the query has no sentences that are labelled with the facet.
    """

    frame: pd.DataFrame
    remark: str = ""


#: the id of a paper, or a text; a whole number is an id
IdOrText: TypeAlias = Annotated[str | int, Rule("the id of a paper, or a text")]


def check_facet(facet: object) -> None:
    """Raise ValueError if a facet is none of the known ones, or of the sentence labels.

    None and "" stand for the whole text.
    """
    choices = list(dict.fromkeys([*FACETS, *SENTENCE_LABELS]))
    stands_for_all = facet is None or facet == ""
    if stands_for_all or facet in choices:
        return

    remedy = (
        f"Choose one of {', '.join(FACETS)}, or None for all sentences. A single label is "
        f"possible, too: {', '.join(SENTENCE_LABELS)}."
    )
    raise ValueError(describe_unknown("facet", facet, choices, remedy))


def make_topic(paper: Paper, facet: str | None) -> Topic:
    """Choose the sentences that ask: those of a paper's facet, or all of a text.

    A paper without a sentence of the facet asks with all its sentences.

    Args:
        paper: with labels; a text has neither an id nor labels.
        facet: see `check_facet`.
    """
    is_text = not paper.doc_id
    remark = ""
    if is_text and facet:  # somebody who asks with a text has written all of it about the facet
        labels = (labels_of(facet)[0],) * len(paper.sentences)
        paper = replace(paper, labels=labels)
        remark = _describe_labelling(len(paper.sentences), facet)
    elif is_text:
        (paper,) = FacetLabeller().label([paper])
    elif facet and not paper.find(facet):
        problem = describe_missing_facet(facet, paper.labels)
        remark = f"Paper {paper.doc_id} {problem}: ranked by all its sentences."
        facet = None

    topics = pd.DataFrame({"qid": [paper.doc_id or TEXT_QID], "query_paper": [paper]})
    return Topic(FacetQuery(facet=facet).transform(topics), remark)


def _describe_labelling(sentence_count: int, facet: str) -> str:
    """Return the remark that the sentences of a text all count as a facet's."""
    if sentence_count == 1:
        return f"The text's one sentence counts as {facet}."
    return f"All {sentence_count} sentences of the text count as {facet}."
