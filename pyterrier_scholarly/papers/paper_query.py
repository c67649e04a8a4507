"""Understand what somebody asks with: the id of a paper or a text, and a facet of it.

query = Query("117", "Trees", "We prune trees.")  # a paper; a text has neither id nor title
topic = make_topic(query, "method")  # its sentences, as pipelines take them
"""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import pandas as pd

from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.facets import FACETS

from ..arguments import Rule
from ..text import split_sentences
from ..text.facet_sentences import describe_missing_facet, labels_of, positions_of
from ..transformers import FacetLabeller, FacetQuery

#: of sentences, as `FacetLabeller` writes them
SENTENCE_LABELS = ("background", "objective", "method", "result", "other")
TEXT_QID = "text"  # qid of a text; a paper's is its id


@dataclass(frozen=True)
class Query:
    """A paper that asks, or a text.

    docno: of the paper, or "" for a text.
    sentences: of `text`, if they are known; a text that is new is split.
    labels: of `sentences`, if these are known.
    """

    docno: str
    title: str
    text: str
    sentences: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


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


def make_topic(query: Query, facet: str | None) -> Topic:
    """Choose the sentences that ask: those of a paper's facet, or all of a text.

    A paper without a sentence of the facet asks with all its sentences.
    """
    topics = _label_query(query)
    sentences, labels = topics[["query_sentences", "query_labels"]].iloc[0]
    if not facet:
        return Topic(FacetQuery(facet=facet).transform(topics))

    is_text = not query.docno
    if is_text:  # somebody who asks with a text has written all of it about the facet
        facet_label = labels_of(facet)[0]
        topics = topics.assign(query_labels=[[facet_label] * len(sentences)])
        remark = _describe_labelling(len(sentences), facet)
        return Topic(FacetQuery(facet=facet).transform(topics), remark)

    if not positions_of(facet, labels):
        problem = describe_missing_facet(facet, labels)
        remark = f"Paper {query.docno} {problem}: ranked by all its sentences."
        return Topic(FacetQuery(facet=None).transform(topics), remark)

    return Topic(FacetQuery(facet=facet).transform(topics))


def _label_query(query: Query) -> pd.DataFrame:
    """Return a query as a frame of one row, with its sentences and their labels.

    Columns: `qid`, `query_docno`, `query_title`, `query_sentences` and `query_labels`. Sentences
    and labels that are not known yet are found.
    """
    sentences = list(query.sentences)
    if not sentences:
        sentences = split_sentences(query.text)
    topics = pd.DataFrame(
        {
            "qid": [query.docno or TEXT_QID],
            "query_docno": [query.docno],
            "query_title": [query.title],
            "query_sentences": [sentences],
        }
    )

    if not query.labels:
        return FacetLabeller().transform(topics)
    # a title that stands for an abstract has the label "", and keeps it
    return topics.assign(query_labels=[list(query.labels)])


def _describe_labelling(sentence_count: int, facet: str) -> str:
    """Return the remark that the sentences of a text all count as a facet's."""
    if sentence_count == 1:
        return f"The text's one sentence counts as {facet}."
    return f"All {sentence_count} sentences of the text count as {facet}."
