"""What the scorers of papers share: papers and what is asked of them, from columns."""

from typing import NamedTuple

import numpy as np

from .. import frames
from ..text.contexts import Paper

ASKED = ["qid", "query_sentence_ids", "facet", *frames.QUERY_PAPER]
REMEDY = "Put FacetQuery(…) and Sentences(…) before it."


class Asked(NamedTuple):
    """A query: some sentences (their places) of a paper, and the facet that they are of, or ""."""

    paper: Paper
    places: list
    facet: str


def papers_of(results, step):
    """The frame, checked, and a Paper and an Asked for each of its rows.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a query without sentences, or with one that its paper does not have; names it.
    """
    results = frames.check(results, step, ["docno", *ASKED, *frames.CANDIDATE], remedy=REMEDY)
    return results, frames.per_key(results, frames.CANDIDATE, _paper), asked_of(results)


def asked_of(frame):
    """An Asked for each row of a frame with the columns ASKED; errors as of `papers_of`.

    All rows of a query ask the same.
    """
    first = frame.drop_duplicates("qid")
    asked = dict(zip(first["qid"], map(_asked, *(first[column] for column in ASKED))))
    return [asked[qid] for qid in frame["qid"].tolist()]  # a column of str is slow to go through


def passage_pairs(papers, asked, passage):
    """What a candidate and its query are compared by, where that is one passage of each.

    Args:
        papers, asked: of n rows, as `papers_of` gives them.
        passage: a function of a paper, a facet and, of a query, its places.

    Returns:
        The m distinct passages, and an int array (n, 2): the numbers of the query's and of the
        candidate's for each row.
    """
    number, known = {}, {}

    def numbered(key, *given):
        if key not in known:
            known[key] = number.setdefault(passage(*given), len(number))
        return known[key]

    ours = [numbered(id(one), one.paper, one.facet, one.places) for one in asked]
    rows = zip(papers, (one.facet for one in asked))
    theirs = [numbered((id(paper), facet), paper, facet) for paper, facet in rows]
    return list(number), np.array([ours, theirs], dtype=np.intp).T


def of_facet_or_all(paper, facet) -> list:
    """Where the sentences of a facet are, or all places if it has none."""
    return paper.of_facet(facet) or list(range(len(paper.sentences)))


def counted_of(sentences, labels, facet):
    """The positions (int array) that `of_facet_or_all` gives for a candidate's row."""
    return np.array(of_facet_or_all(_paper("", sentences, labels), facet), dtype=np.intp)


def _paper(title, sentences, labels):
    return Paper(title, tuple(sentences), tuple(labels))


def _asked(qid, places, facet, *paper):
    paper = _paper(*paper)
    outside = set(places) - set(range(len(paper.sentences)))
    if outside or not len(places):
        raise ValueError(
            f"Query {qid} asks with sentences {list(places)} of a paper of {len(paper.sentences)}: "
            "query_sentence_ids must be some of these, counted from 0; FacetQuery(…) gives them."
        )
    return Asked(paper, list(places), facet)
