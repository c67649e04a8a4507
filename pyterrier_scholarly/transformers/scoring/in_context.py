"""Papers and queries from columns: what the scorers of papers share."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from ... import frames
from ...text.contexts import Paper
from ..step import Step

ASKED = ["qid", "query_sentence_ids", "facet", *frames.QUERY_PAPER]
REMEDY = "Put FacetQuery(…) and Sentences(…) before it."
P = TypeVar("P", bound=Hashable)


class Asked(NamedTuple):
    """A query: the positions of some sentences of a paper, and their facet, or ""."""

    paper: Paper
    places: list[int]
    facet: str


def papers_of(results: pd.DataFrame, step: Step) -> tuple[pd.DataFrame, list[Paper], list[Asked]]:
    """Check a frame; return it, and a Paper and an Asked for each of its rows.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a query without sentences, or with a position outside its paper; names it.
    """
    results = frames.check(results, step, ["docno", *ASKED, *frames.CANDIDATE], remedy=REMEDY)
    return results, frames.per_key(results, frames.CANDIDATE, _paper), asked_of(results)


def asked_of(frame: pd.DataFrame) -> list[Asked]:
    """Make an Asked for each row of a frame with the columns ASKED; see `papers_of` for errors.

    All rows of a query share one.
    """
    first = frame.drop_duplicates("qid")
    asked = dict(zip(first["qid"], map(_asked, *(first[column] for column in ASKED))))
    return [asked[qid] for qid in frame["qid"].tolist()]  # iterating over a column of str is slow


def passage_pairs(
    papers: Sequence[Paper], asked: Sequence[Asked], passage: Callable[..., P]
) -> tuple[list[P], np.ndarray]:
    """Number the passages of candidates and queries.

    Args:
        papers, asked: of n rows, from `papers_of`.
        passage: a function of a paper, a facet and, for a query, its positions.

    Returns:
        The m distinct passages, and an int array (n, 2): the numbers of the query's and of the
        candidate's passage for each row.
    """
    number: dict[P, int] = {}
    known: dict[Hashable, int] = {}

    def numbered(key: Hashable, *arguments: object) -> int:
        if key not in known:
            known[key] = number.setdefault(passage(*arguments), len(number))
        return known[key]

    ours = [numbered(id(query), query.paper, query.facet, query.places) for query in asked]
    facets = (query.facet for query in asked)
    theirs = [numbered((id(paper), facet), paper, facet) for paper, facet in zip(papers, facets)]
    return list(number), np.array([ours, theirs], dtype=np.intp).T


def of_facet_or_all(paper: Paper, facet: str) -> list[int]:
    """Return the positions of a facet's sentences, or all positions if it has none."""
    return paper.of_facet(facet) or list(range(len(paper.sentences)))


def counted_of(sentences: Sequence[str], labels: Sequence[str], facet: str) -> np.ndarray:
    """Return the positions (int array) that `of_facet_or_all` gives for a candidate's row."""
    return np.array(of_facet_or_all(_paper("", sentences, labels), facet), dtype=np.intp)


def _paper(title: str, sentences: Sequence[str], labels: Sequence[str]) -> Paper:
    return Paper(title, tuple(sentences), tuple(labels))


def _asked(
    qid: str,
    places: Sequence[int],
    facet: str,
    title: str,
    sentences: Sequence[str],
    labels: Sequence[str],
) -> Asked:
    outside = set(places) - set(range(len(sentences)))
    if outside or not len(places):
        raise ValueError(
            f"Query {qid} asks with sentences {list(places)} of a paper of {len(sentences)}: "
            "query_sentence_ids must be some of these, counted from 0; FacetQuery(…) sets them."
        )
    return Asked(_paper(title, sentences, labels), list(places), facet)
